# Stages: the same bits for every number of stages and schedule, a timeline, a page, and refused options.
. "$(dirname "$0")/lib.sh"
text="$scratch/text"
make_text "$text"
checksum() { sed -n 's/.*"model_checksum": "\(.*\)".*/\1/p' "$1"; }
run() {
  name=$1
  shift
  succeeds train --model mlp --data "$text" --batch 32 --steps 3 --quiet --dir "$scratch/$name" --json "$scratch/$name.json" "$@"
  [ -n "$(checksum "$scratch/$name.json")" ] || fail "no checksum in the report of $name"
}

run one --micro-batches 4
run gpipe --micro-batches 4 --stages 2 --schedule gpipe --activations recompute-all
run f1b1 --micro-batches 4 --stages 3 --schedule 1f1b --memory-budget 60% --timeline "$scratch/trace.json" --report "$scratch/page.html"
run interleaved --micro-batches 4 --stages 2 --schedule interleaved --strategy interval:3 --activations selective:2
for name in gpipe f1b1 interleaved; do
  [ "$(checksum "$scratch/$name.json")" = "$(checksum "$scratch/one.json")" ] || fail "$name ended with other parameters than one stage"
done
grep -q '"traceEvents"' "$scratch/trace.json" || fail "no trace events"
grep -q 'stage 2' "$scratch/trace.json" || fail "the trace does not name the last stage"
grep -q '<svg class="frame" ' "$scratch/page.html" || fail "the page has no picture"
grep -q 'stage 2, backward of micro-batch 3' "$scratch/page.html" || fail "the picture does not show the last backward"
! grep -qE '(src|href)="?http' "$scratch/page.html" || fail "the page needs other files"

# A run resumes with other stages, but not with other micro-batches.
succeeds train --model mlp --data "$text" --batch 32 --steps 5 --quiet --dir "$scratch/one" --micro-batches 4 --stages 2
says "resumed from step-000000000003"
refuses 1 "micro_batches" train --model mlp --data "$text" --batch 32 --steps 7 --quiet --dir "$scratch/one" --micro-batches 2

refuses 2 "--stages" train --stages 0
refuses 2 "--schedule" train --schedule zigzag
refuses 1 "expected a divisor" train --model mlp --data "$text" --batch 32 --micro-batches 5 --steps 1 --quiet
refuses 1 "shows one step without stages" train --model mlp --data "$text" --batch 32 --stages 2 --steps 1 --quiet --report "$scratch/step.svg"
[ ! -e "$scratch/step.svg" ] || fail "there is a picture all the same"
refuses 1 "expected store-all, recompute-all" train --model mlp --data "$text" --batch 32 --activations nothing --steps 1 --quiet
refuses 1 "layers" train --model mlp --data "$text" --batch 32 --stages 400 --steps 1 --quiet
refuses 1 "cannot write" train --model mlp --data "$text" --batch 32 --stages 2 --steps 1 --quiet --report "$scratch/none/page"
finish
