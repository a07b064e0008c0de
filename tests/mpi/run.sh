# run.sh PROGRAM RANKS CASE [HOW MANY ARE AS THEY SHOULD BE]: a case of mpi_test on so many processes. With a fourth argument the job
# may end as it likes, and so many of its ranks say that all was as it should be.
set -eu
if ! command -v mpirun >/dev/null 2>&1; then
  echo "SKIP: no mpirun here (openmpi-bin)"
  [ -z "${CKPT_REQUIRE_SERVICES:-}" ] || exit 1
  exit 77
fi
said=$(mktemp -d)
trap 'rm -rf "$said"' EXIT
# As any user, on as many processes as are asked for, on one machine. With recovery a rank that dies ends itself only, and mpirun's
# code is 0 whatever became of the ranks: without a count of them the code is what says that a rank failed.
set -- "$1" "$2" "$3" "${4:-}"
recovery=
[ -z "$4" ] || recovery=--enable-recovery
code=0
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe $recovery --mca btl self,vader \
  --mca mpi_yield_when_idle 1 -n "$2" "$1" "$3" "$said" >"$said.log" 2>&1 || code=$?
cat "$said.log"
rm -f "$said.log"
if [ -z "$4" ]; then exit "$code"; fi
count=$(ls "$said" | wc -l)
[ "$count" -eq "$4" ] || { echo "$count of $2 ranks were as they should be; expected $4" >&2; exit 1; }
