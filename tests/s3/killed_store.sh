#!/bin/sh
# killed_store.sh RADOSGW_SCRIPTS DIR SAVER: a gateway whose store is on a device (bluestore). Gateway and store are killed while a writer
# saves, three times, and begun again: every save that was acknowledged is there, and the next writer goes on.
set -eu
scripts=$1 dir=$2 saver=$3
OSD_STORE=bluestore sh "$scripts/start.sh" "$dir" || exit $?
acknowledged=$dir/acknowledged
trap 'sh "$scripts/stop.sh" "$dir"; rm -f "$acknowledged"' EXIT
: >"$acknowledged"
run() { sh "$scripts/run.sh" "$dir" "$@"; }
uri=s3://ckpt-tests/killed
for round in 1 2 3; do
  before=$(wc -l <"$acknowledged")
  (. "$dir/env" && exec "$saver" --save-on "$uri" "$acknowledged") >"$dir/saver.out" 2>&1 &
  writer=$!
  while [ "$(wc -l <"$acknowledged")" -lt $((before + 5)) ]; do
    kill -0 "$writer" 2>/dev/null || { cat "$dir/saver.out"; exit 1; }
    sleep 0.05
  done
  sh "$scripts/crash.sh" "$dir"
  wait "$writer" || { echo "the writer met no error"; exit 1; }
  cat "$dir/saver.out"
  run "$saver" --check "$uri" "$acknowledged"
  echo "round $round: killed after $(wc -l <"$acknowledged") acknowledged saves"
done
