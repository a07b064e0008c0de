# The Debian packages: their fields, their contents, and external programs against them, unpacked into an empty directory that is
# then moved.
set -eu
for tool in dpkg-deb dpkg-shlibdeps; do
  command -v $tool >/dev/null || { echo "SKIP: $tool not found"; exit 77; }
done
out=$WORK/deb
rm -rf "$out"
mkdir -p "$out"
(cd "$out" && "$CPACK" -G DEB --config "$BUILD/CPackConfig.cmake" -B "$out/packages" >"$out/cpack.log" 2>&1) || { cat "$out/cpack.log"; exit 1; }
# field PACKAGE NAME: prints a field of a package.
field() { dpkg-deb -f "$out"/packages/"$1"_*.deb "$2"; }
# holds PACKAGE FILE: checks that the package contains a file with this name.
holds() { dpkg-deb -c "$out"/packages/"$1"_*.deb | grep -q " \./$2\$" || { dpkg-deb -c "$out"/packages/"$1"_*.deb; echo "$1 does not contain $2"; exit 1; }; }
# has TEXT PATTERN: checks that a text matches.
has() { printf '%s\n' "$1" | grep -qE "$2" || { echo "'$1' does not match '$2'" >&2; exit 1; }; }

runtime=libckpt$SOVERSION
# Prints Debian's name of a library's package: with a hyphen after a digit.
package_of() { case $1 in *[0-9]) echo "$1-$SOVERSION" ;; *) echo "$1$SOVERSION" ;; esac; }
s3=$(package_of libckpt-s3)
mpi=$(package_of libckpt-mpi)
packages="$runtime libckpt-dev"
[ ! -e "$STAGE/bin/ckpt" ] || packages="$packages ckpt"
[ -z "$PYTHON" ] || packages="$packages python3-ckpt"
for plugin in s3 mpi; do
  [ ! -e "$STAGE/$LIBDIR/libckpt-$plugin.so.$SOVERSION" ] || packages="$packages $(package_of libckpt-$plugin) libckpt-$plugin-dev"
done
for package in $packages; do
  holds "$package" "usr/share/doc/$package/copyright"
  dpkg-deb --info "$out"/packages/"$package"_*.deb >"$out/$package.info"
done
libdir=usr/$LIBDIR
holds "$runtime" "$libdir/libckpt.so.$SOVERSION -> libckpt.so.[0-9.]*"
holds libckpt-dev "$libdir/libckpt.so -> libckpt.so.$SOVERSION"
holds libckpt-dev usr/include/ckpt/api.h
has "$(field "$runtime" Depends)" 'libc6 \(>= .*libstdc\+\+6 \(>= .*libxxhash0'
has "$(field libckpt-dev Depends)" "$runtime \(= [0-9.]+-1\)"
dpkg-deb -e "$out"/packages/"$runtime"_*.deb "$out/control"
has "$(cat "$out/control/shlibs")" "^libckpt $SOVERSION $runtime \(>= "
has "$(cat "$out/control/triggers")" 'ldconfig'
if [ -e "$STAGE/$LIBDIR/libckpt-s3.so.$SOVERSION" ]; then
  holds "$s3" "$libdir/libckpt-s3.so.$SOVERSION -> libckpt-s3.so.[0-9.]*"
  holds libckpt-s3-dev usr/include/ckpt/s3.h
  has "$(field "$s3" Depends)" 'libcurl.*libexpat1|libexpat1.*libcurl'
  has "$(field "$s3" Depends)" "$runtime"
  if dpkg-deb -c "$out"/packages/libckpt-dev_*.deb | grep ckpt/s3.h; then
    echo "libckpt-dev contains the header of libckpt-s3" >&2
    exit 1
  fi
fi
if [ -e "$STAGE/$LIBDIR/libckpt-mpi.so.$SOVERSION" ]; then
  holds "$mpi" "$libdir/libckpt-mpi.so.$SOVERSION -> libckpt-mpi.so.[0-9.]*"
  holds libckpt-mpi-dev usr/include/ckpt/mpi.h
  has "$(field "$mpi" Depends)" "$runtime.*libopenmpi|libopenmpi.*$runtime"
fi
if [ -n "$PYTHON" ]; then
  holds python3-ckpt "usr/$PYTHON_DIR/ckpt/__init__.py"
  has "$(field python3-ckpt Depends)" "$runtime .*python3 \(>= 3\.[0-9]+\), python3 \(<< 3\.[0-9]+~\)"
  if dpkg-deb -c "$out"/packages/python3-ckpt_*.deb | grep libckpt.so; then
    echo "python3-ckpt contains a copy of the library" >&2
    exit 1
  fi
fi

for package in $packages; do dpkg-deb -x "$out"/packages/"$package"_*.deb "$out/first"; done
mv "$out/first" "$out/root"
for path in "$BUILD" "$SOURCE" "$out/packages"; do
  if grep -rlF -- "$path" "$out/root"; then
    echo "the files above contain $path" >&2
    exit 1
  fi
done
if find "$out/root" -type f -exec sh -c 'LC_ALL=C readelf -d "$1" 2>/dev/null | grep -q "R.*PATH" && echo "$1"' sh {} \; | grep .; then
  echo "the files above have a search path" >&2
  exit 1
fi

export PKG_CONFIG_PATH="$out/root/$libdir/pkgconfig" LD_LIBRARY_PATH="$out/root/$libdir"
version=$(pkg-config --modversion ckpt)
# shellcheck disable=SC2046
"$CC" -std=c99 -Wall -Wextra -Werror consumer/main.c -o "$out/consumer_c" $(pkg-config --cflags --libs ckpt)
"$out/consumer_c" "$version"
"$CMAKE" -S consumer -B "$out/consumer" -DCMAKE_PREFIX_PATH="$out/root/usr" -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" \
  -DEXPECTED_PREFIX="$out/root/usr" >/dev/null
"$CMAKE" --build "$out/consumer" --target consumer_cpp >/dev/null
"$out/consumer/consumer_cpp" "$version"
[ ! -e "$out/root/usr/bin/ckpt" ] || "$out/root/usr/bin/ckpt" --version
[ -z "$PYTHON" ] || PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$out/root/usr/$PYTHON_DIR" "$PYTHON" consumer/main.py "$version" "$out/root"

if command -v lintian >/dev/null; then
  lintian --fail-on error --no-tag-display-limit "$out"/packages/*.deb || { echo "lintian found errors" >&2; exit 1; }
else
  echo "SKIP lintian: not installed"
fi
rm -rf "$out/packages/_CPack_Packages" "$out/root"
