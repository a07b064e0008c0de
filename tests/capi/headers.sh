# Every public header compiles by itself, included twice, and with strict warnings: .h as C99 and C++17, .hpp as C++17, and all as
# C++20.
set -eu
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wundef -Werror -fsyntax-only"
try() { # try COMPILER STANDARD LANGUAGE FLAGS HEADER
  # shellcheck disable=SC2086
  printf '#include <ckpt/%s>\n#include <ckpt/%s>\n%s\n' "$5" "$5" "extern int unused;" |
    "$1" "-std=$2" $4 $warnings -Iinclude -Itests/capi/stand_in -x "$3" - || { echo "ckpt/$5 does not compile as $2" >&2; exit 1; }
}
for path in include/ckpt/*.h; do
  header=$(basename "$path")
  [ "$header" != torch.h ] || continue # C++ over LibTorch: tests/torch compiles it
  try "$CC" c99 c "-pedantic-errors -Wstrict-prototypes -Wc++-compat" "$header"
  try "$CC" c11 c "-pedantic-errors" "$header"
  try "$CXX" c++17 c++ "-pedantic-errors -Wold-style-cast" "$header"
done
for path in include/ckpt/*.hpp include/ckpt/values/*.hpp include/ckpt/methods/*.hpp; do
  header=${path#include/ckpt/}
  try "$CXX" c++17 c++ "-pedantic-errors -Wold-style-cast -Wnon-virtual-dtor" "$header"
done
try "$CXX" c++20 c++ "-pedantic-errors -Wold-style-cast -Wnon-virtual-dtor" ckpt.hpp
# Methods of templates are only compiled where they are used, so this instantiates all of them.
# shellcheck disable=SC2086
{
  echo "#include <ckpt/ckpt.hpp>"
  sed -n 's/^class \(\w*\)Methods : .*/template class ckpt::\1Methods<ckpt::\1>;/p' include/ckpt/methods/*.hpp |
    sed 's/<ckpt::Driver>/<ckpt::Driver<int>>/' # is itself a template
} | "$CXX" -std=c++17 -pedantic-errors -Wold-style-cast $warnings -Iinclude -x c++ - || { echo "include/ckpt/methods does not compile" >&2; exit 1; }
