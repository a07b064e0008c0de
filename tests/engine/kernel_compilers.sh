#!/bin/sh
# Kernels compiled by the project's compiler and by the other one of GCC and Clang give the same bits at every instruction level;
# they also compile for AArch64, which has one level.
# kernel_compilers.sh SOURCE_FOLDER COMPILER; 77: skipped.
set -eu
source=$1
own=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags="-std=c++20 -O3 -ffp-contract=off -fno-math-errno"

# first_of NAME...: prints the first installed program.
first_of() {
  for name in "$@"; do
    if command -v "$name"; then return 0; fi
  done
  return 1
}

# digests NAME COMPILER: writes the digests of all kernels for each level, and of each kernel.
digests() {
  # shellcheck disable=SC2086
  "$2" $flags -I"$source/cpp" -I"$source/tests/engine" -o "$work/$1" "$source/tests/engine/kernel_digest.cpp" \
    "$source/cpp/engine/kernel_levels.cpp" "$source/cpp/engine/kernels.cpp" "$source/cpp/engine/norm_kernels.cpp" \
    "$source/cpp/engine/attend_kernels.cpp" "$source/cpp/base/error.cpp" "$source/cpp/base/text.cpp"
  "$work/$1" >"$work/$1.all"
  "$work/$1" each >"$work/$1.each"
  sed "s|^|$2: |" "$work/$1.all"
}

# For another processor: compiled, not run.
compile_for_aarch64() {
  for kernels in kernels norm_kernels attend_kernels; do
    # shellcheck disable=SC2086
    "$@" $flags -Wall -Wextra -Werror -I"$source/cpp" -c -o "$work/aarch64.o" "$source/cpp/engine/$kernels.cpp"
  done
  echo "AArch64: compiled by $*"
}
if cross=$(first_of aarch64-linux-gnu-g++); then
  compile_for_aarch64 "$cross"
elif cross=$(first_of clang++ clang++-14 clang++-18) &&
  echo '#include <cmath>' | "$cross" --target=aarch64-linux-gnu -x c++ -fsyntax-only - 2>/dev/null; then
  compile_for_aarch64 "$cross" --target=aarch64-linux-gnu
else
  echo "AArch64 is left out: neither aarch64-linux-gnu-g++ nor clang++ with its headers found"
fi

# Every kernel defined in the sources is among the digested ones, and every level gives the same result as the first one.
digests own "$own"
for kernel in $(sed -n 's/^CKPT_KERNEL([^,]*, \([a-z_]*\),.*/\1/p' "$source"/cpp/engine/*kernels.cpp | sort -u); do
  grep -q "^$kernel baseline " "$work/own.each" || { echo "$kernel is not called by kernel_calls.h"; exit 1; }
done
[ "$(cut -d ' ' -f 2 "$work/own.all" | sort -u | wc -l)" = 1 ] || {
  awk '$2 == "baseline" { first[$1] = $3 } $3 != first[$1]' "$work/own.each"
  echo "the digests above differ from the baseline"
  exit 1
}

case $("$own" --version) in
*clang*) other=$(first_of g++) || { echo "SKIP: g++ is not installed"; exit 77; } ;;
*) other=$(first_of clang++ clang++-14 clang++-18) || { echo "SKIP: clang++ is not installed"; exit 77; } ;;
esac
digests other "$other"
diff "$work/own.each" "$work/other.each" || { echo "$own and $other give different bits"; exit 1; }
