# SIGTERM and Ctrl-C end a run after its step, with one last save and exit code 0; a resume simply continues.
. "$(dirname "$0")/lib.sh"
text="$scratch/text"
make_text "$text"
for mode in --async --sync; do
  for signal in TERM INT; do
    dir="$scratch/$signal$mode"
    "$ckpt" train --model mlp --data "$text" --batch 32 --steps 1000000 --save-every 3 --keep 2 --dir "$dir" --json "$dir.json" "$mode" --quiet >"$scratch/out" 2>&1 &
    run=$!
    # The handlers are installed before the first save.
    until [ -n "$(find "$dir" -name manifest.json 2>/dev/null)" ]; do kill -0 $run || break; done
    kill -s $signal $run
    wait $run || fail "$mode, SIG$signal: exit code $?: $(cat "$scratch/out")"
    says "interrupted at step"
    step=$(sed -n 's/.*"steps": \([0-9]*\).*/\1/p' "$dir.json")
    grep -q '"interrupted": true' "$dir.json" || fail "the report does not contain "interrupted": true"
    [ -n "$(find "$dir" -name "step-*$step-*")" ] || fail "step $step is not saved"
    succeeds verify "$dir"
    succeeds train --model mlp --data "$text" --batch 32 --steps $((step + 1)) --dir "$dir" --resume require --quiet
    says "at step $step"
  done
done
finish
