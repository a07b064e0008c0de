#!/bin/sh
# killed_store.sh RADOSGW_SCRIPTS DIR SAVER: a gateway with its store on a device (bluestore). Three times, gateway and store are
# killed while two writers save, one of small files and one of files of several parts, and started again: every acknowledged save
# exists, and the next writers continue.
set -eu
scripts=$1 dir=$2 saver=$3
OSD_STORE=bluestore sh "$scripts/start.sh" "$dir" || exit $?
trap 'sh "$scripts/stop.sh" "$dir"; rm -f "$dir"/acknowledged.*' EXIT
rm -f "$dir"/acknowledged.*
run() { sh "$scripts/run.sh" "$dir" "$@"; }
uri=s3://ckpt-tests/killed
lines() { [ ! -e "$dir/acknowledged.$1" ] && echo 0 || wc -l <"$dir/acknowledged.$1"; }
# begin SIZE: starts a writer, and sets $writer to its process id.
begin() {
  (. "$dir/env" && exec "$saver" --save-on "$uri/$1" "$dir/acknowledged.$1" "$1") >"$dir/saver.$1.out" 2>&1 &
  writer=$!
}
# wait_for WRITER SIZE COUNT: waits until it has acknowledged that many saves.
wait_for() {
  while [ "$(lines "$2")" -lt "$3" ]; do
    kill -0 "$1" 2>/dev/null || { cat "$dir/saver.$2.out"; exit 1; }
    sleep 0.05
  done
}
for round in 1 2 3; do
  small_wanted=$(($(lines small) + 5)) large_wanted=$(($(lines large) + 3))
  begin small
  small=$writer
  begin large
  large=$writer
  wait_for "$small" small "$small_wanted"
  wait_for "$large" large "$large_wanted"
  sh "$scripts/crash.sh" "$dir"
  wait "$small" || { echo "the writer of small files got no error"; exit 1; }
  wait "$large" || { echo "the writer of large files got no error"; exit 1; }
  for size in small large; do
    cat "$dir/saver.$size.out"
    run "$saver" --check "$uri/$size" "$dir/acknowledged.$size" "$size"
    echo "round $round: killed after $(lines $size) acknowledged saves of $size files"
  done
done
