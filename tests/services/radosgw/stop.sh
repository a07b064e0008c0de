#!/bin/sh
# stop.sh DIR: stops what start.sh started there; waits at most 20 s, then kills it.
set -eu
[ $# -eq 1 ] || { echo "usage: stop.sh DIR" >&2; exit 2; }
dir=$1
[ -e "$dir/pids" ] || exit 0
# In reverse order. Only processes that are still the started program.
for name in rgw osd mon; do
  pid=$(sed -n "s/ $name\$//p" "$dir/pids")
  [ -n "$pid" ] || continue
  is_ours() { tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -q '^[^ ]*\(ceph-mon\|ceph-osd\|radosgw\) '; }
  is_ours || continue
  kill "$pid" 2>/dev/null || true
  tries=100
  while is_ours && [ "$tries" -gt 0 ]; do
    tries=$((tries - 1))
    [ "$tries" -ne 50 ] || kill -9 "$pid" 2>/dev/null || true
    sleep 0.2
  done
done
[ ! -e "$dir/sockets" ] || rm -rf "$(cat "$dir/sockets")"
rm -rf "$dir/data" "$dir/pids" "$dir/sockets" "$dir/env" "$dir/ceph.conf"
