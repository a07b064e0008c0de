# first_example.sh COMMAND_FOLDER PYTHON_FOLDER URI: runs the first examples of docs/reference/s3.md and docs/how-to/save-to-s3.md
# unchanged, each below its own prefix of URI, and checks the resulting checkpoints.
set -eu
documents=$(cd "$(dirname "$0")/../../docs" && pwd)
PATH="$1:$PATH"
export PATH PYTHONPATH="$2" PYTHONDONTWRITEBYTECODE=1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3() { /usr/bin/python3 "$@"; }
for page in reference/s3.md how-to/save-to-s3.md; do
  uri=$3/${page%%/*}
  mkdir "$folder/${page%%/*}"
  cd "$folder/${page%%/*}"
  /usr/bin/python3 -c 'import ckpt; ckpt.save("run", {"w": bytearray(b"12345678")}, step=4)'
  awk '/^```/ && is_in { exit } is_in; $0 == "```sh" { is_in = 1 }' "$documents/$page" >first
  [ "$(grep -c '^ckpt ' first)" -ge 3 ] || { echo "docs/$page does not begin with its example" >&2; exit 1; }
  . ./first

  ckpt list down --json | grep -q '"step": 5'
  [ "$(ckpt list "$uri" | grep -c '^step-')" = 1 ]
  /usr/bin/python3 -c 'import ckpt; assert ckpt.load("down") == {"w": bytearray(b"12345678")}'
done
