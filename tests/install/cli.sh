# The installed command finds its library beside itself.
set -eu
unset LD_LIBRARY_PATH
"$STAGE/bin/ckpt" --version
"$STAGE/bin/ckpt" --help >/dev/null
