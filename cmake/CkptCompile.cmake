# How everything here is compiled: language levels, warnings as errors, sanitizers, and the floating-point rule.

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
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Kind of build" FORCE)
endif()
# Assertions stay on in the optimised build: they are few, cheap and off the hot paths.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g")
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g")
if(CKPT_SANITIZE) # less optimisation finds as much and compiles in two thirds of the time
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")
  set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O1 -g1")
endif()

find_package(Threads REQUIRED)

add_library(ckpt_compile INTERFACE)
target_compile_options(ckpt_compile INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wundef -Wvla -Werror
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual>
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>
  # Contracted multiply-adds would give different bits on different machines: results are part of the contract.
  -ffp-contract=off
  # Builds must not carry the path of the machine they were made on.
  -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.
  -ffile-prefix-map=${PROJECT_BINARY_DIR}=build)

if(CKPT_SANITIZE)
  target_compile_options(ckpt_compile INTERFACE -fsanitize=${CKPT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(ckpt_compile INTERFACE -fsanitize=${CKPT_SANITIZE})
  target_compile_definitions(ckpt_compile INTERFACE CKPT_SANITIZED=1)
  if(CKPT_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # ThreadSanitizer does not see fences; here they only order atomics among themselves, which it need not see.
    target_compile_options(ckpt_compile INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-tsan>)
  endif()
endif()
if(CKPT_FUZZ)
  target_compile_options(ckpt_compile INTERFACE -fsanitize=fuzzer-no-link)
endif()

# Sources of a target are compiled many at once, and the headers of tests once: an option, since missing includes then go unseen.
option(CKPT_UNITY "Compile many sources as one, in half of the time" OFF)
set(ckpt_build_is_quick OFF)
if((CKPT_SANITIZE OR CKPT_UNITY) AND NOT CKPT_FUZZ)
  set(ckpt_build_is_quick ON)
endif()
function(ckpt_unity target)
  if(ckpt_build_is_quick)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
  endif()
endfunction()

# For programs over libckpt.so, in which nothing takes long: compiled in half the time, under sanitizers without optimisation. Not in
# release for programs that link the parts themselves: their unoptimised templates would take the place of the parts' own.
function(ckpt_quick_compile target)
  if(CKPT_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  elseif(CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
    target_compile_options(${target} PRIVATE -O1 -g1)
  endif()
endfunction()
