# Ckpt.dll, programs and the package with the .NET SDK.
set(csharp_build_options -nologo -v q --no-restore -c Release -nodeReuse:false -p:UseSharedCompilation=false)

if(EXISTS "/lib/ld-musl-${CMAKE_SYSTEM_PROCESSOR}.so.1")
  set(csharp_rid linux-musl)
else()
  set(csharp_rid linux)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  string(APPEND csharp_rid -x64)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  string(APPEND csharp_rid -arm64)
else()
  string(APPEND csharp_rid "-${CMAKE_SYSTEM_PROCESSOR}")
endif()

# Restores a project once for each content of its file. Sets <result> to the exit status of the SDK; 0: success.
function(csharp_restore project result)
  file(SHA256 "${project}" content)
  get_filename_component(folder "${project}" DIRECTORY)
  set(stamp "${folder}/restored")
  set(known "")
  if(EXISTS "${stamp}")
    file(READ "${stamp}" known)
  endif()
  set(failed 0)
  if(NOT known STREQUAL content OR NOT EXISTS "${folder}/obj/project.assets.json")
    execute_process(COMMAND ${csharp_dotnet} restore -nologo -v q -nodeReuse:false "${project}" RESULT_VARIABLE failed
      OUTPUT_VARIABLE text ERROR_VARIABLE text TIMEOUT 120)
    if(failed STREQUAL 0)
      file(WRITE "${stamp}" "${content}")
    endif()
  endif()
  set(${result} "${failed}" PARENT_SCOPE)
endfunction()

set(csharp_project "${csharp_dir}/Ckpt/Ckpt.csproj")
set(csharp_frameworks "netstandard2.0;${csharp_current}")
if(CKPT_CSHARP_CURRENT_ONLY)
  set(csharp_frameworks "${csharp_current}")
endif()
configure_file(Ckpt.csproj.in "${csharp_project}" @ONLY)
csharp_restore("${csharp_project}" failed)
if(NOT failed STREQUAL 0 AND NOT CKPT_CSHARP_CURRENT_ONLY)
  set(CKPT_CSHARP_CURRENT_ONLY ON CACHE BOOL "Build Ckpt.dll for the current .NET only, without netstandard2.0")
  set(csharp_frameworks "${csharp_current}")
  configure_file(Ckpt.csproj.in "${csharp_project}" @ONLY)
  csharp_restore("${csharp_project}" failed)
endif()
if(NOT failed STREQUAL 0)
  csharp_off("dotnet restore failed")
  return()
endif()
if(CKPT_CSHARP_CURRENT_ONLY)
  message(STATUS "C# binding: for ${csharp_current} only (the reference packages of netstandard2.0 are not available)")
else()
  message(STATUS "C# binding: for netstandard2.0 and ${csharp_current}")
endif()

set(csharp_library "${csharp_dir}/lib/${csharp_current}/Ckpt.dll")
add_custom_command(
  OUTPUT "${csharp_library}"
  COMMAND ${csharp_dotnet} build ${csharp_build_options} "${csharp_project}"
  COMMAND "${CMAKE_COMMAND}" -E touch "${csharp_library}"
  DEPENDS ${csharp_sources} "${csharp_generated}/native.cs" "${csharp_project}"
  COMMENT "Compiling Ckpt.dll" VERBATIM)
add_custom_target(ckpt_csharp_library ALL DEPENDS "${csharp_library}" ckpt_csharp)

# The package for NuGet, with the native libraries inside.
set(csharp_package "${csharp_dir}/Ckpt.${PROJECT_VERSION}.nupkg")
add_custom_command(
  OUTPUT "${csharp_package}"
  COMMAND ${csharp_dotnet} pack ${csharp_build_options} --no-build -o "${csharp_dir}" "${csharp_project}"
  DEPENDS "${csharp_library}" ckpt_csharp
  COMMENT "Packing Ckpt.${PROJECT_VERSION}.nupkg" VERBATIM)
add_custom_target(ckpt_csharp_package ALL DEPENDS "${csharp_package}")

# The log for Microsoft.Extensions.Logging: a separate package, so that Ckpt.dll depends on nothing.
set(csharp_logging_project "${csharp_dir}/CkptLogging/Ckpt.Extensions.Logging.csproj")
set(csharp_logging_tests "${csharp_dir}/LoggingTests")
configure_file(logging/Ckpt.Extensions.Logging.csproj.in "${csharp_logging_project}" @ONLY)
configure_file(logging/tests/LoggingTests.csproj.in "${csharp_logging_tests}/LoggingTests.csproj" @ONLY)
csharp_restore("${csharp_logging_project}" failed)
if(failed STREQUAL 0)
  csharp_restore("${csharp_logging_tests}/LoggingTests.csproj" failed)
endif()
set(csharp_logging OFF)
if(failed STREQUAL 0)
  set(csharp_logging ON)
  set(package "${csharp_dir}/Ckpt.Extensions.Logging.${PROJECT_VERSION}.nupkg")
  set(program "${csharp_logging_tests}/out/LoggingTests.dll")
  csharp_native_libraries("${csharp_logging_tests}/out")
  file(GLOB sources CONFIGURE_DEPENDS logging/*.cs logging/tests/*.cs)
  add_custom_command(
    OUTPUT "${package}" "${program}"
    COMMAND ${csharp_dotnet} build ${csharp_build_options} --no-dependencies "${csharp_logging_project}"
    COMMAND ${csharp_dotnet} pack ${csharp_build_options} --no-build -o "${csharp_dir}" "${csharp_logging_project}"
    COMMAND ${csharp_dotnet} build ${csharp_build_options} --no-dependencies "${csharp_logging_tests}/LoggingTests.csproj"
    COMMAND "${CMAKE_COMMAND}" -E touch "${program}"
    DEPENDS ${sources} "${csharp_logging_project}" "${csharp_library}"
    COMMENT "Packing Ckpt.Extensions.Logging.${PROJECT_VERSION}.nupkg" VERBATIM)
  add_custom_target(ckpt_csharp_logging ALL DEPENDS "${program}" ckpt_csharp)
else()
  message(STATUS "C# binding: without Ckpt.Extensions.Logging (Microsoft.Extensions.Logging.Abstractions is not available)")
endif()

# build/<preset>/csharp/<name>/out/<name>.dll, next to the native libraries. Sets <command> to the command that runs it.
function(csharp_program_dotnet program_name program_sources command)
  set(program_dir "${csharp_dir}/${program_name}")
  set(project "${program_dir}/${program_name}.csproj")
  configure_file("${csharp_program_template}" "${project}" @ONLY)
  csharp_restore("${project}" failed)
  if(NOT failed STREQUAL 0)
    message(FATAL_ERROR "dotnet restore of ${project} failed")
  endif()
  file(GLOB sources CONFIGURE_DEPENDS "${program_sources}/*.cs")
  set(program "${program_dir}/out/${program_name}.dll")
  csharp_native_libraries("${program_dir}/out")
  add_custom_command(
    OUTPUT "${program}"
    COMMAND ${csharp_dotnet} build ${csharp_build_options} "${project}"
    COMMAND "${CMAKE_COMMAND}" -E touch "${program}"
    DEPENDS ${sources} "${project}" "${csharp_library}"
    COMMENT "Compiling ${program_name}" VERBATIM)
  add_custom_target(${program_name} ALL DEPENDS "${program}" ckpt_csharp)
  set(${command} "${CKPT_DOTNET};${program}" PARENT_SCOPE)
endfunction()

list(APPEND csharp_machines dotnet)
