# example.sh PROGRAM URI: the example in C of docs/s3.md prints what the page says.
set -eu
printed=$("$1" "$2")
[ "$printed" = 7 ] || { echo "it prints: $printed" >&2; exit 1; }
