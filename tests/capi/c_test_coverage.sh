# Each public function is called by a C99 test in addition to the sweep.
set -eu
. tests/capi/lib.sh
words=$(find tests -name '*.c' ! -path 'tests/capi/*' ! -path 'tests/install/*' -exec cat {} + |
  sed 's/CKPT_INIT(/ckpt_struct_init(/g' | grep -oE 'ckpt_[a-z0-9_]+' | LC_ALL=C sort -u)
uncalled=""
for function in $(declared_functions); do
  [ "$function" = ckpt_get_api ] || printf '%s\n' "$words" | grep -qx "$function" || uncalled="$uncalled$function
"
done
must_be_empty "functions that no C99 test calls" "$uncalled"
exit $failed
