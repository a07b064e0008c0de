# The table contains every function that the headers declare, once each.
set -eu
. tests/capi/lib.sh
members=$(sed -n 's/^  .*(\*\(ckpt_[a-z0-9_]*\))(.*/\1/p' include/ckpt/api.h | LC_ALL=C sort)
[ "$members" = "$(declared_functions)" ] || must_be_empty "<ckpt/api.h>" "is not what the headers declare: python3 tools/api make"
exit $failed
