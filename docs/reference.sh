# reference.sh SCRATCH: doxygen has nothing to warn of, and every function and every class is in the page of its part; then that a
# warning is an error, and that a function that is in no header is missed.
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

# missing NAME...: those that no page of a part has.
missing() { for name in "$@"; do grep -q "[>;]$name<" "$pages"/group__ckpt__*.html || printf '%s\n' "$name"; done; }
functions=$(sed -n 's/^  .*(\*\(ckpt_[a-z0-9_]*\))(.*/\1/p' include/ckpt/api.h)
classes=$(sed -n 's/^class \([A-Za-z]*\) .*{$/ckpt::\1/p' include/ckpt/*.hpp include/ckpt/methods/*.hpp |
  grep -vE '::(Handle|Object)$|Methods$') # of ckpt::detail, and the generated bases
[ "$(echo "$functions" | wc -l)" -gt 300 ] && [ "$(echo "$classes" | wc -l)" -gt 20 ] || { echo "found too little to look for" >&2; exit 1; }
# shellcheck disable=SC2086
gone=$(missing $functions $classes)
[ -z "$gone" ] || { printf 'not in the reference:\n%s\n' "$gone" >&2; exit 1; }
for part in adaptive async base engine memory pipeline plan state storage strategy tensor tree; do
  grep -q "<title>libckpt: $part</title>" "$pages/group__ckpt__$part.html" || { echo "no page of $part" >&2; exit 1; }
done
grep -q 'durable, verified saves' "$pages/index.html" || { echo "the main page is not README.md" >&2; exit 1; }

[ "$(missing ckpt_no_such_function)" = ckpt_no_such_function ] || { echo "whatever one looks for is found" >&2; exit 1; }
printf '# A page\n\nSee [what is not there](nowhere.md).\n' >"$CKPT_DOCS/wrong.md"
{ cat docs/Doxyfile && echo "INPUT += $CKPT_DOCS/wrong.md"; } >"$CKPT_DOCS/Doxyfile"
accepted=yes
"$DOXYGEN" "$CKPT_DOCS/Doxyfile" >"$CKPT_DOCS/wrong.txt" 2>&1 || accepted=no
grep -q nowhere.md "$CKPT_DOCS/wrong.txt" || { echo "a link to no page is not warned of" >&2; exit 1; }
if [ "$accepted" = yes ] && [ "$CKPT_WARN_AS_ERROR" != NO ]; then
  echo "a warning is no error" >&2
  exit 1
fi
echo "$(echo "$functions" | wc -l) functions, $(echo "$classes" | wc -l) classes"
