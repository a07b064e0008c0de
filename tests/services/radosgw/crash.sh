#!/bin/sh
# crash.sh DIR: kills (SIGKILL) the gateway and the store that start.sh started in DIR with OSD_STORE=bluestore, and starts them
# again on the device. Returns when the gateway answers.
set -eu
[ $# -eq 1 ] || { echo "usage: crash.sh DIR" >&2; exit 2; }
dir=$1
. "$dir/env"
PATH=$PATH:/usr/sbin:/sbin
export PATH
grep -q '^osd objectstore = bluestore$' "$dir/ceph.conf" || { echo "the store in $dir is in memory: nothing would remain" >&2; exit 2; }

for name in rgw osd; do
  pid=$(sed -n "s/ $name\$//p" "$dir/pids")
  tr '\0' ' ' <"/proc/$pid/cmdline" | grep -q '^[^ ]*\(ceph-osd\|radosgw\) ' || { echo "$name does not run" >&2; exit 1; }
  kill -9 "$pid"
done
# The device is free once the old process has ended.
for name in rgw osd; do
  pid=$(sed -n "s/ $name\$//p" "$dir/pids")
  while kill -0 "$pid" 2>/dev/null && ! grep -q '^State:.*Z' "/proc/$pid/status" 2>/dev/null; do sleep 0.1; done
done
grep ' mon$' "$dir/pids" >"$dir/pids.new"
ceph-osd -f -i 0 >>"$dir/data/log/osd.out" 2>&1 </dev/null &
echo "$! osd" >>"$dir/pids.new"
radosgw -f -n client.rgw >>"$dir/data/log/rgw.out" 2>&1 </dev/null &
echo "$! rgw" >>"$dir/pids.new"
mv "$dir/pids.new" "$dir/pids"
tries=600
until curl -s -o /dev/null --max-time 5 --noproxy '*' "$CKPT_TEST_S3_ENDPOINT/"; do
  tries=$((tries - 1))
  [ "$tries" -gt 0 ] || { echo "the gateway did not restart in time" >&2; exit 1; }
  sleep 0.2
done
