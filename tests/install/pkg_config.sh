# The same two programs, with what pkg-config says.
set -eu
out=$WORK/pkg_config
rm -rf "$out"
mkdir -p "$out"
export PKG_CONFIG_PATH="$STAGE/$LIBDIR/pkgconfig"
version=$(pkg-config --modversion ckpt)
# The default of pkgconf keeps ${pcfiledir}/../..: the shell splits the flags, so the prefix has no spaces here.
# shellcheck disable=SC2046
"$CC" -std=c99 -Wall -Wextra -Werror consumer/main.c -o "$out/consumer_c" $(pkg-config --cflags --libs ckpt)
# shellcheck disable=SC2046
"$CXX" -std=c++17 -Wall -Wextra -Werror consumer/main.cpp -o "$out/consumer_cpp" $(pkg-config --cflags --libs ckpt)
export LD_LIBRARY_PATH="$STAGE/$LIBDIR"
"$out/consumer_c" "$version"
"$out/consumer_cpp" "$version"
