# No function-local static of the library waits for its first call: see made_at_load_test.c. Those of a thread are its own.
set -eu
symbols=$LIBRARY
[ ! -e "$LIBRARY.debug" ] || symbols=$LIBRARY.debug
guards=$(LC_ALL=C readelf -sW "$symbols" | awk '$4 == "OBJECT" && $8 ~ /^_ZGV/ {print $8 "=" $2}' | sort -u)
[ -n "$guards" ] || { echo "found no guards: is the library stripped?" >&2; exit 1; }
exec "$PROGRAM" "$LIBRARY" $guards
