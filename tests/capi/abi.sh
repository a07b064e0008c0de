# The ABI that the public headers describe against the one of tests/capi/abi: functions, structs and constants may be added, and fields
# at the end of structs that begin with struct_size; whatever is removed or changed fails. Then the same with changed headers, to see
# that it is found.
#
# abidiff (Debian: abigail-tools) sees a library of empty functions that is made from the headers in C, so handles stay opaque and the
# baseline small; capi_exports says that the real one exports the same functions. RENEW=1 writes the baseline anew: after a release, or
# when what was added is settled.
set -eu
. tests/capi/lib.sh
baseline=tests/capi/abi
if ! command -v abidiff >/dev/null || ! command -v abidw >/dev/null; then
  echo "SKIP: no abidiff (Debian: abigail-tools)"
  exit 77
fi
case $(uname -m) in
  x86_64) ;;
  *) echo "SKIP: the baseline is of x86_64"; exit 77 ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# make_library HEADERS OUT: a library with an empty function for each in HEADERS/ckpt/api.h, compiled as if it had no path.
make_library() {
  {
    echo '#include <ckpt/ckpt.h>'
    sed -n 's/^  \(.*\)(\*\(ckpt_[a-z0-9_]*\))(\(.*\));$/\1\2(\3) { __builtin_trap(); }/p' "$1/ckpt/api.h"
  } >"$work/stubs.c"
  "$CC" -std=c99 -g -O0 -fPIC -shared -fdebug-prefix-map="$work"=. -fdebug-prefix-map="$PWD"=. -Wl,-soname,libckpt.so.0 -I"$1" \
    "$work/stubs.c" -o "$2"
}
# constants HEADERS: every macro with a value, one a line.
constants() {
  echo '#include <ckpt/ckpt.h>' | "$CC" -std=c99 -E -dM -I"$1" -x c - |
    sed -n 's/^#define \(CKPT_[A-Z0-9_]*\) \(.*\)/\1 \2/p' | grep -vE '^CKPT_([A-Z0-9_]*_INIT|API) ' | LC_ALL=C sort
}
# differences HEADERS: prints what is not as in the baseline; fails when there is something.
differences() {
  make_library "$1" "$work/libckpt.so" || return 1
  abidiff --no-added-syms --suppressions $baseline/allowed.ini $baseline/libckpt.abi "$work/libckpt.so" >"$work/report" 2>&1 || {
    cat "$work/report"
    return 1
  }
  # What is allowed hides what else was changed in the same struct.
  abidiff --no-added-syms $baseline/libckpt.abi "$work/libckpt.so" >"$work/report" 2>&1 || true
  if grep -qE '[1-9][0-9]* data members? (change|deletion)' "$work/report"; then
    cat "$work/report"
    return 1
  fi
  constants "$1" >"$work/constants"
  gone=$(LC_ALL=C comm -23 $baseline/constants.txt "$work/constants")
  [ -z "$gone" ] || { printf 'constants that are gone or have another value:\n%s\n' "$gone"; return 1; }
}

frozen=$(sed -n 's/.*ckpt_(\(.*\))\$$/\1/p' $baseline/allowed.ini)
must_be_empty "structs without struct_size that allowed.ini lets grow" "$(awk '
  /^typedef struct ckpt_[a-z_]+ \{/ { name = $3; sub(/^ckpt_/, "", name); getline; if ($0 !~ /uint32_t struct_size;/) print name }' \
  include/ckpt/*.h | grep -vxE "$frozen" || true)"

mkdir "$work/headers"
cp -r include/ckpt "$work/headers/"
cp "$GENERATED/ckpt/api.h" "$work/headers/ckpt/"
if [ -n "${RENEW:-}" ]; then
  make_library "$work/headers" "$work/libckpt.so"
  abidw --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed --no-parameter-names --no-write-default-sizes \
    --type-id-style hash --out-file $baseline/libckpt.abi "$work/libckpt.so"
  sed -i "s/ path='[^']*'//" $baseline/libckpt.abi
  constants "$work/headers" >$baseline/constants.txt
fi
differences "$work/headers" || exit 1

# changed WHAT found|allowed SED...: the same headers with one change.
changed() {
  what=$1
  expected=$2
  shift 2
  rm -rf "$work/changed"
  cp -r "$work/headers" "$work/changed"
  sed -i "$@" "$work/changed/ckpt/"*.h
  if diff -r "$work/headers" "$work/changed" >/dev/null; then must_be_empty "$what" "nothing was changed"; fi
  echo '#include <ckpt/api.h>' | "$CC" -std=c99 -fsyntax-only -I"$work/changed" -x c - || must_be_empty "$what" "does not compile"
  if differences "$work/changed" >"$work/output"; then seen=allowed; else seen=found; fi
  [ "$seen" = "$expected" ] || must_be_empty "$what is $seen" "$(cat "$work/output") "
}
changed "a removed function" found '/(\*ckpt_queue_size)/d'
changed "a function with another parameter" found 's/ckpt_queue_size)\{0,1\}(const ckpt_queue\* queue, int64_t/@&/; s/@\(.*\)int64_t/\1int32_t/'
changed "a function with another result" found 's/int32_t \((\*\)\{0,1\}ckpt_available_threads/@&/; s/@int32_t/int64_t/'
changed "a field of another type" found 's/^  int64_t retain_limit_bytes;/  int32_t retain_limit_bytes;/'
changed "a field in the middle" found 's/^  int64_t peak_bytes; .*highest current_bytes.*/  int64_t between; &/'
changed "a field at the end of the frozen action" found 's/^  int64_t reserved\[2\];.*/&  int64_t more;/'
changed "a callback with another parameter" found 's/^typedef int32_t (\*ckpt_memory_event_fn)(.*/typedef int32_t (*ckpt_memory_event_fn)(int64_t event, void* user_data);/'
changed "a constant with another value" found 's/^#define CKPT_E_BUSY (-7)/#define CKPT_E_BUSY (-77)/'
changed "a removed constant" found '/^#define CKPT_TIERS 4/s/.*/enum { CKPT_TIERS = 4 };/'
changed "a new function" allowed 's/^} ckpt_api;/  ckpt_status (*ckpt_new)(int64_t);\n&/'
changed "a new field at the end" allowed 's/^  double last_stall_seconds;.*/&  int64_t more;/'
changed "a new constant" allowed 's/^#define CKPT_OK 0/&\n#define CKPT_NEW 1/'
changed "a new field at the end and another one changed" found 's/^  double last_stall_seconds;.*/&  int64_t more;/; s/^  int64_t written_bytes;/  double written_bytes;/'
exit $failed
