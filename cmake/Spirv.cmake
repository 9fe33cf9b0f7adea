# Compiles kernels in MLIR's spirv dialect to SPIR-V during the build, for features that the installed glslang does
# not know.
#
# pumice_spirv_header(target file.mlir...): like pumice_glsl_header (Glsl.cmake), but uses mlir-translate. The files
# may also be in the build folder, made from templates.
find_program(PUMICE_MLIR_TRANSLATE NAMES mlir-translate-22 mlir-translate
  HINTS /usr/lib/llvm-22/bin)
set(PUMICE_EMBED_SPIRV ${CMAKE_CURRENT_LIST_DIR}/EmbedSpirv.cmake)

function(pumice_spirv_header target)
  if(NOT PUMICE_MLIR_TRANSLATE)
    message(FATAL_ERROR "mlir-translate is needed (LLVM's repository: mlir-22-tools)")
  endif()
  foreach(file ${ARGN})
    get_filename_component(source ${file} ABSOLUTE)
    cmake_path(IS_PREFIX PROJECT_BINARY_DIR ${source} made)
    if(made)
      file(RELATIVE_PATH place ${PROJECT_BINARY_DIR} ${source})
    else()
      file(RELATIVE_PATH place ${PROJECT_SOURCE_DIR} ${source})
    endif()
    string(MAKE_C_IDENTIFIER "spirv_${place}" step)
    if(NOT TARGET ${step})
      get_filename_component(base ${source} NAME_WE)
      set(header ${PROJECT_BINARY_DIR}/${place}.h)
      get_filename_component(folder ${header} DIRECTORY)
      file(MAKE_DIRECTORY ${folder})
      add_custom_command(OUTPUT ${header}
        COMMAND ${PUMICE_MLIR_TRANSLATE} --no-implicit-module --serialize-spirv ${source}
                -o ${header}.spv
        COMMAND ${CMAKE_COMMAND} -Dbinary=${header}.spv -Dheader=${header} -Dname=${base}Spirv
                -P ${PUMICE_EMBED_SPIRV}
        DEPENDS ${source} ${PUMICE_EMBED_SPIRV}
        COMMENT "Translating ${place}"
        VERBATIM)
      add_custom_target(${step} DEPENDS ${header})
    endif()
    add_dependencies(${target} ${step})
  endforeach()
endfunction()
