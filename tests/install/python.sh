# import ckpt from the moved prefix.
set -eu
unset LD_LIBRARY_PATH
version=$(sed -n 's/^Version: //p' "$STAGE/$LIBDIR/pkgconfig/ckpt.pc")
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$STAGE/$PYTHON_DIR" "$PYTHON" consumer/main.py "$version" "$STAGE"
