# A run that was interrupted ends with the same bits as an uninterrupted one, under any budget; and it refuses to resume with other
# settings.
. "$(dirname "$0")/lib.sh"
text="$scratch/text"
make_text "$text"
checksum() { sed -n 's/.*"model_checksum": "\(.*\)".*/\1/p' "$1"; }
train() { succeeds train --model mlp --data "$text" --batch 32 --quiet "$@"; }

train --steps 9 --dir "$scratch/whole" --json "$scratch/whole.json"
train --steps 4 --dir "$scratch/cut" --memory-budget 40%
train --steps 9 --dir "$scratch/cut" --resume require --threads 1 --strategy interval:3 --json "$scratch/cut.json"
says "resumed from step-000000000004"
[ -n "$(checksum "$scratch/whole.json")" ] || fail "no checksum in the report"
[ "$(checksum "$scratch/whole.json")" = "$(checksum "$scratch/cut.json")" ] || fail "the resumed run ended with other parameters"
grep -q '"first_step": 4' "$scratch/cut.json" || fail "the report does not contain the first step"

# With no steps left, the run succeeds and changes nothing.
train --steps 9 --dir "$scratch/cut" --json "$scratch/again.json"
[ "$(checksum "$scratch/again.json")" = "$(checksum "$scratch/cut.json")" ] || fail "a finished run changed"

refuses 1 "this run has 2; use the same" train --model mlp --data "$text" --batch 32 --seed 2 --steps 12 --dir "$scratch/cut"
refuses 1 "batch 32" train --model mlp --data "$text" --batch 16 --steps 12 --dir "$scratch/cut"
printf 'one more line\n' >>"$text"
refuses 1 "data_" train --model mlp --data "$text" --batch 32 --steps 12 --dir "$scratch/cut"
refuses 1 "requires an empty directory" train --model mlp --data "$text" --batch 32 --resume never --dir "$scratch/cut"

# A damaged newest checkpoint: the run falls back to the previous one, reports it, and ends with the same bits.
make_text "$text"
train --steps 8 --dir "$scratch/two" --save-every 4
newest=$(find "$scratch/two" -name 'step-000000000008-*')
printf 'X' | dd of="$newest/model.safetensors" bs=1 seek=5000 conv=notrunc 2>/dev/null
train --steps 9 --dir "$scratch/two" --json "$scratch/two.json"
says "resumed from step-000000000004"
says "damaged ones were skipped"
[ "$(checksum "$scratch/two.json")" = "$(checksum "$scratch/whole.json")" ] || fail "after falling back the run ended with other parameters"

# Only the newest checkpoints are kept.
train --steps 12 --dir "$scratch/keep" --save-every 2 --keep 2 --memory-report "$scratch/memory.json"
[ "$(find "$scratch/keep" -name manifest.json | wc -l)" = 2 ] || fail "--keep 2 kept another number"
grep -q '"timeline"' "$scratch/memory.json" || fail "the memory report has no timeline"
grep -q 'block.3.gelu' "$scratch/memory.json" || fail "the memory report does not name layers"
finish
