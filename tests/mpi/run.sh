# run.sh PROGRAM RANKS CASE [SUCCESSES]: runs a case of mpi_test on RANKS processes. With a fourth argument the job may exit with
# any status, and SUCCESSES of its ranks must report success.
set -eu
if ! command -v mpirun >/dev/null 2>&1; then
  echo "SKIP: mpirun not found (package openmpi-bin)"
  [ -z "${CKPT_REQUIRE_SERVICES:-}" ] || exit 1
  exit 77
fi
said=$(mktemp -d)
trap 'rm -rf "$said"' EXIT
# Runs as any user, with oversubscription, on one machine. With recovery the death of a rank does not end the job, and mpirun's exit
# status is always 0. So recovery is enabled only if successes are counted.
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
[ "$count" -eq "$4" ] || { echo "expected $4 of $2 ranks to succeed, found $count" >&2; exit 1; }
