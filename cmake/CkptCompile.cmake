# Compilation of all targets: language levels, warnings, sanitizers, and the floating-point rule.

if(NOT PROJECT_IS_TOP_LEVEL)
  # The surrounding project sets these for its own sources. They are reset in the scope of this directory only.
  foreach(setting AUTOMOC AUTORCC AUTOUIC COMPILE_WARNING_AS_ERROR INCLUDE_CURRENT_DIR INCLUDE_CURRENT_DIR_IN_INTERFACE
          LINK_LIBRARIES_ONLY_TARGETS LINK_WARNING_AS_ERROR UNITY_BUILD)
    set(CMAKE_${setting} OFF)
  endforeach()
  foreach(tool CLANG_TIDY CPPCHECK CPPLINT INCLUDE_WHAT_YOU_USE)
    set(CMAKE_CXX_${tool} "")
  endforeach()
  # An include directory of that project that contains "base/error.h" would shadow this project's header.
  set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" PROPERTY INCLUDE_DIRECTORIES "")
endif()
set(CMAKE_C_STANDARD 99)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(ckpt_optimise OFF)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
  else()
    set(ckpt_optimise ON) # through target options: CMAKE_BUILD_TYPE belongs to the surrounding project
  endif()
endif()
if(PROJECT_IS_TOP_LEVEL)
  # Assertions stay on in the optimized build: they are few, cheap and off the hot paths.
  set(ckpt_flags "-O2 -g")
  if(CKPT_SANITIZE)
    set(ckpt_flags "-Og -g1") # compiles in two thirds of the time of -O1, and removes fewer accesses
  elseif(CKPT_UNITY)
    set(ckpt_flags "-O2 -g1") # backtraces have lines; compiles in three quarters of the time
  endif()
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "${ckpt_flags}")
  set(CMAKE_C_FLAGS_RELWITHDEBINFO "${ckpt_flags}")
endif()

# GCC 16.2's pass x86_cse moves __tls_get_addr to the start of a landing pad, where the call overwrites the exception's registers:
# a catch or a destructor that uses a thread_local aborts. Set globally rather than in ckpt_compile, so that it covers the language
# wrappers.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 16 AND
   CMAKE_CXX_COMPILER_VERSION VERSION_LESS 17 AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|i.86)$")
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fdisable-rtl-x86_cse>)
endif()

add_library(ckpt_compile INTERFACE)
if(CKPT_BUILD_STATIC) # CkptStatic.cmake combines object files, which must contain machine code
  target_compile_options(ckpt_compile INTERFACE -fno-lto)
endif()
if(ckpt_optimise)
  target_compile_options(ckpt_compile INTERFACE -O2)
  target_compile_definitions(ckpt_compile INTERFACE NDEBUG)
endif()
if(PROJECT_IS_TOP_LEVEL OR CKPT_WERROR)
  target_compile_options(ckpt_compile INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wundef -Wvla
    $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual>
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>)
endif()
target_compile_options(ckpt_compile INTERFACE
  # -Wno-error also undoes -Werror from a surrounding project, which cannot fix these sources.
  $<IF:$<BOOL:${CKPT_WERROR}>,-Werror,-Wno-error>
  # The library throws exceptions and its results depend on IEEE arithmetic, so these override the flags of a surrounding project.
  $<$<COMPILE_LANGUAGE:CXX>:-fexceptions>
  $<$<COMPILE_LANGUAGE:CXX>:-frtti>
  -fno-fast-math
  # Contracted multiply-adds would give different bits on different machines: results are part of the contract.
  -ffp-contract=off
  # Binaries must not contain paths of the build machine.
  -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.
  -ffile-prefix-map=${PROJECT_BINARY_DIR}=build)

# With implicit conversions, comparing a std::string with a json value is ambiguous in nlohmann-json 3.11.3.
target_compile_definitions(ckpt_compile INTERFACE $<$<COMPILE_LANGUAGE:CXX>:JSON_USE_IMPLICIT_CONVERSIONS=0>)

if(CKPT_SANITIZE)
  target_compile_options(ckpt_compile INTERFACE -fsanitize=${CKPT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(ckpt_compile INTERFACE -fsanitize=${CKPT_SANITIZE})
  target_compile_definitions(ckpt_compile INTERFACE CKPT_SANITIZED=1)
  if(CKPT_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # ThreadSanitizer does not model fences. The library's fences only order atomics among themselves, so this loses nothing.
    target_compile_options(ckpt_compile INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-tsan>)
  endif()
endif()
if(CKPT_FUZZ)
  target_compile_options(ckpt_compile INTERFACE -fsanitize=fuzzer-no-link)
endif()

# Unity builds and precompiled headers for tests. Optional, since both hide missing includes.
set(ckpt_build_is_quick OFF)
if((CKPT_SANITIZE OR CKPT_UNITY) AND NOT CKPT_FUZZ)
  set(ckpt_build_is_quick ON)
endif()
function(ckpt_unity target)
  if(ckpt_build_is_quick)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
  endif()
endfunction()

# For programs over libckpt.so that do no long computation: halves their compile time; with sanitizers it disables optimization. In
# release builds not for programs that link the parts: the linker could keep their unoptimized template instances instead of the
# parts' own.
function(ckpt_quick_compile target)
  if(CKPT_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  elseif(PROJECT_IS_TOP_LEVEL)
    target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1> $<$<CONFIG:RelWithDebInfo>:-g1>)
  endif()
endfunction()
