# A toolchain for other systems. It needs only a PyPI package, since zig's clang contains the headers and
# libraries of every target.
#
#   cmake --toolchain cmake/cross/Zig.cmake -DPUMICE_ZIG_TARGET=aarch64-linux-gnu …
# Targets: aarch64-linux-gnu, aarch64-macos, x86_64-windows-gnu. The first two may have the version of the oldest system:
# aarch64-linux-gnu.2.28, aarch64-macos.11.0. The compiler is not built for them.
if(NOT PUMICE_ZIG_TARGET)
  message(FATAL_ERROR "name the target: -DPUMICE_ZIG_TARGET=aarch64-linux-gnu")
endif()
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PUMICE_ZIG_TARGET)
string(REPLACE "-" ";" parts ${PUMICE_ZIG_TARGET})
list(GET parts 0 CMAKE_SYSTEM_PROCESSOR)
list(GET parts 1 system)
string(REGEX REPLACE "[.].*" "" system ${system}) # without a version, as in aarch64-macos.11.0
set(system_linux Linux)
set(system_macos Darwin)
set(system_windows Windows)
set(CMAKE_SYSTEM_NAME ${system_${system}})
if(NOT CMAKE_SYSTEM_NAME)
  message(FATAL_ERROR "unknown system '${system}'; there are linux, macos and windows")
endif()

get_filename_component(root ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
file(GLOB zig ${root}/.venv/lib/python3*/site-packages/ziglang/zig)
if(NOT zig)
  message(FATAL_ERROR "zig is not in .venv; run setup/make-venv.sh")
endif()

# CMake and ccache need each compiler to be one program, so these are scripts. They are written only if they change.
set(cross ${root}/build/cross)
foreach(language cc c++)
  set(wrapper ${cross}/bin/${PUMICE_ZIG_TARGET}-${language})
  set(content "#!/bin/sh\nexec '${zig}' ${language} -target ${PUMICE_ZIG_TARGET} \"$@\"\n")
  set(old "")
  if(EXISTS ${wrapper})
    file(READ ${wrapper} old)
  endif()
  if(NOT old STREQUAL content)
    file(WRITE ${wrapper} "${content}")
    file(CHMOD ${wrapper} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  endif()
endforeach()
set(CMAKE_C_COMPILER ${cross}/bin/${PUMICE_ZIG_TARGET}-cc)
set(CMAKE_CXX_COMPILER ${cross}/bin/${PUMICE_ZIG_TARGET}-c++)
# CMake asks the machine that it runs on how old macOS is, and takes no search paths if there is no answer.
if(CMAKE_SYSTEM_NAME STREQUAL "Darwin")
  set(CMAKE_USER_MAKE_RULES_OVERRIDE ${CMAKE_CURRENT_LIST_DIR}/SearchPaths.cmake)
endif()
# Archives have the same form for all targets.
find_program(CMAKE_AR NAMES llvm-ar-22 llvm-ar PATHS /usr/lib/llvm-22/bin NO_DEFAULT_PATH)
find_program(CMAKE_RANLIB NAMES llvm-ranlib-22 llvm-ranlib PATHS /usr/lib/llvm-22/bin
  NO_DEFAULT_PATH)

# Header-only libraries come from this machine; nothing else does.
set(PUMICE_HOST_HEADERS ${cross}/include)
file(MAKE_DIRECTORY ${PUMICE_HOST_HEADERS})
foreach(name flatbuffers vulkan vk_video volk.h volk.c)
  if(EXISTS /usr/include/${name} AND NOT EXISTS ${PUMICE_HOST_HEADERS}/${name})
    file(CREATE_LINK /usr/include/${name} ${PUMICE_HOST_HEADERS}/${name} SYMBOLIC)
  endif()
endforeach()
set(CMAKE_C_FLAGS_INIT "-isystem ${PUMICE_HOST_HEADERS}")
set(CMAKE_CXX_FLAGS_INIT "-isystem ${PUMICE_HOST_HEADERS}")
set(VulkanHeaders_DIR ${CMAKE_CURRENT_LIST_DIR})
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
