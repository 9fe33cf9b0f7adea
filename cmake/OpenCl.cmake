# Embeds OpenCL C kernels of tests as SPIR-V, compiled by clang. PoCL takes SPIR-V up to 1.2.
#
# pumice_opencl_header(target file.cl...): like pumice_glsl_header (Glsl.cmake). `kernels/Mix.cl` becomes
# "kernels/Mix.cl.h", which holds `const uint32_t MixOpenCl[]`.
find_program(PUMICE_CLANG_OPENCL NAMES clang-22 clang HINTS /usr/lib/llvm-22/bin)
set(PUMICE_EMBED_OPENCL ${CMAKE_CURRENT_LIST_DIR}/EmbedSpirv.cmake)

function(pumice_opencl_header target)
  if(NOT PUMICE_CLANG_OPENCL)
    message(FATAL_ERROR "clang is needed (LLVM's repository: clang-22)")
  endif()
  foreach(file ${ARGN})
    get_filename_component(source ${file} ABSOLUTE)
    file(RELATIVE_PATH place ${PROJECT_SOURCE_DIR} ${source})
    string(MAKE_C_IDENTIFIER "opencl_${place}" step)
    if(NOT TARGET ${step})
      get_filename_component(base ${source} NAME_WE)
      set(header ${PROJECT_BINARY_DIR}/${place}.h)
      get_filename_component(folder ${header} DIRECTORY)
      file(MAKE_DIRECTORY ${folder})
      add_custom_command(OUTPUT ${header}
        COMMAND ${PUMICE_CLANG_OPENCL} --target=spirv64v1.2 -x cl -cl-std=CL3.0 -O2 -Wall -Werror
                -Xclang -finclude-default-header
                -Xclang -cl-ext=+cl_khr_fp16,+cl_khr_fp64,+cl_khr_subgroups
                -c ${source} -o ${header}.spv
        COMMAND ${CMAKE_COMMAND} -Dbinary=${header}.spv -Dheader=${header} -Dname=${base}OpenCl
                -P ${PUMICE_EMBED_OPENCL}
        DEPENDS ${source} ${PUMICE_EMBED_OPENCL}
        COMMENT "Compiling ${place}"
        VERBATIM)
      add_custom_target(${step} DEPENDS ${header})
    endif()
    add_dependencies(${target} ${step})
  endforeach()
endfunction()
