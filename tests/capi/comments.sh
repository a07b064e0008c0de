# Each public function has a comment that ends on the line directly above its declaration.
set -eu
. tests/capi/lib.sh
must_be_empty "declarations without a comment right above" "$(awk '
  FNR == 1 { previous = "" }
  /^CKPT_(S3_)?API / && previous !~ /\*\/[ \t]*$/ { print FILENAME ":" FNR ": " $0 }
  { previous = $0 }' include/ckpt/*.h)"
must_be_empty "inline function pointers in a declaration (use a typedef)" "$(awk '
  /^CKPT_(S3_)?API / { text = ""; inside = 1 }
  inside { text = text $0 }
  inside && /;/ { if (text ~ /\( *\*/) print FILENAME ":" FNR ": " text; inside = 0 }' include/ckpt/*.h)"
must_be_empty "enums in the ABI" "$(grep -nE '\benum\b' include/ckpt/*.h | grep -v '\*' || true)"
exit $failed
