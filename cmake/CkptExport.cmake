# ckpt_export(<target> <prefix>): makes the shared library export only the functions with this prefix, under the symbol version
# PREFIX_SOVERSION.
function(ckpt_export target prefix)
  string(TOUPPER "${prefix}_${CKPT_SOVERSION}" version)
  set(map "${CMAKE_CURRENT_BINARY_DIR}/${prefix}.map")
  file(CONFIGURE OUTPUT "${map}" CONTENT "${version} {\n  global: ${prefix}_*;\n  local: *;\n};\n")
  target_link_options(${target} PRIVATE "LINKER:--version-script=${map}")
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${map}")
endfunction()
