# first_example.sh COMMAND_FOLDER PYTHON_FOLDER URI: runs the first example of docs/reference/s3.md as documented, and checks its result.
set -eu
page=$(cd "$(dirname "$0")/../../docs" && pwd)/s3.md
PATH="$1:$PATH"
export PATH PYTHONPATH="$2" PYTHONDONTWRITEBYTECODE=1
uri=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
/usr/bin/python3 -c 'import ckpt; ckpt.save("run", {"w": bytearray(b"12345678")}, step=4)'
python3() { /usr/bin/python3 "$@"; }
awk '/^```/ && is_in { exit } is_in; $0 == "```sh" { is_in = 1 }' "$page" >first
[ "$(grep -c '^ckpt ' first)" -ge 6 ] || { echo "docs/reference/s3.md does not begin with its example" >&2; exit 1; }
. ./first

ckpt list down --json | grep -q '"step": 5'
[ "$(ckpt list "$uri" | grep -c '^step-')" = 1 ]
/usr/bin/python3 -c 'import ckpt; assert ckpt.load("down") == {"w": bytearray(b"12345678")}'
