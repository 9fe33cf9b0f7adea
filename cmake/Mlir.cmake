# Finds LLVM and MLIR of the distribution, as shared libraries or archives, and TableGen.
#
# `find_package(MLIR 22.1)` requires exactly this major.minor; all bug-fix releases of the packages match.

find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# SYSTEM suppresses warnings in upstream's headers.
add_library(pumice_mlir_headers INTERFACE)
target_include_directories(pumice_mlir_headers SYSTEM INTERFACE
  ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_compile_definitions(pumice_mlir_headers INTERFACE ${LLVM_DEFINITIONS_LIST})

# Tests and tools use the shared libraries, so that they link quickly.
add_library(pumice_mlir INTERFACE)
target_link_libraries(pumice_mlir INTERFACE pumice_mlir_headers MLIR LLVM)

# Installed binaries use the archives. The shared libraries have 250 MB, of which two fifths are used, and starting
# with them takes four times as long. Suppressions of the sanitizers name the shared libraries.
set(static_default ON)
if(PUMICE_SANITIZE OR PUMICE_BUILD_FUZZERS OR NOT EXISTS ${LLVM_LIBRARY_DIR}/libMLIRIR.a
   OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|aarch64") # see compiler/library/omitted/OmittedParts.cpp
  set(static_default OFF)
endif()
option(PUMICE_STATIC_MLIR "Link MLIR and LLVM into what is installed" ${static_default})
if(PUMICE_STATIC_MLIR)
  # Lists all archives; the linker takes only the needed members. Upstream's targets would link the shared libraries.
  file(GLOB archives ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
  list(FILTER archives EXCLUDE REGEX "CAPI|Test|WindowsManifest")
  find_package(LLD 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/lld)
  add_library(pumice_mlir_archives INTERFACE)
  target_link_libraries(pumice_mlir_archives INTERFACE pumice_mlir_headers
    $<TARGET_FILE:lldELF> $<TARGET_FILE:lldMachO> $<TARGET_FILE:lldCOFF> $<TARGET_FILE:lldCommon>
    ${archives} ZLIB::ZLIB zstd::libzstd_shared)
  target_link_options(pumice_mlir_archives INTERFACE -Wl,--gc-sections -Wl,--strip-all)
  # Packed relocations save 5 MB in each binary, and a quarter of the time in which `pumice --version` runs.
  include(CheckLinkerFlag)
  check_linker_flag(CXX "-Wl,-z,pack-relative-relocs" PUMICE_PACKS_RELOCATIONS)
  if(PUMICE_PACKS_RELOCATIONS)
    target_link_options(pumice_mlir_archives INTERFACE -Wl,-z,pack-relative-relocs)
  endif()
endif()

# TableGen finds upstream's .td files, and ours by their path from the top of the tree.
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
include_directories(${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
