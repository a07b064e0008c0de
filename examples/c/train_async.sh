# train_async.sh PROGRAM SCRATCH: checks that a run that stops and resumes ends with the same bits as one that does not stop.
set -eu
rm -rf "$2"
mkdir -p "$2"
"$1" "$2/stopped" 70
"$1" "$2/stopped" 120 | tee "$2/stopped.txt"
"$1" "$2/straight" 120 >"$2/straight.txt"
grep -q '^resuming after step 50$' "$2/stopped.txt"
[ "$(tail -n 1 "$2/stopped.txt")" = "$(tail -n 1 "$2/straight.txt")" ] || { echo "the two runs differ" >&2; exit 1; }
rm -rf "$2"
echo "the same bits as without the stop"
