# at_gateway.sh COMMAND...: runs the command at the gateway from run.sh, with a new URI as the last argument.
set -eu
export AWS_ENDPOINT_URL_S3="$CKPT_TEST_S3_ENDPOINT" AWS_ACCESS_KEY_ID="$CKPT_TEST_S3_ACCESS_KEY" AWS_SECRET_ACCESS_KEY="$CKPT_TEST_S3_SECRET_KEY"
export AWS_REGION=us-east-1 AWS_SHARED_CREDENTIALS_FILE=/nonexistent AWS_CONFIG_FILE=/nonexistent
exec "$@" "s3://$CKPT_TEST_S3_BUCKET/run-$$"
