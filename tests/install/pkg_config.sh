# The same two programs, and an example, with the flags from pkg-config; then with the static library, if it was built.
set -eu
out=$WORK/pkg_config
rm -rf "$out"
mkdir -p "$out"
export PKG_CONFIG_PATH="$STAGE/$LIBDIR/pkgconfig"
version=$(pkg-config --modversion ckpt)
# The default of pkgconf keeps ${pcfiledir}/../..: the shell splits the flags, so the prefix has no spaces here.
# shellcheck disable=SC2046
build() {
  "$CC" -std=c99 -Wall -Wextra -Werror consumer/main.c -o "$out/consumer_c" "$@"
  "$CXX" -std=c++17 -Wall -Wextra -Werror consumer/main.cpp -o "$out/consumer_cpp" "$@"
  "$CC" -std=c99 -Wall -Wextra -Werror "$SOURCE/examples/c/train_async.c" -o "$out/train_async" "$@"
}
run() {
  "$out/consumer_c" "$version"
  "$out/consumer_cpp" "$version"
  sh "$SOURCE/examples/c/train_async.sh" "$out/train_async" "$out/checkpoints" | grep "the same bits"
}
# shellcheck disable=SC2046
build $(pkg-config --cflags --libs ckpt)
LD_LIBRARY_PATH="$STAGE/$LIBDIR" run

if [ -e "$STAGE/$LIBDIR/libckpt-mpi.so.$SOVERSION" ]; then
  # shellcheck disable=SC2046
  OMPI_CC=$CC mpicc -std=c99 -I"$SOURCE/tests" "$SOURCE/tests/mpi/mpi_test.c" -o "$out/mpi_test" $(pkg-config --cflags --libs ckpt-mpi) -pthread
  LD_LIBRARY_PATH="$STAGE/$LIBDIR" "$out/mpi_test" single # a process not started by mpirun
fi

if [ ! -e "$STAGE/$LIBDIR/libckpt.a" ]; then
  echo "SKIP static: this build has no libckpt.a"
  exit 0
fi
# Only the C API is visible in the archive.
hidden=$(nm -g --defined-only "$STAGE/$LIBDIR/libckpt.a" | awk 'NF == 3 && $3 !~ /^ckpt_/')
[ -z "$hidden" ] || { echo "visible in libckpt.a: $hidden" >&2; exit 1; }
# As in an installation without the shared library.
mkdir -p "$out/only/$LIBDIR/pkgconfig"
cp "$STAGE/$LIBDIR/libckpt.a" "$out/only/$LIBDIR/"
cp "$STAGE/$LIBDIR/pkgconfig/ckpt.pc" "$out/only/$LIBDIR/pkgconfig/"
cp -r "$STAGE/include" "$out/only/"
export PKG_CONFIG_PATH="$out/only/$LIBDIR/pkgconfig"
# shellcheck disable=SC2046
build $(pkg-config --static --cflags --libs ckpt)
if ldd "$out/consumer_c" | grep -F libckpt.so; then exit 1; fi
run
# Fully static, including the C library, if its archives are installed.
if echo 'int main(void) { return 0; }' | "$CC" -static -x c - -x none -lxxhash -lstdc++ -o "$out/static" 2>/dev/null; then
  # shellcheck disable=SC2046
  build -static $(pkg-config --static --cflags --libs ckpt) 2>"$out/warnings" || { cat "$out/warnings" >&2; exit 1; }
  run
else
  echo "SKIP -static: static system libraries not found"
fi
