# example.sh PROGRAM URI: the example in C of docs/reference/s3.md prints what the page says, and is what stands there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
printed=$("$1" "$2")
[ "$printed" = 7 ] || { echo "it prints: $printed" >&2; exit 1; }
awk '/^```/ && is_in { exit } is_in; $0 == "```c" { is_in = 1 }' "$here/../../docs/reference/s3.md" | while read -r line; do
  grep -q -F -- "$line" "$here/example.c" || { echo "example.c has not: $line" >&2; exit 1; }
done
