#!/bin/sh
# run.sh DIR COMMAND...: runs a command with the S3 gateway that start.sh began in DIR, as DIR/env says. 77: skipped, there is none.
# Of all that the command prints nothing may be a key, a signature or a token.
set -eu
dir=$1
shift
if [ ! -e "$dir/env" ]; then
  if [ -n "${CKPT_REQUIRE_SERVICES:-}" ]; then
    echo "the S3 gateway does not run" >&2
    exit 1
  fi
  echo "SKIP: the S3 gateway does not run (Debian: radosgw ceph-mon ceph-osd ceph-common)"
  exit 77
fi
. "$dir/env"
# What this machine has set for its own use of S3 is not what is tested.
unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_PROFILE AWS_REGION AWS_DEFAULT_REGION AWS_ENDPOINT_URL AWS_ENDPOINT_URL_S3 \
  AWS_CA_BUNDLE http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
printed=$(mktemp "${TMPDIR:-/tmp}/ckpt-s3.XXXXXX")
trap 'rm -f "$printed"' EXIT
code=0
"$@" >"$printed" 2>&1 || code=$?
if leak=$(grep -nE "$CKPT_TEST_S3_ACCESS_KEY|$CKPT_TEST_S3_SECRET_KEY|Signature=|AWS4-HMAC-SHA256|X-Amz-Security-Token|uploadId=" "$printed"); then
  echo "printed, and is secret: in line ${leak%%:*}" >&2 # but not here
  code=1
else
  cat "$printed"
fi
exit $code
