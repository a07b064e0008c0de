# Hosted twins: a second run of a test, named hosted_<name>, in a host process that does everything a host may do: its log callback
# calls back into the library, and its locale has a decimal comma. Both are preloaded (tests/sweeps/log_back.c, comma_locale.c).
#
#   ckpt_add_test(NAME <name> COMMAND <command>...)   add_test, plus the twin if the test has one of the labels below
#
# The twin is added when CMake reaches the end of the test's directory, so it copies the properties that the directory set on the
# test. By default one test of each part has a twin; with CKPT_TEST_LONG every test has one, except those listed here. There are no
# twins with sanitizers, which refuse a library that is preloaded before their runtime.
#
# C++ tests over the static parts do not use the library that log_back.so calls, so only the locale differs. The same code is tested
# through the C API.
set(ckpt_twin_labels state async adaptive memory capi cli python)

# One test of each part: the one that formats and parses the most text.
set(ckpt_first_twins
    base_api memory_export tensor_api storage_api strategy_api plan_api engine_api pipeline_api state_api async_api adaptive_controller
    capi_sweep cli_output python_state)

# Tests that a twin would not strengthen: the first rows only read sources and symbols; the others set the locale themselves, or
# change a file at a counted read, and the callback reads too.
set(ckpt_no_twins
    capi_readme capi_headers capi_comments capi_comment_content capi_description capi_c_test_coverage capi_hpp_coverage capi_table_order
    capi_architecture capi_format capi_cpp_snippets capi_exports capi_dependencies capi_std_names capi_document_versions python_stubs
    state_comma_locale
    state_changed_file)

# These check messages that are printed only if no log callback was ever set; the host sets one.
list(APPEND ckpt_no_twins async_unreceived_api async_unreceived_hpp python_unreceived)

# These take minutes each, and the same code runs in other twins: state_objects_race in state_objects, cli_demo in cli_resume,
# python_wheel in python_state, PyTorch in python_engine and python_drive, long plans in plan_api and plan_program, the
# interpreter's exit in every Python test, adaptive_goals in adaptive_controller.
list(APPEND ckpt_no_twins
     state_objects_race cli_demo python_wheel python_torch python_torch_budget python_torch_trace python_torch_transformer python_torch_coordinator python_torch_ranks plan_auto_api
     plan_long_chain python_exit adaptive_goals)

# The locale's sources are in Debian's package "locales".
find_program(CKPT_LOCALEDEF localedef)
find_file(CKPT_GERMAN_LOCALE de_DE PATHS /usr/share/i18n/locales NO_DEFAULT_PATH)
set(ckpt_twin_folder "${PROJECT_BINARY_DIR}/tests/sweeps")
set(ckpt_twin_locales "${ckpt_twin_folder}/locales")
set(ckpt_twin_environment "LD_PRELOAD=set:${ckpt_twin_folder}/log_back.so")
set(ckpt_twin_fixtures "")
if(CKPT_LOCALEDEF AND CKPT_GERMAN_LOCALE)
  string(APPEND ckpt_twin_environment ":${ckpt_twin_folder}/comma_locale.so")
  list(APPEND ckpt_twin_environment "LOCPATH=set:${ckpt_twin_locales}" "LC_ALL=set:de_DE.UTF-8")
  set(ckpt_twin_fixtures comma_locale)
else()
  message(STATUS "Tests in a locale with a decimal comma: off (localedef or locale de_DE not found; Debian package locales)")
endif()

function(ckpt_add_test keyword name)
  add_test(${ARGV})
  if(CKPT_SANITIZE OR name IN_LIST ckpt_no_twins OR NOT (CKPT_TEST_LONG OR name IN_LIST ckpt_first_twins))
    return()
  endif()
  # Deferred as code, because a list would drop empty arguments.
  math(EXPR last "${ARGC} - 1")
  set(command "")
  foreach(index RANGE 2 ${last})
    string(APPEND command " [==[${ARGV${index}}]==]")
  endforeach()
  cmake_language(EVAL CODE "cmake_language(DEFER CALL ckpt_add_twin ${name} [===[${command}]===])")
endfunction()

function(ckpt_add_twin name command)
  get_test_property(${name} LABELS labels)
  set(wanted OFF)
  foreach(label IN LISTS labels)
    if(label IN_LIST ckpt_twin_labels)
      set(wanted ON)
    endif()
  endforeach()
  if(NOT wanted)
    return()
  endif()
  set(twin hosted_${name})
  cmake_language(EVAL CODE "add_test(NAME ${twin} ${command})")
  foreach(property ENVIRONMENT TIMEOUT PASS_REGULAR_EXPRESSION FAIL_REGULAR_EXPRESSION SKIP_RETURN_CODE RUN_SERIAL WORKING_DIRECTORY FIXTURES_REQUIRED)
    get_test_property(${name} ${property} value)
    if(NOT value STREQUAL "NOTFOUND")
      set_property(TEST ${twin} PROPERTY ${property} "${value}")
    endif()
  endforeach()
  set_property(TEST ${twin} APPEND PROPERTY FIXTURES_REQUIRED ${ckpt_twin_fixtures})
  # After the test itself: some tests and their twins use one folder.
  set_tests_properties(${twin} PROPERTIES LABELS "hosted;sweeps" DEPENDS ${name}
                       ENVIRONMENT_MODIFICATION "${ckpt_twin_environment}")
  set_property(GLOBAL APPEND PROPERTY CKPT_TWINS ${twin})
endfunction()
