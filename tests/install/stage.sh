# Installs, moves the prefix, and searches all installed files for paths of this machine.
set -eu
first=$WORK/first
rm -rf "$first" "$STAGE"
"$CMAKE" --install "$BUILD" --prefix "$first" >"$WORK/install.log"
mv "$first" "$STAGE"

for path in "$BUILD" "$SOURCE" "$first"; do
  if grep -rlF -- "$path" "$STAGE"; then
    echo "the files above contain $path" >&2
    exit 1
  fi
done
[ -z "$PYTHON" ] || [ -e "$STAGE/$PYTHON_DIR/ckpt/native.py" ] || { echo "the Python package is not installed" >&2; exit 1; }
for file in include/ckpt/ckpt.h include/ckpt/ckpt.hpp include/ckpt/api.h "$LIBDIR/libckpt.so.$SOVERSION" "$LIBDIR/pkgconfig/ckpt.pc"; do
  [ -e "$STAGE/$file" ] || { echo "$file is not installed" >&2; exit 1; }
done
