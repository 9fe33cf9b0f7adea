# LLVM and MLIR from the distribution: two shared libraries, and TableGen.
#
# `find_package(MLIR 22.1)` wants exactly major.minor; the packages' bug-fix releases all match.

find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# SYSTEM, so that upstream's headers raise no warnings of ours.
add_library(pumice_mlir INTERFACE)
target_include_directories(pumice_mlir SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_compile_definitions(pumice_mlir INTERFACE ${LLVM_DEFINITIONS_LIST})
target_link_libraries(pumice_mlir INTERFACE MLIR LLVM)

# TableGen finds upstream's .td files, and ours by their path from the top of the tree.
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
include_directories(${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
