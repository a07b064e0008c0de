# The transformer of `ckpt train`: the same bits under a budget and after a resume, its held-out loss, its learning rates, and
# `ckpt sample`.
. "$(dirname "$0")/lib.sh"
text="$scratch/text"
make_text "$text"
value() { sed -n "s/.*\"$2\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" "$1" | head -n 1; }
checksum() { value "$scratch/$1.json" model_checksum; }
same() { [ -n "$(checksum "$1")" ] && [ "$(checksum "$1")" = "$(checksum "$2")" ] || fail "$2 ended with other parameters than $1"; }
small="--data $text --quiet --blocks 3 --width 32 --heads 2 --context 32 --batch 4"
# run NAME DIRECTORY ARG...
run() {
  name=$1
  directory=$2
  shift 2
  succeeds train $small --dir "$scratch/$directory" --json "$scratch/$name.json" "$@"
}

# The bits depend neither on the budget nor on the threads nor on an interruption.
run whole whole --steps 6
says "held-out loss "
says "the text's unigram entropy is "
for figure in held_out_loss unigram_entropy; do
  value "$scratch/whole.json" $figure | LC_ALL=C awk '{ exit !($1 > 0 && $1 < 20) }' || fail "$figure: $(value "$scratch/whole.json" $figure)"
done
[ "$(value "$scratch/whole.json" model)" = transformer ] || fail "the figures do not name the model"
run half half --steps 6 --memory-budget 50% --threads 1
same whole half
[ $(($(value "$scratch/half.json" reserved_bytes) * 2)) -le "$(value "$scratch/whole.json" reserved_bytes)" ] || fail "the budget was not kept"
# Layers are recomputed before or within their backward, whichever was measured to be faster. This planner recomputes them before.
run again again --steps 6 --planner periodic:2
same whole again
[ "$(value "$scratch/again.json" recomputed_forwards)" -gt 0 ] || fail "nothing ran again"
[ "$(value "$scratch/half.json" held_out_loss)" = "$(value "$scratch/whole.json" held_out_loss)" ] || fail "the budget changed the held-out loss"
run cut cut --steps 3
run resumed cut --steps 6 --resume require
says "resumed from step-000000000003"
same whole resumed
[ "$(value "$scratch/resumed.json" held_out_loss)" = "$(value "$scratch/whole.json" held_out_loss)" ] || fail "the resume changed the held-out loss"
run stages stages --steps 2 --stages 2 --micro-batches 2
! grep -q 'held-out' "$scratch/out" || fail "stages have no held-out loss"
! grep -q 'held_out_loss' "$scratch/stages.json" || fail "stages have no held-out loss in --json"

# A text that is too short to hold out a batch.
head -c 1500 "$text" >"$scratch/little"
succeeds train --data "$scratch/little" --quiet --blocks 1 --width 32 --heads 2 --context 32 --batch 4 --steps 1 --json "$scratch/little.json"
says "the held-out text of 93 bytes is shorter than a batch"
! grep -q 'held_out_loss' "$scratch/little.json" || fail "a held-out loss of no batch"
head -c 20 "$text" >"$scratch/less"
refuses 1 "has 20 bytes; expected at least 38 for a batch of 4 samples" train --data "$scratch/less" --context 32 --batch 4 --steps 1

# Learning rates: with a rate that decays up to the last step, an interrupted run gives the same result.
falling="--rate-kind cosine --warm-up 2 --last-rate 1e-4"
run cosine cosine --steps 6 $falling
[ "$(checksum cosine)" != "$(checksum whole)" ] || fail "the schedule changed nothing"
"$ckpt" train $small --dir "$scratch/ended" --steps 6 $falling --save-every 1 --keep 0 >"$scratch/out" 2>&1 || fail "$(cat "$scratch/out")"
for step in 4 5 6; do rm -r "$scratch/ended/step-00000000000$step-"*; done # as if it had been killed after its third step
run ended ended --steps 6 $falling --resume require
says "resumed from step-000000000003"
same cosine ended
run linear linear --steps 6 --rate-kind linear
[ "$(checksum linear)" != "$(checksum whole)" ] || fail "a linear schedule changed nothing"
refuses 1 "rate_steps 6, this run has 8" train $small --dir "$scratch/cosine" --steps 8 $falling
refuses 1 'rate_kind "constant", this run has "linear"' train $small --dir "$scratch/whole" --steps 8 --rate-kind linear
refuses 1 "warm_up 0, this run has 3" train $small --dir "$scratch/whole" --steps 8 --warm-up 3
refuses 1 "--last-rate: requires --rate-kind linear or cosine" train $small --last-rate 1e-4 --steps 1
refuses 1 "--last-rate 0.01 exceeds --learning-rate 0.001" train $small --rate-kind linear --last-rate 0.01 --steps 1
refuses 1 "--warm-up 9 exceeds --steps 3" train $small --rate-kind cosine --warm-up 9 --steps 3
refuses 2 "--rate-kind" train $small --rate-kind steep

# Checkpoints of another model, and flags that do not match.
succeeds train --model mlp --data "$text" --quiet --batch 8 --steps 1 --dir "$scratch/mlp" --json "$scratch/mlp.json"
! grep -q 'held-out' "$scratch/out" || fail "the mlp is trained on all of its text"
refuses 1 'has model "mlp", this run has "transformer"' train $small --steps 2 --dir "$scratch/mlp"
refuses 1 'has model "transformer", this run has "mlp"' train --model mlp --data "$text" --quiet --batch 4 --steps 9 --dir "$scratch/whole"
refuses 1 "width 32, this run has 64" train --data "$text" --quiet --blocks 3 --width 64 --heads 2 --context 32 --batch 4 --steps 9 --dir "$scratch/whole"
refuses 1 "--width 32: expected a multiple of --heads 3" train --data "$text" --width 32 --heads 3 --steps 1
for size in blocks width heads context; do refuses 2 "--$size: applies to --model transformer" train --model mlp --data "$text" --$size 2; done
refuses 2 "--model" train --model rnn

# sample: that many bytes after the prompt, the same for the same seed.
sampled() {
  name=$1
  shift
  "$ckpt" sample --dir "$scratch/whole" --prompt "line 7 of" "$@" >"$scratch/$name.txt" 2>"$scratch/out" || fail "sample $*: $(cat "$scratch/out")"
}
sampled first --length 50 --temperature 1 --seed 3
sampled again --length 50 --temperature 1 --seed 3 --threads 1
sampled other --length 50 --temperature 1 --seed 4
[ "$(wc -c <"$scratch/first.txt")" = 59 ] || fail "$(wc -c <"$scratch/first.txt") bytes, not the prompt's 9 and 50"
[ "$(head -c 9 "$scratch/first.txt")" = "line 7 of" ] || fail "the prompt does not stand first"
cmp -s "$scratch/first.txt" "$scratch/again.txt" || fail "the same seed gave another text"
! cmp -s "$scratch/first.txt" "$scratch/other.txt" || fail "another seed gave the same text"
# At temperature 0 the seed has no effect; a shorter sample is a prefix of a longer one.
sampled zero --length 40 --temperature 0 --seed 1
sampled sure --length 20 --temperature 0 --seed 2
[ "$(wc -c <"$scratch/sure.txt")" = 29 ] && head -c 29 "$scratch/zero.txt" | cmp -s - "$scratch/sure.txt" || fail "temperature 0 depends on more than the text"
sampled none --length 0
[ "$(cat "$scratch/none.txt")" = "line 7 of" ] || fail "no bytes are $(cat "$scratch/none.txt")"
# Only the last bytes count in a prompt longer than the context; any text is allowed.
succeeds sample --dir "$scratch/whole" --prompt "0123456789 a prompt that is much longer than the context of the model" --length 9 --temperature 0
tail -c 9 "$scratch/stdout" >"$scratch/long"
succeeds sample --dir "$scratch/whole" --prompt "is much longer than the context of the model" --length 9 --temperature 0
tail -c 9 "$scratch/stdout" | cmp -s - "$scratch/long" || fail "what the model cannot see changed its answer"
succeeds sample --dir "$scratch/whole" --prompt "https://~ " --length 1

refuses 2 "--prompt: the value is empty" sample --dir "$scratch/whole" --prompt ""
refuses 2 "--prompt" sample --dir "$scratch/whole"
refuses 1 "no-such" sample --dir "$scratch/no-such" --prompt a
mkdir "$scratch/nothing"
refuses 1 "contains no checkpoint" sample --dir "$scratch/nothing" --prompt a
refuses 1 'model is "mlp"; expected a transformer' sample --dir "$scratch/mlp" --prompt a
for temperature in -1 nan inf 1e999 x; do refuses 2 "--temperature: '$temperature'" sample --dir "$scratch/whole" --prompt a --temperature=$temperature; done
for length in -1 1.5 x; do refuses 2 "--length: '$length'" sample --dir "$scratch/whole" --prompt a --length=$length; done
finish
