# The house's rules about who includes whom.
set -eu
. tests/capi/lib.sh

# Each part and the parts below it that it may include.
while read -r part allowed; do
  [ -d "cpp/$part" ] || continue
  pattern=$(printf '%s' "$part $allowed" | tr ' ' '|')
  must_be_empty "cpp/$part may include only: $part $allowed" \
    "$(grep -rnE '^ *# *include +"' "cpp/$part" | grep -vE "include +\"($pattern)/" || true)"
done <<'PARTS'
base
memory base
tensor base memory
storage base
strategy base memory tensor
plan base strategy
engine base memory tensor storage plan
pipeline base memory tensor strategy plan engine
state base memory tensor storage
async base memory tensor storage state
adaptive base state async
PARTS

must_be_empty "cpp/ knows nothing of the C API" "$(grep -rnE '# *include +<ckpt/' cpp || true)"

# C++ headers have no .h: what has one is the system's, unless it is in this list of processor intrinsics and libraries.
must_be_empty "POSIX headers outside cpp/base/os and cpp/storage" \
  "$(grep -rnE '# *include +<[^>]*\.h>' cpp capi | grep -vE '^cpp/(base/os|storage)/' |
    grep -vE '<(ckpt/[a-z]+|xxhash|xxh_x86dispatch|sanitizer/[a-z_]+|dlpack/dlpack|immintrin|arm_neon|cblas)\.h>' || true)"

if [ -d cli ]; then
  must_be_empty "cli/ is written on ckpt.hpp alone" \
    "$(grep -rnE '# *include +["<](ckpt/|base/|memory/|tensor/|storage/|strategy/|plan/|engine/|pipeline/|state/|async/|adaptive/)' cli | grep -vE '<ckpt/ckpt\.hpp>' || true)"
fi
must_be_empty "public headers include only public and standard headers" \
  "$(grep -nE '# *include +"' include/ckpt/* || true)"

# Things that the library never does.
must_be_empty "the library never prints, exits, installs signal handlers or changes the locale" \
  "$(grep -rnE '\b(std::cout|std::cerr|(std::)?printf|(std::)?puts|(std::)?exit|(std::)?abort|(std::)?signal|sigaction|(std::)?setlocale|std::locale::global) *\(|std::c(out|err) *<<' \
    cpp capi --include='*.h' --include='*.cpp' | grep -vE '^[^:]*:[0-9]+: *//' || true)"
exit $failed
