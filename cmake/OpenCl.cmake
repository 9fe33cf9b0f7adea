# Embeds OpenCL C kernels of tests as SPIR-V, compiled by clang. PoCL takes SPIR-V up to 1.2.
#
# pumice_opencl_header(target file.cl...): see EmbedKernels.cmake. `kernels/Mix.cl` becomes "kernels/Mix.cl.h", which
# holds `const uint32_t MixOpenCl[]`.
find_program(PUMICE_CLANG_OPENCL NAMES clang-22 clang HINTS /usr/lib/llvm-22/bin)

function(pumice_opencl_commands source header base)
  pumice_embed_binary(${header} ${base}OpenCl)
  set(commands COMMAND ${PUMICE_CLANG_OPENCL} --target=spirv64v1.2 -x cl -cl-std=CL3.0 -O2 -Wall -Werror
    -Xclang -finclude-default-header -Xclang -cl-ext=+cl_khr_fp16,+cl_khr_fp64,+cl_khr_subgroups
    -c ${source} -o ${header}.spv ${embed} PARENT_SCOPE)
  set(needs ${PUMICE_EMBED_SPIRV} PARENT_SCOPE)
endfunction()

function(pumice_opencl_header target)
  if(NOT PUMICE_CLANG_OPENCL)
    message(FATAL_ERROR "clang is needed (LLVM's repository: clang-22)")
  endif()
  pumice_embed_kernels(opencl ${target} ${ARGN})
endfunction()
