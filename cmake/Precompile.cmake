# Precompiles lists of headers that many files include (cmake/precompiled). Each list is parsed once. This file says
# which targets use which list.

option(PUMICE_PRECOMPILE "Parse common headers once" ON)

# pumice_precompiled(NAME HEADER [LIBRARIES library...] [FLAGS flag...]): a list that other targets reuse.
function(pumice_precompiled name header)
  if(NOT PUMICE_PRECOMPILE)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "LIBRARIES;FLAGS" ${ARGN})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// CMake precompiles for sources only.\n")
  add_library(${name} OBJECT ${source})
  target_link_libraries(${name} PRIVATE pumice_options ${ARG_LIBRARIES})
  target_compile_options(${name} PRIVATE ${ARG_FLAGS})
  target_precompile_headers(${name} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled/${header})
endfunction()

# pumice_reuse_precompiled(TARGET NAME): needs the same flags as NAME. A program's flags differ from a library's.
function(pumice_reuse_precompiled target name)
  if(NOT TARGET "${name}") # not requested, or a build without tests
    return()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${name})
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
endfunction()

set(PUMICE_TEST_FLAGS $<$<CONFIG:Release>:-O1>)

# pumice_test_code(TARGET): programs and libraries of tests. Compiling them takes longer than running them, so they
# are lightly optimized, with the precompiled headers that PUMICE_TEST_HEADERS names.
function(pumice_test_code target)
  target_compile_options(${target} PRIVATE ${PUMICE_TEST_FLAGS})
  pumice_reuse_precompiled(${target} "${PUMICE_TEST_HEADERS}")
endfunction()

# pumice_precompile_below(FOLDER [ONLY...]): gives Standard.h to every library and program in the folder that has no
# list yet, except those with their own flags (PUMICE_OWN_FLAGS).
function(pumice_precompile_below folder)
  get_directory_property(targets DIRECTORY ${folder} BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(list ${target} PRECOMPILE_HEADERS)
    get_target_property(taken ${target} PRECOMPILE_HEADERS_REUSE_FROM)
    get_target_property(own ${target} PUMICE_OWN_FLAGS)
    if(type MATCHES "^(STATIC|SHARED|OBJECT)_LIBRARY$|^EXECUTABLE$" AND NOT (list OR taken OR own))
      pumice_reuse_precompiled(${target} pumice_standard_headers)
    endif()
  endforeach()
  get_directory_property(folders DIRECTORY ${folder} SUBDIRECTORIES)
  foreach(below IN LISTS folders)
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${below})
    string(REGEX REPLACE "/.*" "" top ${path})
    if(NOT ARGN OR top IN_LIST ARGN)
      pumice_precompile_below(${below})
    endif()
  endforeach()
endfunction()
