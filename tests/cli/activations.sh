# Automatic activations: the same command chooses each of the four policies, depending on the memory that it is given.
. "$(dirname "$0")/lib.sh"
text="$scratch/text"
make_text "$text"
run() {
  name=$1
  shift
  succeeds train --model mlp --data "$text" --batch 32 --steps 4 --quiet --verbose --dir "$scratch/$name" --json "$scratch/$name.json" \
    --stages 2 --micro-batches 8 --schedule gpipe --activations "$@"
  cp "$scratch/out" "$scratch/$name.log"
}
# The value for stage 0, which comes first.
figure() { sed -n 's/.*"'"$2"'": "\{0,1\}\([^",]*\)"\{0,1\},\{0,1\}$/\1/p' "$scratch/$1.json" | head -1; }
checksum() { sed -n 's/.*"model_checksum": "\(.*\)".*/\1/p' "$scratch/$1.json"; }

# The memory that the run holds in its last step; later runs of the same command hold about the same.
run roomy automatic:250KiB --memory-limit 1048576GiB
resident=$(sed -n 's/.*under pressure [^ ]* \([0-9]*\) of 1125899906842624 bytes resident.*/\1/p' "$scratch/roomy.log" | tail -1)
[ "${resident:-0}" -gt 1000000 ] || fail "no resident bytes in the log: $(cat "$scratch/roomy.log")"
run half automatic:250KiB --memory-limit $((resident * 10 / 6))
run tight automatic:250KiB --memory-limit $((resident * 10 / 8))
run none automatic:250KiB --memory-limit 1000

chose() {
  [ "$(figure "$1" activations)" = "$2" ] || fail "$1: $(figure "$1" activations), not $2: $(cat "$scratch/$1.log")"
  [ "$(figure "$1" kept)" = "$3" ] || fail "$1 kept $(figure "$1" kept) micro-batches in 4 steps, not $3"
  [ "$(figure "$1" recomputed)" = $((32 - $3)) ] || fail "$1 recomputed $(figure "$1" recomputed)"
  grep -q "info: pipeline: 'stage 0': automatic policy selects $4 under pressure" "$scratch/$1.log" || fail "$1 logged no pick of $4"
  [ "$(checksum "$1")" = "$(checksum roomy)" ] || fail "$1 ended with other parameters"
}
chose roomy store-all 32 store-all
chose half selective:2 20 'selective(2)'
chose tight memory:256000 "$(figure tight kept)" 'memory-based(256000)'
chose none recompute-all 0 recompute-all
kept=$(figure tight kept)
[ "$kept" -ge 8 ] && [ "$kept" -lt 20 ] || fail "memory-based kept $kept of 32"
previous=$(figure roomy reserved_bytes)
for name in half tight none; do
  [ "$(figure $name reserved_bytes)" -lt "$previous" ] || fail "$name reserves $(figure $name reserved_bytes), no less than $previous"
  previous=$(figure $name reserved_bytes)
done

# Without --memory-limit, it is the memory that the process may use, of which a test uses little; without --verbose nothing is
# printed about it.
succeeds train --model mlp --data "$text" --batch 32 --steps 1 --quiet --stages 2 --micro-batches 8 --activations automatic
! grep -q info "$scratch/out" || fail "it speaks without --verbose"

refuses 1 "--memory-limit: requires --activations automatic" train --model mlp --data "$text" --stages 2 --memory-limit 1GiB --steps 1
refuses 1 "found a percentage" train --model mlp --data "$text" --stages 2 --activations automatic --memory-limit 40% --steps 1
refuses 1 "automatic[:BYTES]" train --model mlp --data "$text" --stages 2 --activations automatic:40% --steps 1
finish
