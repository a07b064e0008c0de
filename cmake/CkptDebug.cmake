# ckpt_split_debug(target [COMPONENT debug DESTINATION folder]): moves the debug information of a library or program to <file>.debug
# next to it; debuggers find it through .gnu_debuglink. This keeps installed and packaged files small. The debug files are the
# component "debug". With sanitizers or without objcopy the debug information stays in the binary.
if(CKPT_SPLIT_DEBUG)
  find_program(CKPT_OBJCOPY NAMES "${CMAKE_OBJCOPY}" objcopy)
endif()

function(ckpt_split_debug target)
  if(NOT CKPT_SPLIT_DEBUG OR CKPT_SANITIZE OR NOT CKPT_OBJCOPY)
    return()
  endif()
  set(file "$<TARGET_FILE:${target}>")
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND "${CKPT_OBJCOPY}" --only-keep-debug "${file}" "${file}.debug"
    COMMAND "${CKPT_OBJCOPY}" --strip-unneeded "--add-gnu-debuglink=${file}.debug" "${file}"
    VERBATIM)
  if(CKPT_INSTALL AND ARGC GREATER 1)
    cmake_parse_arguments(PARSE_ARGV 1 split "" "DESTINATION" "")
    install(FILES "${file}.debug" DESTINATION "${split_DESTINATION}/.debug" COMPONENT debug EXCLUDE_FROM_ALL)
  endif()
endfunction()
