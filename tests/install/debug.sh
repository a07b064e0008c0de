# Installed files have no debug information; the component "debug" has it where debuggers search, from the same build.
set -eu
out=$WORK/debug
rm -rf "$out"
cp -a "$STAGE" "$out"
if [ ! -e "$BUILD/capi/libckpt.so.$SOVERSION.debug" ] && ! ls "$BUILD"/capi/libckpt.so.*.debug >/dev/null 2>&1; then
  echo "objcopy not found: this build keeps debug information in the binaries"
  exit 0
fi
"$CMAKE" --install "$BUILD" --prefix "$out" --component debug >"$out/install.log"
for file in "$LIBDIR/libckpt.so.$SOVERSION" bin/ckpt; do
  [ -e "$STAGE/$file" ] || continue
  real=$(readlink -f "$out/$file")
  debug=$(dirname "$real")/.debug/$(basename "$real").debug
  if LC_ALL=C readelf -SW "$STAGE/$file" | grep -q ' \.debug_info '; then echo "$file has debug information" >&2; exit 1; fi
  bytes=$(stat -L -c %s "$STAGE/$file")
  [ "$bytes" -lt 8000000 ] || { echo "$file has $bytes bytes" >&2; exit 1; }
  [ ! -e "$(dirname "$STAGE/$file")/.debug" ] || { echo "the debug information is installed by default" >&2; exit 1; }
  LC_ALL=C readelf -SW "$debug" | grep -q ' \.debug_info ' || { echo "$debug has no debug information" >&2; exit 1; }
  LC_ALL=C readelf -p .gnu_debuglink "$real" | grep -q "$(basename "$debug")" || { echo "$file does not refer to its debug information" >&2; exit 1; }
done
rm -rf "$out"
