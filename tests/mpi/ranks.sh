# ranks.sh PROGRAM pairs | killed VICTIM STRIDE | gateway URI | gateway_killed URI | bad: checkpoints of many ranks, on processes.
# A rank is killed at every STRIDE-th storage call of a save.
set -eu
if ! command -v mpirun >/dev/null 2>&1; then
  echo "SKIP: mpirun not found (package openmpi-bin)"
  [ -z "${CKPT_REQUIRE_SERVICES:-}" ] || exit 1
  exit 77
fi
program=$1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
run() {
  ranks=$1
  shift
  mpirun --oversubscribe --enable-recovery --mca btl self,vader --mca mpi_yield_when_idle 1 -n "$ranks" "$program" "$@"
}
# With recovery mpirun always exits with 0: each rank that fails reports why.
quietly() {
  run "$@" >"$place/log" 2>&1 || true
  if grep -q . "$place/log"; then
    cat "$place/log" >&2
    exit 1
  fi
}
case $2 in
  pairs)
    for saved in 1 2 3 4; do
      quietly "$saved" save "$place/$saved"
      [ "$(ls "$place/$saved" | grep -c '^step-')" = 1 ]
      for loaded in 1 2 3 4; do quietly "$loaded" load "$place/$saved"; done
    done
    echo "every pair of 1 to 4 ranks: equal byte for byte"
    ;;
  killed)
    victim=$3
    call=-1 # before the save
    while :; do
      rm -rf "$place/run" "$place/said"
      mkdir "$place/said"
      quietly 3 save "$place/run"
      run 3 killed "$place/run" "$place/said" "$victim" "$call" >"$place/log" 2>&1 || true
      if grep -q "nothing was left to be killed in" "$place/log"; then break; fi
      said=$(ls "$place/said" | wc -l)
      [ "$said" = 2 ] || { cat "$place/log"; echo "call $call: $said of 2 ranks succeeded" >&2; exit 1; }
      # The next run resumes, also with another number of ranks.
      [ "$victim" = 0 ] || quietly 2 load "$place/run"
      quietly 2 save "$place/run"
      if [ "$call" -lt 0 ]; then call=0; else call=$((call + $4)); fi
    done
    [ "$call" -gt 4 ] || { echo "expected more than 4 storage calls, found $call" >&2; exit 1; }
    echo "killed before the save, and at its calls 0 to $call"
    ;;
  gateway) # an object store: the location is the last argument
    for saved in 1 3; do
      quietly "$saved" save "$3/$saved"
      for loaded in 2 3; do quietly "$loaded" load "$3/$saved"; done
    done
    echo "saved and loaded at the gateway"
    ;;
  gateway_killed) # at fixed times, which are different moments of a save on other machines
    killed=0
    for victim in 1 0; do
      for milliseconds in -1 0 30 100 250 600; do
        here="$3/$victim-$milliseconds"
        rm -rf "$place/said"
        mkdir "$place/said"
        quietly 3 save "$here"
        run 3 killed "$here" "$place/said" "$victim" "$milliseconds" >"$place/log" 2>&1 || true
        said=$(ls "$place/said" | wc -l)
        wanted=2
        if grep -q "nothing was left to be killed in" "$place/log"; then wanted=3; else killed=$((killed + 1)); fi
        [ "$said" = "$wanted" ] || { cat "$place/log"; echo "rank $victim, $milliseconds ms: $said ranks succeeded" >&2; exit 1; }
        quietly 2 save "$here"
      done
    done
    [ "$killed" -gt 1 ] || { echo "expected more than 1 interrupted save, found $killed" >&2; exit 1; }
    echo "killed in $killed saves to the gateway"
    ;;
  bad) quietly 3 bad "$place/run" && echo "all ranks fail with the same error" ;;
esac
