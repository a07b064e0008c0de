# ckpt_gateway_test(<name> <command>...): adds a test against the S3 gateway that tests/services/radosgw starts once for all such
# tests. The command's output must not contain secrets, since run.sh prints it.
function(ckpt_gateway_test name)
  add_test(NAME ${name} COMMAND sh "${PROJECT_SOURCE_DIR}/tests/services/radosgw/run.sh" "${PROJECT_BINARY_DIR}/radosgw" ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS services TIMEOUT 900 SKIP_RETURN_CODE 77 FIXTURES_REQUIRED radosgw
                       RESOURCE_LOCK radosgw) # one of the tests counts the bucket's uploads
endfunction()

# S3 settings for programs that need no server: credentials are set, and nothing listens at the endpoint.
set(CKPT_NO_S3 "AWS_ENDPOINT_URL_S3=http://127.0.0.1:1" "AWS_ACCESS_KEY_ID=none" "AWS_SECRET_ACCESS_KEY=none" "AWS_REGION=us-east-1"
    "AWS_SHARED_CREDENTIALS_FILE=/nonexistent" "AWS_CONFIG_FILE=/nonexistent")
