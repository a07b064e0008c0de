# libckpt.a: the objects of all parts joined into one, in which nothing but the C API is visible. So a program that links it may have
# C++ classes of the same names as the library's own, and a symbol of the library is never taken for one of another archive.
#
# It needs xxHash, libstdc++, libm, libdl and threads of whoever links it; ckpt.pc and ckptStatic.cmake say so. OpenBLAS is loaded when a
# layer needs it, as with the shared library.
if(CKPT_SANITIZE)
  message(FATAL_ERROR "CKPT_BUILD_STATIC and CKPT_SANITIZE exclude one another: programs that link the archive are not instrumented")
endif()

set(archive "${CMAKE_CURRENT_BINARY_DIR}/libckpt.a")
set(joined "${CMAKE_CURRENT_BINARY_DIR}/libckpt.o")
set(objects "$<TARGET_OBJECTS:ckpt>")
foreach(part IN LISTS parts)
  list(APPEND objects "$<TARGET_OBJECTS:ckpt_${part}>")
endforeach()
add_custom_command(OUTPUT "${archive}"
  # Groups are resolved here: later the linker would drop one of ours for one of the program's, whose symbols we cannot see any more.
  COMMAND "${CMAKE_CXX_COMPILER}" -r -nostdlib -Wl,--force-group-allocation -o "${joined}" ${objects}
  # Of the symbols that are defined here, "unique" ones cannot be made local, but weak ones can.
  COMMAND sh -c "\"$1\" --defined-only \"$2\" | sed -n 's/^[0-9a-f]* u //p' >\"$2.unique\"" sh "${CMAKE_NM}" "${joined}"
  COMMAND "${CMAKE_OBJCOPY}" "--weaken-symbols=${joined}.unique" "${joined}"
  COMMAND "${CMAKE_OBJCOPY}" --wildcard "--keep-global-symbol=ckpt_*" --strip-debug "${joined}"
  COMMAND "${CMAKE_COMMAND}" -E rm -f "${archive}"
  COMMAND "${CMAKE_AR}" rcsD "${archive}" "${joined}"
  COMMAND "${CMAKE_COMMAND}" -E rm -f "${joined}" "${joined}.unique"
  DEPENDS ${objects} COMMAND_EXPAND_LISTS COMMENT "Making libckpt.a" VERBATIM)
add_custom_target(ckpt_archive ALL DEPENDS "${archive}")
add_dependencies(ckpt_archive ckpt ${targets})

# For projects that have this one as a folder.
add_library(ckpt::ckpt_static STATIC IMPORTED GLOBAL)
add_dependencies(ckpt::ckpt_static ckpt_archive)
set_target_properties(ckpt::ckpt_static PROPERTIES
  IMPORTED_LOCATION "${archive}"
  INTERFACE_INCLUDE_DIRECTORIES "${PROJECT_SOURCE_DIR}/include"
  INTERFACE_LINK_LIBRARIES "${CKPT_XXHASH_LIBRARY};stdc++;m;${CMAKE_THREAD_LIBS_INIT};${CMAKE_DL_LIBS}")
