# jobhost_add_plugin(<name> SOURCES <file>... [NO_JSON_DIAGNOSTICS]): the shared library <name>.so, as
# a host loads it.
#
# nlohmann::json is told to keep track of places (JSON_DIAGNOSTICS), so that a PayloadError has the
# JSON pointer of the wrong value. NO_JSON_DIAGNOSTICS: not, for a plugin that links a library with
# nlohmann::json in its own interface, where both sides must agree.
#
# Link your own libraries with target_link_libraries(<name> PRIVATE ...); static ones stay hidden
# inside the plugin. Compile features, definitions and warnings are yours, as for any target.
set(JOBHOST_PLUGIN_MAP "${CMAKE_CURRENT_LIST_DIR}/plugin.map" CACHE INTERNAL
  "Linker script that exports the plugin's entry only")

function(jobhost_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NO_JSON_DIAGNOSTICS" "" "SOURCES")
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "jobhost_add_plugin(${name}): SOURCES is missing")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR
      "jobhost_add_plugin(${name}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  add_library(${name} MODULE ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE jobhost::sdk)
  if(NOT arg_NO_JSON_DIAGNOSTICS)
    target_compile_definitions(${name} PRIVATE JSON_DIAGNOSTICS=1)
  endif()
  set_target_properties(${name} PROPERTIES
    PREFIX ""
    CXX_VISIBILITY_PRESET hidden
    C_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    POSITION_INDEPENDENT_CODE ON
    LINK_DEPENDS "${JOBHOST_PLUGIN_MAP}")
  target_compile_options(${name} PRIVATE
    # Lines in stack traces, whatever the build type.
    -g
    # Without it, statics of templates would be one object for all plugins of a process.
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-fno-gnu-unique>)
  target_link_options(${name} PRIVATE
    -Wl,-z,now -Wl,--build-id -Wl,--exclude-libs,ALL
    "-Wl,--version-script=${JOBHOST_PLUGIN_MAP}")
  # A symbol that nobody defines is an error here, not on the operator's machine. A sanitizer's
  # runtime is only in the executable, so its symbols are undefined by design.
  set(flags "${CMAKE_CXX_FLAGS} ${CMAKE_SHARED_LINKER_FLAGS} ${CMAKE_MODULE_LINKER_FLAGS}")
  if(NOT JOBHOST_SANITIZER AND NOT flags MATCHES "-fsanitize")
    target_link_options(${name} PRIVATE -Wl,-z,defs)
  endif()
endfunction()
