# Each public function is used by the C++ headers.
set -eu
. tests/capi/lib.sh
words=$(cat include/ckpt/*.hpp include/ckpt/methods/*.hpp | grep -oE 'ckpt_[a-z0-9_]+' | LC_ALL=C sort -u)
unused=""
for function in $(declared_functions); do
  case $function in
    ckpt_struct_init) continue ;; # C++ uses the _INIT macros
    ckpt_get_api) continue ;; # a table of C functions, for programs that load the library themselves
  esac
  printf '%s\n' "$words" | grep -qx "$function" || unused="$unused$function
"
done
must_be_empty "functions that no C++ header uses" "$unused"
exit $failed
