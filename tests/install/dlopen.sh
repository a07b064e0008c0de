# Programs that do not link the library: headers only, the library by dlopen.
set -eu
out=$WORK/dlopen
rm -rf "$out"
mkdir -p "$out"
"$CC" -std=c99 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror -I"$STAGE/include" consumer/loader.c -o "$out/loader" -ldl -lpthread
"$out/loader" "$STAGE/$LIBDIR/libckpt.so.$SOVERSION"
"$CC" -std=c99 -Wall -Wextra -Werror -I"$STAGE/include" "$SOURCE/examples/c/memory_by_dlopen.c" -o "$out/memory" -ldl
"$out/memory" | grep "no memory report"
LD_LIBRARY_PATH="$STAGE/$LIBDIR" "$out/memory" | grep "still live 0"
