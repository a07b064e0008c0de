# SWIG for all languages: CKPT_SWIG, ckpt_swig_version, ckpt_no_swig (the reason why it cannot be used; "" if it can), and
# ckpt_swig_inputs.
find_program(CKPT_SWIG NAMES swig swig4.0 swig4 DOC "SWIG 4.1 or later")
set(ckpt_no_swig "")
if(NOT CKPT_SWIG)
  set(ckpt_no_swig "no swig")
else()
  execute_process(COMMAND "${CKPT_SWIG}" -version OUTPUT_VARIABLE text)
  string(REGEX MATCH "Version ([0-9.]+)" _ "${text}")
  set(ckpt_swig_version "${CMAKE_MATCH_1}")
  if(ckpt_swig_version VERSION_LESS 4.1)
    set(ckpt_no_swig "${CKPT_SWIG} is ${ckpt_swig_version}, older than 4.1")
  endif()
endif()
file(GLOB ckpt_swig_inputs CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/ckpt/*.h" "${CMAKE_CURRENT_LIST_DIR}/*.hpp"
     "${CMAKE_CURRENT_LIST_DIR}/*.i" "${CMAKE_CURRENT_LIST_DIR}/generated/*")
