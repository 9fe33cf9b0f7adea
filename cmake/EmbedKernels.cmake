# Compiles kernels of tests and of the runtime during the build, so that the tree holds no binaries.
#
# pumice_embed_kernels(kind target file...): sources of `target` may include a header for each file, whose path is
# that of the file from the top of the tree plus ".h". `kernels/Mix.cl` becomes "kernels/Mix.cl.h", which holds an
# array of uint32_t. Several targets, in any folders, may name the same file. The files may also be in the build
# folder, made from templates. pumice_<kind>_commands(source header base) sets `commands`, the commands that make
# the header, and `needs`, the files that they read. `base` is the name of the file without its ending.
set(PUMICE_EMBED_SPIRV ${CMAKE_CURRENT_LIST_DIR}/EmbedSpirv.cmake)

function(pumice_embed_kernels kind target)
  foreach(file ${ARGN})
    get_filename_component(source ${file} ABSOLUTE)
    cmake_path(IS_PREFIX PROJECT_BINARY_DIR ${source} made)
    if(made)
      file(RELATIVE_PATH place ${PROJECT_BINARY_DIR} ${source})
    else()
      file(RELATIVE_PATH place ${PROJECT_SOURCE_DIR} ${source})
    endif()
    string(MAKE_C_IDENTIFIER "${kind}_${place}" step)
    if(NOT TARGET ${step})
      get_filename_component(base ${source} NAME_WE)
      set(header ${PROJECT_BINARY_DIR}/${place}.h)
      get_filename_component(folder ${header} DIRECTORY)
      file(MAKE_DIRECTORY ${folder})
      cmake_language(CALL pumice_${kind}_commands ${source} ${header} ${base})
      add_custom_command(OUTPUT ${header} ${commands} DEPENDS ${source} ${needs} COMMENT "Compiling ${place}"
        VERBATIM)
      add_custom_target(${step} DEPENDS ${header})
    endif()
    add_dependencies(${target} ${step})
  endforeach()
endfunction()

# pumice_embed_binary(header name): sets `embed`, the command that makes the header from the module <header>.spv.
function(pumice_embed_binary header name)
  set(embed COMMAND ${CMAKE_COMMAND} -Dbinary=${header}.spv -Dheader=${header} -Dname=${name}
    -P ${PUMICE_EMBED_SPIRV} PARENT_SCOPE)
endfunction()
