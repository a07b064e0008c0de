# ckpt_conformance_runner(<language> COMMAND <program> [<argument>...] [ENVIRONMENT <name=value>...])
#
# Adds the test conformance_<language> (label conformance and the language), which runs every file of scenarios with the command
# line "<program> <argument>... run SCRATCH FILE...". Except for cpp, also adds conformance_compat_<language>, which runs the files
# of compat/. conformance_matrix uses the same command line with "write DIR" and "read DIR".
set(CKPT_CONFORMANCE_DIR "${CMAKE_CURRENT_LIST_DIR}")

function(ckpt_conformance_runner language)
  cmake_parse_arguments(RUNNER "" "" "COMMAND;ENVIRONMENT" ${ARGN})
  list(JOIN RUNNER_COMMAND " " command) # words must not contain blanks
  set_property(GLOBAL APPEND PROPERTY CKPT_CONFORMANCE_RUNNERS "${language}=${command}")
  set_property(GLOBAL APPEND PROPERTY CKPT_CONFORMANCE_ENVIRONMENT ${RUNNER_ENVIRONMENT})
  set(folders scenarios)
  if(NOT language STREQUAL "cpp") # C++ has no names of the reference API
    list(APPEND folders compat)
  endif()
  foreach(folder IN LISTS folders)
    set(test "conformance_${language}")
    if(folder STREQUAL "compat")
      set(test "conformance_compat_${language}")
    endif()
    ckpt_add_test(NAME ${test}
             COMMAND sh "${CKPT_CONFORMANCE_DIR}/run.sh" "${PROJECT_BINARY_DIR}/conformance/${folder}_${language}" ${folder} ${RUNNER_COMMAND})
    set_tests_properties(${test} PROPERTIES LABELS "conformance;${language}" TIMEOUT 900 ENVIRONMENT "${RUNNER_ENVIRONMENT}")
  endforeach()
endfunction()
