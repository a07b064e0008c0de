# The installed command finds its libraries relative to itself.
set -eu
unset LD_LIBRARY_PATH
"$STAGE/bin/ckpt" --version
"$STAGE/bin/ckpt" --help >/dev/null

# The same for libckpt-s3, when a URI needs it: nothing listens at the endpoint.
export AWS_ENDPOINT_URL_S3=http://127.0.0.1:1 AWS_ACCESS_KEY_ID=none AWS_SECRET_ACCESS_KEY=none
if said=$("$STAGE/bin/ckpt" list s3://bucket/run 2>&1); then
  echo "unexpected output: $said" >&2
  exit 1
fi
if [ -e "$STAGE/$LIBDIR/libckpt-s3.so.$SOVERSION" ]; then
  wanted='s3://bucket/run.*(IO)$'
else
  wanted='requires the package libckpt-s3'
fi
echo "$said" | grep -q "$wanted" || { echo "no '$wanted' in: $said" >&2; exit 1; }
