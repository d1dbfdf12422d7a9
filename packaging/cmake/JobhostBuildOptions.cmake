# Warnings and sanitizers for our own targets, as one interface target: nothing global, nothing
# that leaks into the SDK's users.
add_library(jobhost_build_options INTERFACE)
target_compile_features(jobhost_build_options INTERFACE cxx_std_20)
target_include_directories(jobhost_build_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(jobhost_build_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor
    -Woverloaded-virtual -Wold-style-cast -Wcast-qual -Wformat=2 -Wundef -Wextra-semi>
  # GCC 12 reports std::string in optimized code (GCC bugs 105651, 105329).
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-restrict -Wno-array-bounds
    -Wno-stringop-overflow -Wno-stringop-overread>)
if(JOBHOST_WERROR)
  target_compile_options(jobhost_build_options INTERFACE -Werror)
endif()
if(JOBHOST_SANITIZER)
  target_compile_options(jobhost_build_options INTERFACE
    -fsanitize=${JOBHOST_SANITIZER} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(jobhost_build_options INTERFACE -fsanitize=${JOBHOST_SANITIZER})
endif()

# The standard headers that most of our files begin with, compiled once and not four hundred times.
# A file still includes what it uses: the list changes build times and nothing else.
set(JOBHOST_COMMON_HEADERS
  <algorithm> <atomic> <chrono> <condition_variable> <filesystem> <functional> <map> <memory>
  <mutex> <optional> <span> <string> <string_view> <thread> <unordered_map> <variant> <vector>)
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/jobhost_common_headers.cpp "")
add_library(jobhost_common_headers OBJECT
  ${CMAKE_CURRENT_BINARY_DIR}/jobhost_common_headers.cpp)
target_link_libraries(jobhost_common_headers PRIVATE jobhost_build_options)
target_precompile_headers(jobhost_common_headers PRIVATE ${JOBHOST_COMMON_HEADERS})

# jobhost_precompile(<library>...): for our static libraries.
function(jobhost_precompile)
  foreach(library ${ARGN})
    target_precompile_headers(${library} REUSE_FROM jobhost_common_headers)
  endforeach()
endfunction()
