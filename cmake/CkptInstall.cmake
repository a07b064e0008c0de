# The installed files, by component:
#   runtime      libckpt.so.VERSION, with the major and, until 1.0, the minor number
#   development  headers, api.json, libckpt.so, libckpt.a, files for CMake and pkg-config
#   command      the ckpt command
#   python       the package ckpt
#   s3           libckpt-s3.so.VERSION, if it is built
#   s3_development  its header, libckpt-s3.so, files for CMake and pkg-config
#   mpi          libckpt-mpi.so.VERSION, if it is built
#   mpi_development  the same for it
#   debug        debug information of the library and the command, in the directory that debuggers search; only if requested
#   notices      licence, third-party notices, changelog
# The prefix can be moved after installation: every path in an installed file is relative to that file.
include(CMakePackageConfigHelpers)

if(NOT PROJECT_IS_TOP_LEVEL) # GNUInstallDirs used the surrounding project's name
  set(CMAKE_INSTALL_DOCDIR "${CMAKE_INSTALL_DATAROOTDIR}/doc/ckpt")
endif()

foreach(dir LIBDIR INCLUDEDIR BINDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${dir}}")
    message(FATAL_ERROR "CMAKE_INSTALL_${dir} is ${CMAKE_INSTALL_${dir}}: it must be relative to the prefix, which may be moved")
  endif()
endforeach()

install(TARGETS ckpt EXPORT ckptTargets
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime NAMELINK_COMPONENT development)
install(FILES "${PROJECT_SOURCE_DIR}/capi/api.json" DESTINATION "${CMAKE_INSTALL_DATADIR}/ckpt" COMPONENT development)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/ckpt"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development FILES_MATCHING PATTERN "s3.h" EXCLUDE PATTERN "mpi.h" EXCLUDE
        PATTERN "*.h" PATTERN "*.hpp")

# Searches ORIGIN first. In /usr the default search path finds the library, and Debian forbids other search paths.
function(ckpt_without_search_path_in_usr file component)
  install(CODE "if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\")
    file(RPATH_REMOVE FILE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${file}\")
  endif()" COMPONENT ${component})
endfunction()

if(TARGET ckpt_cli)
  file(RELATIVE_PATH bin_to_lib "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
  set_target_properties(ckpt_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
  install(TARGETS ckpt_cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT command)
  ckpt_without_search_path_in_usr("${CMAKE_INSTALL_BINDIR}/$<TARGET_FILE_NAME:ckpt_cli>" command)
endif()

# The Python package, in Debian's directory for packages of the system Python.
if(TARGET ckpt_python)
  set(python_dir "${CKPT_PYTHON_DIR}/ckpt")
  file(RELATIVE_PATH python_to_lib "/${python_dir}" "/${CMAKE_INSTALL_LIBDIR}")
  set_target_properties(ckpt_python PROPERTIES INSTALL_RPATH "$ORIGIN:$ORIGIN/${python_to_lib}") # as a wheel, or installed
  install(TARGETS ckpt_python LIBRARY DESTINATION "${python_dir}" COMPONENT python)
  ckpt_without_search_path_in_usr("${python_dir}/$<TARGET_FILE_NAME:ckpt_python>" python)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/bindings/python/ckpt/" DESTINATION "${python_dir}" COMPONENT python
          FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)
  install(FILES "${PROJECT_BINARY_DIR}/python/ckpt/native.py" DESTINATION "${python_dir}" COMPONENT python)
  install(DIRECTORY "${PROJECT_BINARY_DIR}/python/ckpt/" DESTINATION "${python_dir}" COMPONENT python FILES_MATCHING
          PATTERN "*.pyi")
endif()

# Plug-ins are installed next to the library; find_package(ckpt) finds them there.
set(plugins "")
foreach(plugin s3 mpi)
  if(TARGET ckpt_${plugin})
    list(APPEND plugins ${plugin})
    install(TARGETS ckpt_${plugin} EXPORT ckpt_${plugin}_targets
            LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT ${plugin} NAMELINK_COMPONENT ${plugin}_development)
    ckpt_without_search_path_in_usr("${CMAKE_INSTALL_LIBDIR}/$<TARGET_FILE_NAME:ckpt_${plugin}>" ${plugin})
    install(FILES "${PROJECT_SOURCE_DIR}/include/ckpt/${plugin}.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/ckpt"
            COMPONENT ${plugin}_development)
  endif()
endforeach()

# find_package(ckpt)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/ckpt")
configure_package_config_file(cmake/ckptConfig.cmake.in "${PROJECT_BINARY_DIR}/ckptConfig.cmake" INSTALL_DESTINATION "${package_dir}"
                              NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
set(compatibility SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatibility SameMinorVersion)
endif()
write_basic_package_version_file("${PROJECT_BINARY_DIR}/ckptConfigVersion.cmake" COMPATIBILITY ${compatibility})
install(EXPORT ckptTargets NAMESPACE ckpt:: DESTINATION "${package_dir}" COMPONENT development)
install(FILES "${PROJECT_BINARY_DIR}/ckptConfig.cmake" "${PROJECT_BINARY_DIR}/ckptConfigVersion.cmake"
        DESTINATION "${package_dir}" COMPONENT development)
if(CKPT_BUILD_STATIC)
  configure_file(cmake/ckptStatic.cmake.in "${PROJECT_BINARY_DIR}/ckptStatic.cmake" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/ckptStatic.cmake" DESTINATION "${package_dir}" COMPONENT development)
  install(FILES "${PROJECT_BINARY_DIR}/capi/libckpt.a" DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
endif()

# pkg-config
file(RELATIVE_PATH CKPT_PC_TO_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" CKPT_PC_TO_PREFIX "${CKPT_PC_TO_PREFIX}")
configure_file(pkgconfig/ckpt.pc.in "${PROJECT_BINARY_DIR}/ckpt.pc" @ONLY)
foreach(plugin IN LISTS plugins)
  install(EXPORT ckpt_${plugin}_targets NAMESPACE ckpt:: FILE ckpt-${plugin}-targets.cmake DESTINATION "${package_dir}"
          COMPONENT ${plugin}_development)
  configure_file(pkgconfig/ckpt-${plugin}.pc.in "${PROJECT_BINARY_DIR}/ckpt-${plugin}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/ckpt-${plugin}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
          COMPONENT ${plugin}_development)
endforeach()
install(FILES "${PROJECT_BINARY_DIR}/ckpt.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)

install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/THIRD_PARTY_NOTICES.md" "${PROJECT_SOURCE_DIR}/CHANGELOG.md"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT notices)
