# site.sh SCRATCH: builds the manual, checks every link of it, and that the check reports broken ones. Run in the project's folder.
set -eu
scratch=$1
if ! command -v mkdocs >/dev/null 2>&1; then
  echo "SKIP: mkdocs is not installed" >&2
  exit 77
fi
fail() { echo "$*" >&2; exit 1; }

rm -rf "$scratch"
python3 docs/site/build.py "$scratch"
site=$scratch/site
python3 tests/docs/links.py "$site"

for page in get-started/python.html reference/state.html reference/c-api/index.html source/CHANGELOG.html; do
  [ -f "$site/$page" ] || fail "$page was not built"
done
grep -q '"reference/c-api/group__ckpt__tensor.html#[^"]*","API","ckpt_tensor_create"' "$site/site/search_index.js" ||
  fail "the search index lacks ckpt_tensor_create"
[ "$(wc -l <docs/site/search.js)" -le 200 ] || fail "docs/site/search.js: expected at most 200 lines"

# Each of these must be reported.
for line in '<a href="nowhere.html">x</a>' '<a href="index.html#nowhere">x</a>' '<a href="/index.html">x</a>' '<img src="nowhere.png">' \
  '<script src="https://example.com/x.js"></script>' '<link rel="stylesheet" href="//example.com/x.css">' \
  '<style>@import "https://example.com/x.css";</style>'; do
  echo "<html><body>$line</body></html>" >"$site/planted.html"
  ! python3 tests/docs/links.py "$site" >"$scratch/planted.txt" 2>&1 || fail "not reported: $line"
  grep -q '^planted.html: ' "$scratch/planted.txt" || fail "reported without its page: $line"
done
rm "$site/planted.html"
