# example.sh PROGRAM: the example of docs/s3.md prints what the page says, with everything in the environment.
set -eu
export AWS_ENDPOINT_URL_S3="$CKPT_TEST_S3_ENDPOINT" AWS_ACCESS_KEY_ID="$CKPT_TEST_S3_ACCESS_KEY" AWS_SECRET_ACCESS_KEY="$CKPT_TEST_S3_SECRET_KEY"
printed=$("$1" "s3://$CKPT_TEST_S3_BUCKET/example-$$")
[ "$printed" = 7 ] || { echo "it prints: $printed" >&2; exit 1; }
