# ckpt_part(<name> [SHOWS <part>...] [USES <part>...] SOURCES <file>...)
#
# One part of the library: a static target ckpt_<name> that links exactly the parts that it may include: SHOWS for those that its
# headers include, USES for those that only its sources include. The folder is reached as "<name>/header.h" through a directory that
# contains nothing else, so including a part that is not linked does not compile.
function(ckpt_part name)
  cmake_parse_arguments(PART "" "" "SHOWS;USES;SOURCES" ${ARGN})
  set(view "${PROJECT_BINARY_DIR}/parts/${name}")
  file(MAKE_DIRECTORY "${view}")
  file(CREATE_LINK "${CMAKE_CURRENT_SOURCE_DIR}" "${view}/${name}" SYMBOLIC)

  add_library(ckpt_${name} STATIC ${PART_SOURCES})
  # Archives of parts are not installed: they stay out of the archive output directory of a surrounding project.
  set_target_properties(ckpt_${name} PROPERTIES ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
  target_include_directories(ckpt_${name} PUBLIC "${view}")
  target_link_libraries(ckpt_${name} PRIVATE ckpt_compile)
  ckpt_unity(ckpt_${name})
  list(TRANSFORM PART_SHOWS PREPEND "ckpt_")
  list(TRANSFORM PART_USES PREPEND "ckpt_")
  target_link_libraries(ckpt_${name} PUBLIC ${PART_SHOWS} PRIVATE ${PART_USES})
endfunction()
