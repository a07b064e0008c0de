# twins.sh CTEST BUILD COMMA: the twins of tests are there, with at least one of each label that they are made for. COMMA: ON or OFF.
set -u
cd "$2" || exit 1
failures=0

# there PREFIX NAME...
there() {
  prefix=$1
  shift
  "$ctest" -N -L "^$prefix\$" | sed -n 's/^ *Test *#[0-9]*: *//p' >"$listed"
  for name in "$@"; do
    grep -qx "${prefix}_$name" "$listed" || { echo "FAILED: no test ${prefix}_$name" && failures=1; }
  done
  echo "$prefix: $(wc -l <"$listed") tests"
}

ctest=$1
listed=$(mktemp)
trap 'rm -f "$listed"' EXIT
[ "$3" = OFF ] || there comma state_api async_api state_manifest adaptive_controller memory_export capi_sweep plan_api
there logback state_api async_api state_hpp adaptive_api memory_api capi_sweep
exit $failures
