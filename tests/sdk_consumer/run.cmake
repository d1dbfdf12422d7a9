# -DTOOLCHAIN=gcc|libcxx -DBUILD_DIR= -DROOT= -DSANITIZER= -DWORK_DIR= -P run.cmake
cmake_minimum_required(VERSION 3.25)

set(source ${ROOT}/tests/sdk_consumer)
file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
set(flags "")
if(TOOLCHAIN STREQUAL "gcc")
  find_program(compiler NAMES g++ REQUIRED)
else()
  find_program(compiler NAMES clang++-16 clang++)
  file(WRITE ${WORK_DIR}/probe.cpp "#include <string>\nint main() { return std::string().size(); }\n")
  if(compiler)
    execute_process(COMMAND ${compiler} -stdlib=libc++ probe.cpp -o probe
      WORKING_DIRECTORY ${WORK_DIR} RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  endif()
  if(NOT compiler OR NOT status EQUAL 0)
    message("SKIPPED: clang++ with libc++ is not installed")
    return()
  endif()
  set(flags -stdlib=libc++)
endif()

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY COMMAND_ECHO STDOUT)
endfunction()

function(build project)
  run(${CMAKE_COMMAND} -S ${source}/${project} -B ${WORK_DIR}/${project}
    -DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix
    -DCMAKE_CXX_COMPILER=${compiler}
    "-DCMAKE_CXX_FLAGS=${flags} -Wall -Wextra -Wpedantic -Werror")
  run(${CMAKE_COMMAND} --build ${WORK_DIR}/${project})
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/prefix --component sdk)

# A plugin needs no SQLite, an application that enqueues does.
function(configure_without_sqlite project result)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${source}/${project} -B ${WORK_DIR}/${project}_bare
    -DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix -DCMAKE_CXX_COMPILER=${compiler}
    -DCMAKE_DISABLE_FIND_PACKAGE_SQLite3=ON
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  set(${result} ${status} PARENT_SCOPE)
endfunction()
configure_without_sqlite(payments status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "a plugin cannot be configured without SQLite")
endif()
configure_without_sqlite(client_app status)
if(status EQUAL 0)
  message(FATAL_ERROR "an application was configured without SQLite, so its build would fail")
endif()

build(payments)
run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK_DIR}/payments --output-on-failure)

# The plugin's entry is all that it exports.
set(plugin ${WORK_DIR}/payments/payments.so)
find_program(nm NAMES nm REQUIRED)
execute_process(COMMAND ${nm} -D --defined-only --format=just-symbols ${plugin}
  OUTPUT_VARIABLE exported OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
if(NOT exported STREQUAL "jobhost_plugin_v1")
  message(FATAL_ERROR "the plugin exports more than its entry:\n${exported}")
endif()

# An application that only enqueues. Its library is built for one standard library, and needs the
# sanitizer's runtime where it was built with one.
set(store "sqlite://${WORK_DIR}/jobs.db")
if(TOOLCHAIN STREQUAL "gcc" AND NOT SANITIZER
    AND EXISTS ${WORK_DIR}/prefix/lib/cmake/jobhost/jobhost-client-targets.cmake)
  build(client_app)
  run(${WORK_DIR}/client_app/client_app ${store})
endif()

# A real host takes it.
set(host ${BUILD_DIR}/bin/jobhost)
if(EXISTS ${host})
  file(READ ${source}/payments/jobhost.yaml config)
  string(REPLACE "sqlite:///tmp/payments.db" "${store}" config "${config}")
  string(REPLACE "./build/payments.so" "${plugin}" config "${config}")
  file(WRITE ${WORK_DIR}/jobhost.yaml "${config}")
  run(${host} -c ${WORK_DIR}/jobhost.yaml check)
  run(${host} -c ${WORK_DIR}/jobhost.yaml enqueue payments.process
    --input "{\"id\": \"o-2\", \"amount\": 5}")
  run(${host} -c ${WORK_DIR}/jobhost.yaml run --until-empty)
endif()
