# Compiles kernels in MLIR's spirv dialect to SPIR-V during the build, for features that the installed glslang does
# not know.
#
# pumice_spirv_header(target file.mlir...): see EmbedKernels.cmake.
find_program(PUMICE_MLIR_TRANSLATE NAMES mlir-translate-22 mlir-translate
  HINTS /usr/lib/llvm-22/bin)

function(pumice_spirv_commands source header base)
  pumice_embed_binary(${header} ${base}Spirv)
  set(commands COMMAND ${PUMICE_MLIR_TRANSLATE} --no-implicit-module --serialize-spirv ${source}
    -o ${header}.spv ${embed} PARENT_SCOPE)
  set(needs ${PUMICE_EMBED_SPIRV} PARENT_SCOPE)
endfunction()

function(pumice_spirv_header target)
  if(NOT PUMICE_MLIR_TRANSLATE)
    message(FATAL_ERROR "mlir-translate is needed (LLVM's repository: mlir-22-tools)")
  endif()
  pumice_embed_kernels(spirv ${target} ${ARGN})
endfunction()
