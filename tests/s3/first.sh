# first.sh COMMAND_FOLDER PYTHON_FOLDER URI: the first example of docs/s3.md, and what becomes of it.
set -eu
PATH="$1:$PATH"
export PATH PYTHONPATH="$2" PYTHONDONTWRITEBYTECODE=1
uri=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
/usr/bin/python3 -c 'import ckpt; ckpt.save("run", {"w": bytearray(b"12345678")}, step=4)'
python3() { /usr/bin/python3 "$@"; }

ckpt copy run "$uri"                          # the newest checkpoint of a directory goes up
ckpt verify "$uri"
python3 - <<EOF
import ckpt
state = ckpt.load("$uri")
ckpt.save("$uri", state, step=state.step + 1)
EOF
ckpt list "$uri"
ckpt prune "$uri" --keep last:1
ckpt prune "$uri" --uploads --older-than 24h  # what killed processes have left
ckpt copy "$uri" down

ckpt list down --json | grep -q '"step": 5'
[ "$(ckpt list "$uri" | grep -c '^step-')" = 1 ]
/usr/bin/python3 -c 'import ckpt; assert ckpt.load("down") == {"w": bytearray(b"12345678")}'
