# Rules for `cmake --install BUILD --prefix PREFIX`. They install the library with its headers, and
# files for find_package(pumice) and pkg-config. If they were built, they also install the compiler
# library and the command.
include(CMakePackageConfigHelpers)

install(TARGETS pumice_runtime EXPORT pumiceTargets COMPONENT runtime
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# Not every system can have the static library; see runtime/c-api/CMakeLists.txt.
if(TARGET pumice_static)
  install(FILES ${PROJECT_BINARY_DIR}/lib/libpumice.a DESTINATION ${CMAKE_INSTALL_LIBDIR}
    COMPONENT runtime)
endif()
install(DIRECTORY include/pumice DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT runtime)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/pumice)
install(EXPORT pumiceTargets NAMESPACE pumice:: DESTINATION ${package} COMPONENT runtime)
configure_package_config_file(cmake/pumiceConfig.cmake.in ${PROJECT_BINARY_DIR}/pumiceConfig.cmake
  INSTALL_DESTINATION ${package} NO_SET_AND_CHECK_MACRO)
# Until 1.0, a minor version may break compatibility with the previous one.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/pumiceConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/pumiceConfig.cmake
  ${PROJECT_BINARY_DIR}/pumiceConfigVersion.cmake DESTINATION ${package} COMPONENT runtime)

# Paths are relative to this file, so that the folder can be moved.
configure_file(cmake/pumice.pc.in ${PROJECT_BINARY_DIR}/pumice.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/pumice.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
  COMPONENT runtime)

if(PUMICE_BUILD_COMPILER)
  get_target_property(compiler_library pumice_compiler_library ALIASED_TARGET)
  if(NOT compiler_library)
    set(compiler_library pumice_compiler_library)
  endif()
  install(TARGETS ${compiler_library} COMPONENT compiler
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(TARGETS pumice COMPONENT compiler RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
