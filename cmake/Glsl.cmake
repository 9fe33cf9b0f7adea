# Compiles GLSL kernels of tests and of the runtime during the build.
#
# pumice_glsl_header(target file.comp...): see EmbedKernels.cmake. `runtime/hal/kernels/Saxpy.comp` becomes
# "runtime/hal/kernels/Saxpy.comp.h", with an array `saxpySpirv` of uint32_t. A file may `#include` a .glsl file next
# to it.
find_program(PUMICE_GLSLANG glslangValidator)

function(pumice_glsl_commands source header base)
  string(SUBSTRING ${base} 0 1 first)
  string(SUBSTRING ${base} 1 -1 rest)
  string(TOLOWER ${first} first)
  get_filename_component(beside ${source} DIRECTORY)
  file(GLOB included CONFIGURE_DEPENDS ${beside}/*.glsl)
  set(commands COMMAND ${PUMICE_GLSLANG} --quiet --target-env vulkan1.1 --vn ${first}${rest}Spirv -o ${header}
    ${source} PARENT_SCOPE)
  set(needs ${included} PARENT_SCOPE)
endfunction()

function(pumice_glsl_header target)
  if(NOT PUMICE_GLSLANG)
    message(FATAL_ERROR "glslangValidator is needed (Debian: glslang-tools)")
  endif()
  pumice_embed_kernels(glsl ${target} ${ARGN})
endfunction()
