# Makes <ckpt/api.h> and api_table.cpp from the public headers and capi/api.list. Run as a script:
#   cmake -DLIST=... -DHEADERS=a.h|b.h -DHEADER_OUT=... -DSOURCE_OUT=... -P CkptApiTable.cmake
# Fails when a declared function is not in the list or a listed one is not declared.
cmake_minimum_required(VERSION 3.25)

string(REPLACE "|" ";" HEADERS "${HEADERS}")
set(declared "")
set(includes "")
foreach(header IN LISTS HEADERS)
  get_filename_component(name "${header}" NAME)
  string(APPEND includes "#include <ckpt/${name}>\n")
  file(READ "${header}" text)
  string(REPLACE ";" "@" text "${text}")
  string(REGEX REPLACE "/\\*([^*]|\\*+[^*/])*\\*+/" "" text "${text}")
  string(REGEX REPLACE "\n#[^\n]*" "" text "${text}")
  string(REGEX REPLACE "[ \t\r\n]+" " " text "${text}")
  string(REPLACE "[" "<" text "${text}") # brackets would join list elements
  string(REPLACE "]" ">" text "${text}")
  string(REGEX MATCHALL "CKPT_API [^@]*@" found "${text}")
  foreach(declaration IN LISTS found)
    if(NOT declaration MATCHES "^CKPT_API (.*[ *])(ckpt_[a-z0-9_]+)\\((.*)\\)@$")
      message(FATAL_ERROR "${header}: cannot read: ${declaration}")
    endif()
    set(result "${CMAKE_MATCH_1}")
    set(function "${CMAKE_MATCH_2}")
    set(arguments "${CMAKE_MATCH_3}")
    string(REPLACE "<" "[" arguments "${arguments}")
    string(REPLACE ">" "]" arguments "${arguments}")
    list(APPEND declared "${function}")
    set(member_${function} "  ${result}(*${function})(${arguments})@\n")
  endforeach()
endforeach()

file(STRINGS "${LIST}" listed REGEX "^ckpt_")
foreach(function IN LISTS declared)
  if(NOT function IN_LIST listed)
    message(FATAL_ERROR "${function} is declared in a public header but not listed: append it at the end of ${LIST}")
  endif()
endforeach()

set(members "")
set(entries "")
set(locks "")
set(index 0)
foreach(function IN LISTS listed)
  if(NOT DEFINED member_${function})
    message(FATAL_ERROR "${function} is in ${LIST} but declared in no public header")
  endif()
  string(APPEND members "${member_${function}}")
  string(APPEND entries "    ${function},\n")
  string(APPEND locks "static_assert(offsetof(ckpt_api, ${function}) == 8 + ${index} * sizeof(void (*)()))@\n")
  math(EXPR index "${index} + 1")
endforeach()
string(REPLACE "@" ";" members "${members}")
string(REPLACE "@" ";" locks "${locks}")

file(CONFIGURE OUTPUT "${HEADER_OUT}" @ONLY NEWLINE_STYLE UNIX CONTENT [=[
/* api.h - the whole C API as a table of function pointers, for programs that load libckpt with dlopen:
 *
 *   const struct ckpt_api *(*get_api)(uint32_t) = (const struct ckpt_api *(*)(uint32_t))dlsym(library, "ckpt_get_api");
 *   const struct ckpt_api *api = get_api(CKPT_API_VERSION);
 *
 * Made from the public headers. Members are only ever appended; each has the name and meaning of the function it points to. A table
 * whose size is smaller than a member's end comes from an older library that lacks it. */
#ifndef CKPT_API_H
#define CKPT_API_H

@includes@
#ifdef __cplusplus
extern "C" {
#endif

#define CKPT_API_VERSION 0U

typedef struct ckpt_api {
  uint64_t size; /* bytes of this table in the library that is loaded */
@members@} ckpt_api;

#ifdef __cplusplus
}
#endif

#endif /* CKPT_API_H */
]=])

file(CONFIGURE OUTPUT "${SOURCE_OUT}" @ONLY NEWLINE_STYLE UNIX CONTENT [=[
// Made from capi/api.list and the public headers.
#include <cstddef>

#include <ckpt/api.h>

@locks@
const ckpt_api* ckpt_get_api(uint32_t version) {
  static const ckpt_api table = {
    sizeof(ckpt_api),
@entries@  };
  return version == CKPT_API_VERSION ? &table : nullptr;
}
]=])
