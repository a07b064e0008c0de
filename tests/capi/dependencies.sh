# The soname, the flag against unloading, and no dependencies except the C and C++ runtimes and xxHash: BLAS is loaded on first use.
set -eu
. tests/capi/lib.sh
dynamic=$(LC_ALL=C readelf -d "$LIBRARY")
soname=$(printf '%s\n' "$dynamic" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
[ "$soname" = "libckpt.so.$CKPT_SOVERSION" ] || must_be_empty "soname" "$soname"
must_be_empty "needs" "$(printf '%s\n' "$dynamic" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
  grep -Ev '^(libc|libm|libstdc\+\+|libgcc_s|libxxhash|ld-linux[a-z0-9_-]*)\.so\.[0-9]+$' || true)"
must_be_empty "has a search path" "$(printf '%s\n' "$dynamic" | grep -E 'RPATH|RUNPATH' || true)"
must_be_empty "has an executable stack or text relocations" "$(printf '%s\n' "$dynamic" | grep TEXTREL || true)"
printf '%s\n' "$dynamic" | grep -q 'FLAGS_1.*NODELETE' || must_be_empty "can be unloaded while its threads live" "no NODELETE in its flags"
exit $failed
