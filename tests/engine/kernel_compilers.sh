#!/bin/sh
# Kernels built by GCC and by Clang have the same bits on every level of instructions; and they compile for AArch64, which has one.
# usage: kernel_compilers.sh SOURCE_FOLDER
set -eu
source=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/ckpt-kernels.XXXXXX")
trap 'rm -rf "$work"' EXIT
kernels="$source/cpp/engine/kernel_levels.cpp $source/cpp/engine/kernels.cpp $source/cpp/engine/norm_kernels.cpp $source/cpp/engine/attend_kernels.cpp"
flags="-std=c++20 -O3 -ffp-contract=off -fno-math-errno -I$source/cpp -I$source/include -I$source/tests/engine"
tried=0

for compiler in g++ clang++; do
  if ! command -v "$compiler" >/dev/null 2>&1; then
    printf 'SKIP %s: it is not installed\n' "$compiler"
    continue
  fi
  # shellcheck disable=SC2086
  "$compiler" $flags -o "$work/$compiler" "$source/tests/engine/kernel_digest.cpp" $kernels "$source/cpp/base/error.cpp" \
    "$source/cpp/base/text.cpp"
  "$work/$compiler" >"$work/$compiler.txt"
  tried=$((tried + 1))
done
status=77
if [ "$tried" = 2 ]; then
  status=0
  diff "$work/g++.txt" "$work/clang++.txt" || {
    echo "FAILED: GCC's and Clang's kernels differ"
    exit 1
  }
fi
lines=$(cut -d ' ' -f 3 "$work"/*.txt | sort -u | wc -l)
[ "$lines" = 1 ] || {
  cat "$work"/*.txt
  echo "FAILED: levels differ"
  exit 1
}

if command -v aarch64-linux-gnu-g++ >/dev/null 2>&1; then
  for kernel in $kernels; do
    # shellcheck disable=SC2086
    aarch64-linux-gnu-g++ $flags -fsyntax-only "$kernel"
  done
  status=0
else
  echo "SKIP AArch64: aarch64-linux-gnu-g++ is not installed"
fi
exit "$status"
