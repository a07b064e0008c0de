#!/bin/sh
# run.sh DIR COMMAND...: runs a command with the S3 gateway that start.sh started in DIR, using DIR/env. 77: skipped, not running.
# Fails if the command prints a key, a signature or a token.
set -eu
dir=$1
shift
if [ ! -e "$dir/env" ]; then
  if [ -n "${CKPT_REQUIRE_SERVICES:-}" ]; then
    echo "the S3 gateway is not running" >&2
    exit 1
  fi
  echo "SKIP: the S3 gateway is not running (Debian: radosgw ceph-mon ceph-osd ceph-common)"
  exit 77
fi
. "$dir/env"
# This machine's own S3 settings must not affect the tests.
unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_PROFILE AWS_REGION AWS_DEFAULT_REGION AWS_ENDPOINT_URL AWS_ENDPOINT_URL_S3 \
  AWS_CA_BUNDLE http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
printed=$(mktemp "${TMPDIR:-/tmp}/ckpt-s3.XXXXXX")
trap 'rm -f "$printed"' EXIT
code=0
"$@" >"$printed" 2>&1 || code=$?
if leak=$(grep -nE "$CKPT_TEST_S3_ACCESS_KEY|$CKPT_TEST_S3_SECRET_KEY|Signature=|AWS4-HMAC-SHA256|X-Amz-Security-Token|uploadId=" "$printed"); then
  echo "a secret was printed in line ${leak%%:*}" >&2 # without showing it
  code=1
else
  cat "$printed"
fi
exit $code
