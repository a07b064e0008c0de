# example.sh PROGRAM URI: the C example of docs/reference/s3.md prints the documented output, and equals the documented source.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
printed=$("$1" "$2")
[ "$printed" = 7 ] || { echo "expected 7, printed: $printed" >&2; exit 1; }
awk '/^```/ && is_in { exit } is_in; $0 == "```c" { is_in = 1 }' "$here/../../docs/reference/s3.md" | while read -r line; do
  grep -q -F -- "$line" "$here/example.c" || { echo "example.c does not contain: $line" >&2; exit 1; }
done
