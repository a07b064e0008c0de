# The project's rules about includes.
set -eu
. tests/capi/lib.sh

# The table of parts: what each part's headers include, and what only its sources include. CMake defines it; the documents repeat
# it.
table=$(sed -n 's/^ckpt_part(\([a-z]*\) *\(.*\)SOURCES.*/\1 \2/p' cpp/*/CMakeLists.txt)
printf '%s\n' "$table" | while read -r part rest; do
  shown=$(printf '%s' " $rest" | sed -n 's/.*SHOWS \([a-z ]*\).*/\1/p')
  used=$(printf '%s' " $rest" | sed -n 's/.*USES \([a-z ]*\).*/\1/p')
  included() { grep -hoE '^ *# *include +"[a-z_]+/' "$@" 2>/dev/null | sed 's/.*"//; s|/$||' | sort -u | grep -vx "$part" || true; }
  must_be_empty "headers of cpp/$part include only what it SHOWS: $shown" \
    "$(included $(find "cpp/$part" -name '*.h') | grep -vxF "$(printf '%s\n' $shown)" || true)"
  must_be_empty "cpp/$part SHOWS what its headers do not include; that is for USES" \
    "$(printf '%s\n' $shown | grep -vxF "$(included $(find "cpp/$part" -name '*.h'))" || true)"
  must_be_empty "cpp/$part may include only: $shown $used" \
    "$(included $(find "cpp/$part" -name '*.h' -o -name '*.cpp') | grep -vxF "$(printf '%s\n' $shown $used)" || true)"
  row=$(printf '%s\n' base memory tensor storage strategy plan engine pipeline state async adaptive | grep -xF "$(printf '%s\n' $shown $used .)" | paste -sd, | sed 's/,/, /g')
  for document in CONTRIBUTING.md docs/explanation/architecture.md; do
    must_be_empty "$document does not document that $part may include ${row:-nothing}" \
      "$(grep -qE "^\| \`?$part\`? \|(.*\|)? ${row:-nothing} \|$" "$document" || echo missing)"
  done
  [ "$failed" = 0 ]
done || failed=1

must_be_empty "cpp/ knows nothing of the C API" "$(grep -rnE '# *include +<ckpt/' cpp || true)"

# C++ headers have no .h: every .h is a system header, unless it is in this list of processor intrinsics and libraries.
must_be_empty "POSIX headers outside cpp/base/os and cpp/storage" \
  "$(grep -rnE '# *include +<[^>]*\.h>' cpp capi | grep -vE '^cpp/(base/os|storage)/' |
    grep -vE '<(ckpt/[a-z]+|xxhash|xxh_x86dispatch|sanitizer/[a-z_]+|dlpack/dlpack|immintrin|arm_neon|cblas)\.h>' || true)"

# state::Protocol hides the kind of storage. Three decisions outside it depend on the kind: a directory where a file is expected is damage,
# parts are read in parallel, and batches are larger.
must_be_empty "cpp/state asks is_objects() outside Protocol more than 3 times" \
  "$(grep -rn 'is_objects()' cpp/state | grep -v '^cpp/state/make_protocol\.cpp:' | sed 1,3d)"
must_be_empty "cpp/state includes its folders ranks and manager" \
  "$(grep -nE '# *include +"state/(ranks|manager)/' cpp/state/*.h cpp/state/*.cpp || true)"
must_be_empty "cpp/state/ranks includes cpp/state/manager" \
  "$(grep -rnE '# *include +"state/manager/' cpp/state/ranks || true)"

if [ -d cli ]; then
  must_be_empty "cli/ is written on ckpt.hpp alone" \
    "$(grep -rnE '# *include +["<](ckpt/|base/|memory/|tensor/|storage/|strategy/|plan/|engine/|pipeline/|state/|async/|adaptive/)' cli | grep -vE '<ckpt/ckpt\.hpp>' || true)"
fi
must_be_empty "libraries are loaded in cpp/base/os and plugins/load alone" \
  "$(grep -rnE '\bdlopen *\(' cpp capi cli plugins bindings --include='*.h' --include='*.hpp' --include='*.cpp' --include='*.i' |
    grep -vE '^(cpp/base/os|plugins/load)/' || true)"
must_be_empty "the environment is changed in cpp/base/os alone" \
  "$(grep -rnE '\b(setenv|unsetenv|putenv|clearenv) *\(' cpp capi cli plugins bindings --include='*.h' --include='*.hpp' --include='*.cpp' --include='*.i' |
    grep -vE '^cpp/base/os/' || true)"
must_be_empty "public headers include only public and standard headers" \
  "$(grep -rnE '# *include +"' include/ckpt || true)"

# Actions that a library must never take.
must_be_empty "the library never prints, exits, installs signal handlers or changes the locale" \
  "$(grep -rnE '\b(std::cout|std::cerr|(std::)?printf|(std::)?puts|(std::)?exit|(std::)?abort|(std::)?signal|sigaction|(std::)?setlocale|std::locale::global) *\(|std::c(out|err) *<<' \
    cpp capi --include='*.h' --include='*.cpp' | grep -vE '^[^:]*:[0-9]+: *//' || true)"
exit $failed
