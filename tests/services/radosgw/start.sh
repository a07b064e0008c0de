#!/bin/sh
# start.sh DIR: starts a Ceph S3 gateway on one machine, in DIR and on free ports of 127.0.0.1: a monitor, one OSD in memory,
# radosgw. Any user can run it. DIR/env contains its address and its keys; stop.sh stops it. 77: skipped, Ceph is not installed.
#
# OSD_STORE=bluestore stores the objects in a sparse file in DIR, so that they outlive the processes.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -eq 1 ] || { echo "usage: start.sh DIR" >&2; exit 2; }
PATH=$PATH:/usr/sbin:/sbin
export PATH
for tool in ceph ceph-authtool ceph-mon ceph-osd monmaptool radosgw radosgw-admin curl python3; do
  command -v "$tool" >/dev/null && continue
  if [ -n "${CKPT_REQUIRE_SERVICES:-}" ]; then
    echo "the S3 gateway: $tool not found" >&2
    exit 1
  fi
  echo "SKIP the S3 gateway: $tool not found (Debian: radosgw ceph-mon ceph-osd ceph-common curl python3)"
  exit 77
done

mkdir -p "$1"
dir=$(cd "$1" && pwd)
[ ! -e "$dir/pids" ] || sh "$here/stop.sh" "$dir"
rm -rf "$dir/data" "$dir/env"
mkdir -p "$dir/data/mon" "$dir/data/osd" "$dir/data/rgw" "$dir/data/run" "$dir/data/log"
: >"$dir/pids"
started=no
finish() {
  [ "$started" = yes ] && return 0
  tail -n 5 "$dir"/data/log/*.out >&2 2>/dev/null || true
  sh "$here/stop.sh" "$dir" || true
}
trap finish EXIT

# Ports that were free just now: two for the monitor, one for the gateway.
ports=$(python3 -c '
import socket
sockets = [socket.socket() for _ in range(3)]
for one in sockets: one.bind(("127.0.0.1", 0))
print(*(one.getsockname()[1] for one in sockets))')
# shellcheck disable=SC2086
set -- $ports
mon2=$1 mon1=$2 gateway=$3

fsid=$(cat /proc/sys/kernel/random/uuid)
osd=$(cat /proc/sys/kernel/random/uuid)
# The daemons' socket paths must be short, wherever DIR is.
sockets=$(mktemp -d /tmp/ckpt-rgw.XXXXXX)
echo "$sockets" >"$dir/sockets"
cat >"$dir/ceph.conf" <<CONF
[global]
fsid = $fsid
mon host = [v2:127.0.0.1:$mon2,v1:127.0.0.1:$mon1]
public network = 127.0.0.0/8
keyring = $dir/data/keyring
run dir = $sockets
admin socket = $sockets/\$name.asok
log file = $dir/data/log/\$name.log
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd pool default pgp num = 8
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon data avail crit = 1
mon max pg per osd = 1000
osd objectstore = ${OSD_STORE:-memstore}
memstore device bytes = 4294967296
bluestore block create = true
bluestore block size = 17179869184
bluestore cache autotune = false
bluestore cache size = 134217728
rgw rados pool pg num min = 4
rgw user quota bucket sync interval = 1
rgw bucket quota ttl = 0
rgw gc obj min wait = 60
rgw gc processor period = 15
rgw gc processor max time = 15
[mon.a]
mon data = $dir/data/mon
[osd.0]
osd data = $dir/data/osd
[client.rgw]
rgw data = $dir/data/rgw
rgw frontends = beast endpoint=127.0.0.1:$gateway tcp_nodelay=1
rgw thread pool size = 32
rgw dns name = localhost
rgw crypt require ssl = false
rgw crypt s3 kms backend = testing
rgw crypt s3 kms encryption keys = ckpt-key=$(printf %s 0123456789abcdefghijABCDEFGHIJ01 | base64)
CONF
CEPH_CONF=$dir/ceph.conf
export CEPH_CONF

quiet() { "$@" >>"$dir/data/log/setup.out" 2>&1 || { echo "failed: $*" >&2; exit 1; }; }
# begin NAME PROGRAM ARG...: starts the program in the background, with its process id in DIR/pids.
begin() {
  name=$1
  shift
  "$@" >"$dir/data/log/$name.out" 2>&1 </dev/null &
  echo "$! $name" >>"$dir/pids"
}
# until_true SECONDS WHAT COMMAND...: waits until the command succeeds.
until_true() {
  tries=$(($1 * 5))
  what=$2
  shift 2
  while ! "$@" >>"$dir/data/log/setup.out" 2>&1; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || { echo "$what: timed out" >&2; exit 1; }
    sleep 0.2
  done
}

keyring=$dir/data/keyring
quiet ceph-authtool --create-keyring "$keyring" --gen-key -n mon. --cap mon 'allow *'
quiet ceph-authtool "$keyring" --gen-key -n client.admin --cap mon 'allow *' --cap osd 'allow *' --cap mgr 'allow *'
quiet ceph-authtool "$keyring" --gen-key -n client.rgw --cap mon 'allow rw' --cap osd 'allow rwx' --cap mgr 'allow rw'
quiet monmaptool --create --clobber --fsid "$fsid" --addv a "[v2:127.0.0.1:$mon2,v1:127.0.0.1:$mon1]" "$dir/data/monmap"
quiet ceph-mon -i a --mkfs --monmap "$dir/data/monmap" --keyring "$keyring"
begin mon ceph-mon -f -i a
until_true 60 "the monitor" ceph --connect-timeout 5 mon stat
quiet ceph osd new "$osd"
quiet ceph-authtool "$keyring" --gen-key -n osd.0 --cap mon 'allow profile osd' --cap osd 'allow *'
quiet ceph auth import -i "$keyring"
quiet ceph-osd -i 0 --mkfs --osd-uuid "$osd"
begin osd ceph-osd -f -i 0
begin rgw radosgw -f -n client.rgw
until_true 120 "the gateway" curl -s -o /dev/null --max-time 5 --noproxy '*' "http://127.0.0.1:$gateway/"

# Keys that a search for leaks can find, and that match nothing else.
access=CKPTACCESSKEYFORTESTS
secret=ckptSecretKeyForTests0123456789abcdefghi
quiet radosgw-admin user create --uid=ckpt --display-name=ckpt --access-key="$access" --secret-key="$secret"
# A user with a quota of three objects, and one without permissions on others' objects.
quiet radosgw-admin user create --uid=full --display-name=full --access-key=CKPTFULLKEY --secret-key=ckptFullSecret0123456789abcdefghijklmnop
quiet radosgw-admin quota set --quota-scope=bucket --uid=full --max-objects=3
quiet radosgw-admin quota enable --quota-scope=bucket --uid=full
quiet radosgw-admin user create --uid=other --display-name=other --access-key=CKPTOTHERKEY --secret-key=ckptOtherSecret0123456789abcdefghijklmno

# make_bucket NAME ACCESS_KEY:SECRET_KEY. The digest is that of an empty body.
make_bucket() {
  until_true 30 "the bucket $1" curl -s -f --max-time 10 --noproxy '*' -X PUT --aws-sigv4 aws:amz:us-east-1:s3 --user "$2" \
    -H 'x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' "http://127.0.0.1:$gateway/$1"
}
make_bucket ckpt-tests "$access:$secret"
make_bucket ckpt-full CKPTFULLKEY:ckptFullSecret0123456789abcdefghijklmnop

cat >"$dir/env" <<ENV
CKPT_TEST_S3_ENDPOINT=http://127.0.0.1:$gateway
CKPT_TEST_S3_ACCESS_KEY=$access
CKPT_TEST_S3_SECRET_KEY=$secret
CKPT_TEST_S3_BUCKET=ckpt-tests
CEPH_CONF=$dir/ceph.conf
export CKPT_TEST_S3_BUCKET CKPT_TEST_S3_ENDPOINT CKPT_TEST_S3_ACCESS_KEY CKPT_TEST_S3_SECRET_KEY CEPH_CONF
ENV
started=yes
echo "radosgw on http://127.0.0.1:$gateway"
