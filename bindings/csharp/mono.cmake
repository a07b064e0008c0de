# Ckpt.dll and programs by Mono.
set(csharp_library "${csharp_dir}/mono/Ckpt.dll")
set(csharp_mcs "${CKPT_MCS}" -nologo -unsafe -langversion:7 -define:MONO -warnaserror -nowarn:3021,1591)
add_custom_command(
  OUTPUT "${csharp_library}"
  COMMAND "${CMAKE_COMMAND}" -E make_directory "${csharp_dir}/mono"
  COMMAND ${csharp_mcs} -target:library "-out:${csharp_library}" "-recurse:${CMAKE_CURRENT_SOURCE_DIR}/src/*.cs"
          "-recurse:${csharp_generated}/*.cs"
  DEPENDS ${csharp_sources} "${csharp_generated}/native.cs"
  COMMENT "Compiling Ckpt.dll (Mono)" VERBATIM)
add_custom_target(ckpt_csharp_library ALL DEPENDS "${csharp_library}" ckpt_csharp)

function(csharp_program program_name program_sources)
  set(program "${csharp_dir}/mono/${program_name}.exe")
  file(GLOB sources CONFIGURE_DEPENDS "${program_sources}/*.cs")
  add_custom_command(
    OUTPUT "${program}"
    COMMAND ${csharp_mcs} "-out:${program}" "-reference:${csharp_library}" ${sources}
    DEPENDS ${sources} "${csharp_library}"
    COMMENT "Compiling ${program_name} (Mono)" VERBATIM)
  add_custom_target(${program_name} ALL DEPENDS "${program}" ckpt_csharp)
  set(csharp_run_${program_name} "${CKPT_MONO};${program}" PARENT_SCOPE)
endfunction()

set(csharp_environment "LD_LIBRARY_PATH=${csharp_dir}" "CKPT_API_LIST=${PROJECT_SOURCE_DIR}/capi/api.list"
  "CKPT_CSHARP_SOURCES=${CMAKE_CURRENT_SOURCE_DIR}/src")
