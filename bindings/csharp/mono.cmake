# Ckpt.dll and programs with Mono.
set(csharp_mono_library "${csharp_dir}/mono/Ckpt.dll")
set(csharp_mcs "${CKPT_MCS}" -nologo -unsafe -langversion:7 -define:MONO -reference:System.Numerics.dll -nowarn:618,1591,3021)
if(CKPT_WERROR)
  list(APPEND csharp_mcs -warnaserror)
endif()
add_custom_command(
  OUTPUT "${csharp_mono_library}"
  COMMAND "${CMAKE_COMMAND}" -E make_directory "${csharp_dir}/mono"
  COMMAND ${csharp_mcs} -target:library "-out:${csharp_mono_library}" "-recurse:${CMAKE_CURRENT_SOURCE_DIR}/src/*.cs"
          "-recurse:${CMAKE_CURRENT_SOURCE_DIR}/generated/*.cs" "-recurse:${csharp_generated}/*.cs"
  DEPENDS ${csharp_sources} "${csharp_generated}/native.cs"
  COMMENT "Compiling Ckpt.dll (Mono)" VERBATIM)
add_custom_target(ckpt_csharp_library_mono ALL DEPENDS "${csharp_mono_library}" ckpt_csharp)
csharp_native_libraries("${csharp_dir}/mono")

# build/<preset>/csharp/mono/<name>.exe. Sets <command> to the command that runs it.
function(csharp_program_mono program_name program_sources command)
  set(program "${csharp_dir}/mono/${program_name}.exe")
  file(GLOB sources CONFIGURE_DEPENDS "${program_sources}/*.cs")
  add_custom_command(
    OUTPUT "${program}"
    COMMAND ${csharp_mcs} "-out:${program}" "-reference:${csharp_mono_library}" ${sources}
    DEPENDS ${sources} "${csharp_mono_library}"
    COMMENT "Compiling ${program_name} (Mono)" VERBATIM)
  add_custom_target(${program_name}_mono ALL DEPENDS "${program}" ckpt_csharp)
  set(${command} "${CKPT_MONO};${program}" PARENT_SCOPE)
endfunction()

list(APPEND csharp_machines mono)
