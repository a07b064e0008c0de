# The sources are formatted according to .clang-format. 77: skipped, since other versions format differently.
set -eu
clang-format --version 2>/dev/null | grep -q 'version 14\.' || { echo "clang-format 14 is required"; exit 77; }
find include capi cpp plugins cli bindings examples tests bench -path tests/capi/traps -prune -o \( -name '*.h' -o -name '*.hpp' -o -name '*.c' -o -name '*.cpp' \) -print \
  2>/dev/null | LC_ALL=C sort | xargs clang-format --dry-run --Werror
