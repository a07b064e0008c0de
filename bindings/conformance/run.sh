# run.sh SCRATCH RUNNER...: runs every file of scenarios with one runner.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
scratch=$1
shift
rm -rf "$scratch"
mkdir -p "$scratch"
"$@" run "$scratch" "$here"/scenarios/*.txt
rm -rf "$scratch"
