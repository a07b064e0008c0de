# libckpt.a: the objects of all parts, combined into one object in which only the C API is visible. A program that links it may
# define C++ classes with the library's names, and no symbol of the library is confused with one of another archive.
#
# A program that links it also needs xxHash, libstdc++, libm, libdl and threads; ckpt.pc and ckptStatic.cmake specify them. OpenBLAS
# is loaded when a layer needs it, as with the shared library.
if(CKPT_SANITIZE)
  message(FATAL_ERROR "CKPT_BUILD_STATIC and CKPT_SANITIZE are mutually exclusive: programs that link the archive are not instrumented")
endif()

set(archive "${CMAKE_CURRENT_BINARY_DIR}/libckpt.a")
set(joined "${CMAKE_CURRENT_BINARY_DIR}/libckpt.o")
set(objects "$<TARGET_OBJECTS:ckpt>")
foreach(part IN LISTS parts)
  list(APPEND objects "$<TARGET_OBJECTS:ckpt_${part}>")
endforeach()
add_custom_command(OUTPUT "${archive}"
  # COMDAT groups are resolved here. Otherwise the linker would discard one in favour of the program's, and ours refers to local
  # symbols.
  COMMAND "${CMAKE_CXX_COMPILER}" -r -nostdlib -Wl,--force-group-allocation -o "${joined}" ${objects}
  # Defined "unique" symbols cannot be made local; weak ones can.
  COMMAND sh -c "\"$1\" --defined-only \"$2\" | sed -n 's/^[0-9a-f]* u //p' >\"$2.unique\"" sh "${CMAKE_NM}" "${joined}"
  COMMAND "${CMAKE_OBJCOPY}" "--weaken-symbols=${joined}.unique" "${joined}"
  COMMAND "${CMAKE_OBJCOPY}" --wildcard "--keep-global-symbol=ckpt_*" --strip-debug "${joined}"
  COMMAND "${CMAKE_COMMAND}" -E rm -f "${archive}"
  COMMAND "${CMAKE_AR}" rcsD "${archive}" "${joined}"
  COMMAND "${CMAKE_COMMAND}" -E rm -f "${joined}" "${joined}.unique"
  DEPENDS ${objects} COMMAND_EXPAND_LISTS COMMENT "Linking libckpt.a" VERBATIM)
add_custom_target(ckpt_archive ALL DEPENDS "${archive}")
add_dependencies(ckpt_archive ckpt ${targets})

# For projects that include this one with add_subdirectory.
add_library(ckpt::ckpt_static STATIC IMPORTED GLOBAL)
add_dependencies(ckpt::ckpt_static ckpt_archive)
set_target_properties(ckpt::ckpt_static PROPERTIES
  IMPORTED_LOCATION "${archive}"
  INTERFACE_INCLUDE_DIRECTORIES "${PROJECT_SOURCE_DIR}/include"
  INTERFACE_LINK_LIBRARIES "${CKPT_XXHASH_LIBRARY};stdc++;m;${CMAKE_THREAD_LIBS_INIT};${CMAKE_DL_LIBS}")
