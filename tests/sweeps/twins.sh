# twins.sh CTEST BUILD: the twins of tests are there, with at least one of each label that they are made for.
set -u
cd "$2" || exit 1
failures=0
listed=$(mktemp)
trap 'rm -f "$listed"' EXIT
"$1" -N -L '^hosted$' | sed -n 's/^ *Test *#[0-9]*: *//p' >"$listed"
for name in state_api state_hpp state_manifest async_api async_hpp adaptive_controller memory_export capi_sweep plan_api; do
  grep -qx "hosted_$name" "$listed" || { echo "FAILED: no test hosted_$name" && failures=1; }
done
echo "$(wc -l <"$listed") tests"
exit $failures
