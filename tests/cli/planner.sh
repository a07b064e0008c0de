# `ckpt train --planner`: the same bits with every planner, budgets that are kept, and refusals with both figures.
. "$(dirname "$0")/lib.sh"
text="$scratch/text"
make_text "$text"
value() { sed -n "s/.*\"$2\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" "$1" | head -n 1; }
run() {
  name=$1
  shift
  succeeds train --model mlp --data "$text" --batch 32 --steps 2 --quiet --dir "$scratch/$name" --json "$scratch/$name.json" "$@"
}

run all
wanted=$(value "$scratch/all.json" model_checksum)
[ -n "$wanted" ] || fail "no checksum"
all_bytes=$(value "$scratch/all.json" reserved_bytes)
budget=$((all_bytes * 2 / 5))
run usual --memory-budget 40%
run chain --memory-budget 40% --planner chain
run tapes --memory-budget "$budget" --planner tapes
run revolve --memory-budget 40% --planner revolve
run periodic --memory-budget 60% --planner periodic:3
run given --planner "chain:$budget"
run simple --planner recompute-all
run strategy --memory-budget 90% --strategy interval:4
for name in usual chain tapes revolve periodic given simple strategy; do
  [ "$(value "$scratch/$name.json" model_checksum)" = "$wanted" ] || fail "$name: other parameters than with everything stored"
  [ "$(value "$scratch/$name.json" recomputed_forwards)" -gt 0 ] || fail "$name: nothing ran again"
done
for name in usual chain tapes revolve given; do
  got=$(value "$scratch/$name.json" reserved_bytes)
  [ "$got" -le "$budget" ] || fail "$name: $got bytes, more than $budget"
done
[ "$(value "$scratch/periodic.json" schedule)" = "periodic(3)" ] || fail "periodic:3 became $(value "$scratch/periodic.json" schedule)"
case $(value "$scratch/chain.json" schedule) in chain*) ;; *) fail "chain became $(value "$scratch/chain.json" schedule)" ;; esac

# The default is that of `ckpt plan` (tests/cli/plan.py checks which planner that command uses).
for command in train plan; do "$ckpt" $command --help | grep -qE -- '--planner TEXT *[=[]auto' || fail "ckpt $command has another default planner"; done

# The measured times of steps are reported next to the planned ones.
for figure in plan_seconds measured_seconds refined_seconds; do
  value "$scratch/chain.json" "$figure" | awk '{ exit !($1 > 0) }' || fail "$figure: $(value "$scratch/chain.json" "$figure")"
done

# Over the budget: refused before anything starts, with both figures.
small=$((all_bytes / 4))
refuses 1 "--planner store-all reserves $all_bytes bytes" train --model mlp --data "$text" --batch 32 --quiet --planner store-all --memory-budget "$small" --dir "$scratch/none"
says "more than the budget of $small bytes"
refuses 1 "--strategy: the schedule " train --model mlp --data "$text" --batch 32 --quiet --strategy interval:100 --memory-budget "$small" --dir "$scratch/none"
says "more than the budget of $small bytes"
refuses 1 "budget_bytes is $((small / 2)); schedule 'stage 0 of 2, 1 micro-batches: Interval(100)' reserves " train --model mlp --data "$text" --batch 32 --quiet --strategy interval:100 --memory-budget "$small" --stages 2 --dir "$scratch/none"
refuses 1 "the smallest that works for this chain is" train --model mlp --data "$text" --batch 32 --quiet --planner tapes --memory-budget 1KiB --dir "$scratch/none"
# A budget in percent is also reported in percent, for one executor and for stages.
prints() { grep -qE -- "$1" "$scratch/out" || fail "no '$1' in: $(cat "$scratch/out")"; }
refuses 1 "--memory-budget 0.01% is " train --model mlp --data "$text" --batch 32 --quiet --planner tapes --memory-budget 0.01% --dir "$scratch/none"
prints "the smallest that works for this chain is [0-9]+ \([0-9.]+%\)"
refuses 1 "--memory-budget 0.01% is " train --model mlp --data "$text" --batch 32 --quiet --memory-budget 0.01% --stages 2 --dir "$scratch/none"
prints "the smallest that works for .* is [0-9]+ \([0-9.]+%\)"
refuses 1 "--planner store-all reserves $all_bytes bytes (" train --model mlp --data "$text" --batch 32 --quiet --planner store-all --memory-budget 50% --dir "$scratch/none"
prints ", 100\.0%\), more than the budget of [0-9]+ bytes \(.*, 50%\)"
refuses 1 "--planner: 'chain' needs a value; use --memory-budget, or chain:BYTES" train --model mlp --data "$text" --quiet --planner chain --dir "$scratch/none"
refuses 1 "applies to runs without stages" train --model mlp --data "$text" --quiet --planner chain --memory-budget 40% --stages 2 --dir "$scratch/none"
refuses 1 "NOT_FOUND" train --model mlp --data "$text" --quiet --planner nonsense --dir "$scratch/none"
[ ! -e "$scratch/none" ] || fail "a refused run made its directory"
finish
