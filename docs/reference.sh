# reference.sh SCRATCH: checks that doxygen reads the headers without a warning and that each function and class is on the page of its
# part; then that the check itself reports a missing function, and that a warning is an error. The environment sets DOXYGEN, CKPT_VERSION
# and CKPT_WARN_AS_ERROR.
set -eu
if [ -z "$DOXYGEN" ]; then
  echo "SKIP: no doxygen"
  exit 77
fi
export CKPT_DOCS=$1
rm -rf "$CKPT_DOCS"
mkdir -p "$CKPT_DOCS"
"$DOXYGEN" docs/Doxyfile
pages=$CKPT_DOCS/html

# missing NAME...: prints the names that are on no page of a part.
missing() { for name in "$@"; do grep -qE "[>;]$name(<|&lt;)" "$pages"/group__ckpt__*.html || printf '%s\n' "$name"; done; }
functions=$(sed -n 's/^  .*(\*\(ckpt_[a-z0-9_]*\))(.*/\1/p' include/ckpt/api.h)
classes=$(sed -n 's/^class \([A-Za-z]*\) .*{$/ckpt::\1/p' include/ckpt/*.hpp include/ckpt/methods/*.hpp |
  grep -vE '::(Handle|Object)$|Methods$') # of ckpt::detail, and the generated bases
[ "$(echo "$functions" | wc -l)" -gt 300 ] && [ "$(echo "$classes" | wc -l)" -gt 20 ] || { echo "too few functions or classes in the headers" >&2; exit 1; }
# shellcheck disable=SC2086
gone=$(missing $functions $classes)
[ -z "$gone" ] || { printf 'not in the reference:\n%s\n' "$gone" >&2; exit 1; }
for part in adaptive async base engine memory pipeline plan state storage strategy tensor tree; do
  grep -q "<title>libckpt: $part</title>" "$pages/group__ckpt__$part.html" || { echo "no page of $part" >&2; exit 1; }
done
grep -q 'C and C++ API' "$pages/index.html" || { echo "the main page is not docs/site/api_main_page.md" >&2; exit 1; }

[ "$(missing ckpt_no_such_function)" = ckpt_no_such_function ] || { echo "a function that does not exist is found" >&2; exit 1; }
printf '# A page\n\nSee [a missing page](nowhere.md).\n' >"$CKPT_DOCS/wrong.md"
{ cat docs/Doxyfile && echo "INPUT = $CKPT_DOCS/wrong.md"; } >"$CKPT_DOCS/Doxyfile"
accepted=yes
"$DOXYGEN" "$CKPT_DOCS/Doxyfile" >"$CKPT_DOCS/wrong.txt" 2>&1 || accepted=no
grep -q nowhere.md "$CKPT_DOCS/wrong.txt" || { echo "no warning about a link to a missing page" >&2; exit 1; }
if [ "$accepted" = yes ] && [ "$CKPT_WARN_AS_ERROR" != NO ]; then
  echo "a warning is not an error" >&2
  exit 1
fi
echo "$(echo "$functions" | wc -l) functions, $(echo "$classes" | wc -l) classes"
