# What is installed: the library, its headers, the ckpt command, and what build systems look for. The prefix can be moved afterwards:
# every path in an installed file is relative to the file itself.
include(CMakePackageConfigHelpers)

foreach(dir LIBDIR INCLUDEDIR BINDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${dir}}")
    message(FATAL_ERROR "CMAKE_INSTALL_${dir} is ${CMAKE_INSTALL_${dir}}: it must be relative to the prefix, which may be moved")
  endif()
endforeach()

install(TARGETS ckpt EXPORT ckptTargets LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/ckpt" "${PROJECT_BINARY_DIR}/generated/include/ckpt"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")

if(TARGET ckpt_cli)
  file(RELATIVE_PATH bin_to_lib "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
  set_target_properties(ckpt_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
  install(TARGETS ckpt_cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

# find_package(ckpt)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/ckpt")
configure_package_config_file(cmake/ckptConfig.cmake.in "${PROJECT_BINARY_DIR}/ckptConfig.cmake" INSTALL_DESTINATION "${package_dir}"
                              NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/ckptConfigVersion.cmake" COMPATIBILITY SameMajorVersion)
install(EXPORT ckptTargets NAMESPACE ckpt:: DESTINATION "${package_dir}")
install(FILES "${PROJECT_BINARY_DIR}/ckptConfig.cmake" "${PROJECT_BINARY_DIR}/ckptConfigVersion.cmake" DESTINATION "${package_dir}")

# pkg-config
file(RELATIVE_PATH CKPT_PC_TO_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" CKPT_PC_TO_PREFIX "${CKPT_PC_TO_PREFIX}")
configure_file(pkgconfig/ckpt.pc.in "${PROJECT_BINARY_DIR}/ckpt.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/ckpt.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/THIRD_PARTY_NOTICES.md" "${PROJECT_SOURCE_DIR}/CHANGELOG.md"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}")
