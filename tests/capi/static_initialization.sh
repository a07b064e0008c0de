# No function-local static of the library is initialized at its first use: see static_initialization_test.c. Thread-local ones are exempt.
set -eu
symbols=$LIBRARY
[ ! -e "$LIBRARY.debug" ] || symbols=$LIBRARY.debug
guards=$(LC_ALL=C readelf -sW "$symbols" | awk '$4 == "OBJECT" && $8 ~ /^_ZGV/ {print $8 "=" $2}' | sort -u)
[ -n "$guards" ] || { echo "no guard variables found: is the library stripped?" >&2; exit 1; }
exec "$PROGRAM" "$LIBRARY" $guards
