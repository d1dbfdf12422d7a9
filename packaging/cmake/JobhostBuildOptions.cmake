# Warnings and sanitizers for our own targets, as one interface target: nothing global, nothing
# that leaks into the SDK's users.
add_library(jobhost_build_options INTERFACE)
target_compile_features(jobhost_build_options INTERFACE cxx_std_20)
target_include_directories(jobhost_build_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(jobhost_build_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor
    -Woverloaded-virtual -Wold-style-cast -Wcast-qual -Wformat=2 -Wundef -Wextra-semi>
  # GCC 12 reports std::string concatenation in optimized code (GCC bug 105651).
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-restrict>)
if(JOBHOST_WERROR)
  target_compile_options(jobhost_build_options INTERFACE -Werror)
endif()
if(JOBHOST_SANITIZER)
  target_compile_options(jobhost_build_options INTERFACE
    -fsanitize=${JOBHOST_SANITIZER} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(jobhost_build_options INTERFACE -fsanitize=${JOBHOST_SANITIZER})
endif()
