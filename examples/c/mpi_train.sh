# mpi_train.sh PROGRAM: trains on 4 ranks; then again with a rank killed in step 12 and a resume on 2 ranks; compares the final
# bits.
set -eu
if ! command -v mpirun >/dev/null 2>&1; then
  echo "SKIP: mpirun not found (package openmpi-bin)"
  [ -z "${CKPT_REQUIRE_SERVICES:-}" ] || exit 1
  exit 77
fi
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
run() {
  ranks=$1
  shift
  mpirun --oversubscribe --mca btl self,vader --mca mpi_yield_when_idle 1 -n "$ranks" "$@"
}
run 4 "$1" "$place/whole" >"$place/whole.log"
run 4 "$1" "$place/cut" 12 >"$place/cut.log" 2>&1 && { echo "no rank was killed" >&2; exit 1; }
run 2 "$1" "$place/cut" >"$place/rest.log"
cat "$place/whole.log" "$place/rest.log"
grep -q '^resuming after step 10 of 4 ranks, on 2$' "$place/rest.log"
[ "$(grep '^weights' "$place/whole.log")" = "$(grep '^weights' "$place/rest.log")" ]
echo "the same bits as without the kill"
