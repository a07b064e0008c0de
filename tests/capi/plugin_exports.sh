# plugin_exports.sh NAME DECLARATIONS LIBRARIES [stays]: libckpt-NAME exports exactly the functions declared in its header,
# DECLARATIONS in number, under the symbol version CKPT_NAME_SOVERSION; its soname; its dependencies beyond libckpt and the C and
# C++ libraries (a|b).
set -eu
. tests/capi/lib.sh
name=$1
upper=$(printf %s "$name" | tr a-z A-Z)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed -n "s/^CKPT_${upper}_API .*[ *]\(ckpt_${name}_[a-z0-9_]*\)(.*/\1/p" "include/ckpt/$name.h" | LC_ALL=C sort >"$work/declared"
nm -D --defined-only --with-symbol-versions "$LIBRARY" | awk '$2 != "A" {print $3}' >"$work/versioned"
sed 's/@.*//' "$work/versioned" | LC_ALL=C sort >"$work/exported"
[ "$(wc -l <"$work/declared")" -eq "$2" ] || { echo "expected $2 declarations" >&2; exit 1; }
must_be_empty "declared but not exported" "$(LC_ALL=C comm -23 "$work/declared" "$work/exported")"
must_be_empty "exported but not declared" "$(LC_ALL=C comm -13 "$work/declared" "$work/exported")"
must_be_empty "not under CKPT_${upper}_$CKPT_SOVERSION" "$(grep -vF "@@CKPT_${upper}_$CKPT_SOVERSION" "$work/versioned" || true)"

dynamic=$(LC_ALL=C readelf -d "$LIBRARY")
soname=$(printf '%s\n' "$dynamic" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
[ "$soname" = "libckpt-$name.so.$CKPT_SOVERSION" ] || must_be_empty "soname" "$soname"
must_be_empty "needs" "$(printf '%s\n' "$dynamic" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
  grep -vxF "libckpt.so.$CKPT_SOVERSION" | grep -Ev "^($3|libc|libm|libstdc\+\+|libgcc_s|ld-linux[a-z0-9_-]*)\.so\.[0-9]+\$" || true)"
if [ "${4:-}" = stays ]; then # its threads may be running when a host calls dlclose
  printf '%s\n' "$dynamic" | grep -q 'FLAGS_1.*NODELETE' || must_be_empty "can be unloaded while its threads live" "no NODELETE in its flags"
fi
exit $failed
