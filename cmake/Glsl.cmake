# Compiles GLSL kernels of tests and of the runtime during the build, so that the tree holds no
# binaries.
#
# pumice_glsl_header(target file.comp...): sources of `target` may include a header for each file,
# whose path is that of the file from the top of the tree plus ".h".
# `runtime/hal/kernels/Saxpy.comp` becomes "runtime/hal/kernels/Saxpy.comp.h", with an array
# `saxpySpirv` of uint32_t. Several targets, in any folders, may name the same file. A file may
# `#include` a .glsl file next to it.
find_program(PUMICE_GLSLANG glslangValidator)

function(pumice_glsl_header target)
  if(NOT PUMICE_GLSLANG)
    message(FATAL_ERROR "glslangValidator is needed (Debian: glslang-tools)")
  endif()
  foreach(file ${ARGN})
    get_filename_component(source ${file} ABSOLUTE)
    file(RELATIVE_PATH place ${PROJECT_SOURCE_DIR} ${source})
    string(MAKE_C_IDENTIFIER "glsl_${place}" step)
    if(NOT TARGET ${step})
      get_filename_component(base ${source} NAME_WE)
      string(SUBSTRING ${base} 0 1 first)
      string(SUBSTRING ${base} 1 -1 rest)
      string(TOLOWER ${first} first)
      set(header ${PROJECT_BINARY_DIR}/${place}.h)
      get_filename_component(folder ${header} DIRECTORY)
      file(MAKE_DIRECTORY ${folder})
      get_filename_component(beside ${source} DIRECTORY)
      file(GLOB included CONFIGURE_DEPENDS ${beside}/*.glsl)
      add_custom_command(OUTPUT ${header}
        COMMAND ${PUMICE_GLSLANG} --quiet --target-env vulkan1.1 --vn ${first}${rest}Spirv
                -o ${header} ${source}
        DEPENDS ${source} ${included}
        COMMENT "Compiling ${place}"
        VERBATIM)
      add_custom_target(${step} DEPENDS ${header})
    endif()
    add_dependencies(${target} ${step})
  endforeach()
endfunction()
