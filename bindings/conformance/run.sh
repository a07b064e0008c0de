# run.sh SCRATCH FOLDER RUNNER...: runs every file of scenarios in FOLDER (next to this script) with one runner.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
scratch=$1
folder=$2
shift 2
rm -rf "$scratch"
mkdir -p "$scratch"
"$@" run "$scratch" "$here/$folder"/*.txt
rm -rf "$scratch"
