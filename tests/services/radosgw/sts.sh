#!/bin/sh
# sts.sh DIR COMMAND...: runs a command with a second gateway to the store that start.sh started in DIR. It issues temporary keys
# (STS) for the role ckpt-tests. The first one does not: with STS, Ceph reports wrong keys only as access denied. Run by run.sh.
set -eu
dir=$1
shift
PATH=$PATH:/usr/sbin:/sbin
port=$(python3 -c 'import socket; one = socket.socket(); one.bind(("127.0.0.1", 0)); print(one.getsockname()[1])')
log=$dir/data/log/sts.out
radosgw -f -n client.rgw --rgw_frontends="beast endpoint=127.0.0.1:$port tcp_nodelay=1" --admin_socket= --log_file="$dir/data/log/sts.log" \
  --rgw_s3_auth_use_sts=true --rgw_sts_key=ckptStsKey012345 --rgw_sts_min_session_duration=1 >"$log" 2>&1 </dev/null &
gateway=$!
trap 'kill "$gateway" 2>/dev/null || true; wait "$gateway" 2>/dev/null || true' EXIT
admin() { radosgw-admin "$@" >>"$log" 2>&1 || { echo "failed: radosgw-admin $1 $2" >&2; exit 1; }; }
# Removes remains of an earlier run.
radosgw-admin role-policy delete --role-name=ckpt-tests --policy-name=all >>"$log" 2>&1 || true
radosgw-admin role delete --role-name=ckpt-tests >>"$log" 2>&1 || true
admin role create --role-name=ckpt-tests --path=/ --assume-role-policy-doc='{"Version": "2012-10-17", "Statement": [
  {"Effect": "Allow", "Principal": {"AWS": ["arn:aws:iam:::user/ckpt"]}, "Action": ["sts:AssumeRole"]}]}'
admin role-policy put --role-name=ckpt-tests --policy-name=all --policy-doc='{"Version": "2012-10-17", "Statement": [
  {"Effect": "Allow", "Action": ["s3:*"], "Resource": "arn:aws:s3:::*"}]}'
tries=300
until curl -s -o /dev/null --max-time 5 --noproxy '*' "http://127.0.0.1:$port/"; do
  tries=$((tries - 1))
  [ "$tries" -gt 0 ] && kill -0 "$gateway" || { tail -n 5 "$log" >&2; exit 1; }
  sleep 0.1
done
env CKPT_TEST_S3_ENDPOINT="http://127.0.0.1:$port" "$@"
