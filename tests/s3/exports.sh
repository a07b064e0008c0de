# libckpt-s3 exports exactly what its header declares, under the symbol version CKPT_S3_0; its soname, and the libraries it needs.
set -eu
. tests/capi/lib.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed -n 's/^CKPT_S3_API .*[ *]\(ckpt_s3_[a-z0-9_]*\)(.*/\1/p' include/ckpt/s3.h | LC_ALL=C sort >"$work/declared"
nm -D --defined-only --with-symbol-versions "$LIBRARY" | awk '$2 != "A" {print $3}' >"$work/versioned"
sed 's/@.*//' "$work/versioned" | LC_ALL=C sort >"$work/exported"
[ "$(wc -l <"$work/declared")" -eq 5 ] || { echo "found other than 5 declarations" >&2; exit 1; }
must_be_empty "declared but not exported" "$(LC_ALL=C comm -23 "$work/declared" "$work/exported")"
must_be_empty "exported but not declared" "$(LC_ALL=C comm -13 "$work/declared" "$work/exported")"
must_be_empty "not under CKPT_S3_0" "$(grep -v '@@CKPT_S3_0$' "$work/versioned" || true)"

dynamic=$(LC_ALL=C readelf -d "$LIBRARY")
soname=$(printf '%s\n' "$dynamic" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
[ "$soname" = libckpt-s3.so.0 ] || must_be_empty "soname" "$soname"
must_be_empty "needs" "$(printf '%s\n' "$dynamic" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
  grep -Ev '^(libckpt|libcurl|libexpat|libcrypto|libc|libm|libstdc\+\+|libgcc_s|ld-linux[a-z0-9_-]*)\.so\.[0-9]+$' || true)"
printf '%s\n' "$dynamic" | grep -q 'FLAGS_1.*NODELETE' || must_be_empty "can be unloaded while its threads live" "no NODELETE in its flags"
exit $failed
