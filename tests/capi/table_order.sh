# The table has the functions of capi/api.list in that order, each once; and they are all that the headers declare.
set -eu
. tests/capi/lib.sh
listed=$(grep '^ckpt_' capi/api.list)
members=$(sed -n 's/^  .*(\*\(ckpt_[a-z0-9_]*\))(.*/\1/p' "$GENERATED/ckpt/api.h")
[ "$listed" = "$members" ] || { echo "capi/api.list and <ckpt/api.h> differ" >&2; exit 1; }
must_be_empty "listed twice" "$(printf '%s\n' "$listed" | LC_ALL=C sort | uniq -d)"
[ "$(printf '%s\n' "$listed" | LC_ALL=C sort)" = "$(declared_functions)" ] || must_be_empty "capi/api.list" "is not what the headers declare"
exit $failed
