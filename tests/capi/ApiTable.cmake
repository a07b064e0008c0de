# Input of the sweeps: the functions of the API from the table in <ckpt/api.h>, and the other declarations of the public headers.

# read_declared(<out> <regex> <header>...): sets <out> to the last words of all matches, for example of "typedef struct
# ckpt_x ckpt_x".
function(read_declared out regex)
  set(names "")
  foreach(header IN LISTS ARGN)
    file(READ "${header}" text)
    string(REPLACE ";" "@" text "${text}")
    string(REPLACE "[" "<" text "${text}") # brackets would join list elements
    string(REPLACE "]" ">" text "${text}")
    string(REGEX MATCHALL "${regex}" found "${text}")
    foreach(declaration IN LISTS found)
      string(REGEX REPLACE ".*[ *(]" "" name "${declaration}")
      list(APPEND names "${name}")
    endforeach()
  endforeach()
  set(${out} "${names}" PARENT_SCOPE)
endfunction()

# read_integers: sets <out> to the headers' names for an integer type, as in "typedef int32_t ckpt_bool;".
function(read_integers out integer)
  read_declared(names "typedef ${integer} ckpt_[a-z0-9_]+@" ${ARGN})
  list(TRANSFORM names REPLACE "@" "")
  set(${out} "${names}" PARENT_SCOPE)
endfunction()

# read_handles: sets <out> to the handle types, which the headers only declare.
function(read_handles out)
  read_declared(names "typedef struct ckpt_[a-z0-9_]+ ckpt_[a-z0-9_]+" ${ARGN})
  set(${out} "${names}" PARENT_SCOPE)
endfunction()

# read_functions(<out> <api.h>): sets <out> to the names; and, in the caller's scope, result_<name> and arguments_<name>, as in C
# but with
# < > instead of [ ].
function(read_functions out api)
  file(READ "${api}" text)
  string(REPLACE "[" "<" text "${text}")
  string(REPLACE "]" ">" text "${text}")
  string(REPLACE ";" "@" text "${text}")
  string(REGEX MATCHALL "\n  [^\n@]*\\(\\*ckpt_[a-z0-9_]+\\)\\([^@]*\\)@" members "${text}")
  set(names "")
  foreach(member IN LISTS members)
    string(REGEX MATCH "\n  (.*[ *])\\(\\*(ckpt_[a-z0-9_]+)\\)\\((.*)\\)@" unused "${member}")
    list(APPEND names "${CMAKE_MATCH_2}")
    set(result_${CMAKE_MATCH_2} "${CMAKE_MATCH_1}" PARENT_SCOPE)
    set(arguments_${CMAKE_MATCH_2} "${CMAKE_MATCH_3}" PARENT_SCOPE)
  endforeach()
  set(${out} "${names}" PARENT_SCOPE)
endfunction()
