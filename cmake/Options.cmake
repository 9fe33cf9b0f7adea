# Flags for all targets of ours, and the two functions that declare tests.

# One interface library carries the warnings and sanitizers, so that imported headers stay out of it.
add_library(pumice_options INTERFACE)
target_compile_options(pumice_options INTERFACE
  -Wall -Wextra -Werror -Wno-unused-parameter -fno-exceptions
  # Designated initializers are meant to leave fields at their defaults.
  -Wno-missing-designated-field-initializers)
target_include_directories(pumice_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})

# ccache reuses a precompiled header, and objects compiled with it, only if it contains no time
# stamp.
add_compile_options("$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")

if(PUMICE_SANITIZE)
  # vptr checks need RTTI of every class that is shared with the LLVM libraries, which lack it.
  add_compile_options(-fsanitize=${PUMICE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${PUMICE_SANITIZE})
  if(PUMICE_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize=vptr)
  endif()
endif()

if(PUMICE_BUILD_FUZZERS)
  # Coverage feedback for all of our code; the fuzzers themselves link libFuzzer's main.
  add_compile_options(-fsanitize=fuzzer-no-link)
  add_link_options(-fsanitize=fuzzer-no-link)
endif()

# pumice_unittest(NAME SOURCES... [LIBRARIES...]): one GoogleTest executable, registered with ctest.
function(pumice_unittest name)
  if(NOT PUMICE_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE pumice_options ${ARG_LIBRARIES} GTest::gtest_main)
  pumice_test_code(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  if(NOT CMAKE_CROSSCOMPILING) # tests/systems/run-tests.py runs the others
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60)
  endif()
endfunction()
