# The library exports exactly the functions declared in the headers, all under the symbol version CKPT_SOVERSION.
set -eu
. tests/capi/lib.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
declared_functions >"$work/declared"
nm -D --defined-only --with-symbol-versions "$LIBRARY" | awk '$2 != "A" {print $3}' >"$work/versioned"
sed 's/@.*//' "$work/versioned" | LC_ALL=C sort >"$work/exported"

[ "$(wc -l <"$work/declared")" -gt 20 ] || { echo "found no declarations" >&2; exit 1; }
must_be_empty "declared but not exported" "$(LC_ALL=C comm -23 "$work/declared" "$work/exported")"
must_be_empty "exported but not declared" "$(LC_ALL=C comm -13 "$work/declared" "$work/exported")"
must_be_empty "not under CKPT_$CKPT_SOVERSION" "$(grep -vF "@@CKPT_$CKPT_SOVERSION" "$work/versioned" || true)"
exit $failed
