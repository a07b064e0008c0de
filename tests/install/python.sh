# Imports ckpt from the moved prefix.
set -eu
unset LD_LIBRARY_PATH
version=$(sed -n 's/^Version: //p' "$STAGE/$LIBDIR/pkgconfig/ckpt.pc")
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$STAGE/$PYTHON_DIR" "$PYTHON" consumer/main.py "$version" "$STAGE"

# libckpt-s3 is found next to libckpt, and is not in the package's folder.
[ -e "$STAGE/$LIBDIR/libckpt-s3.so.$SOVERSION" ] || exit 0
export AWS_ENDPOINT_URL_S3=http://127.0.0.1:1 AWS_ACCESS_KEY_ID=none AWS_SECRET_ACCESS_KEY=none # nothing listens there
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$STAGE/$PYTHON_DIR" "$PYTHON" - <<'PROGRAM'
import ckpt
try:
    ckpt.load("s3://bucket/run")
except ckpt.IoError as error:
    assert "s3://bucket/run" in str(error), error
else:
    raise AssertionError("nothing listens at the endpoint, but the call succeeded")
PROGRAM
