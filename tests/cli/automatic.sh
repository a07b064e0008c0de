# `ckpt train --save-every auto` and `ckpt simulate`.
. "$(dirname "$0")/lib.sh"
text="$scratch/text"
make_text "$text"
trainer=
trap '[ -z "$trainer" ] || kill -KILL "$trainer" 2>/dev/null; rm -rf "$scratch"' EXIT
checksum() { sed -n 's/.*"model_checksum": "\(.*\)".*/\1/p' "$1"; }
saved() { [ "$(find "$scratch/run" -name manifest.json 2>/dev/null | wc -l)" -ge 1 ]; }
# learned KEY: prints the value of a key in the newest checkpoint's controller.
learned() { cat "$(find "$scratch/run" -name manifest.json | LC_ALL=C sort | tail -n 1)" | tr -d ' \n' | grep -o "\"$1\":[a-z0-9.]*" | head -n 1; }
start() {
  "$ckpt" train --model mlp --data "$text" --batch 32 --quiet --steps 1000000 --dir "$scratch/run" --save-every auto "$@" >"$scratch/out" 2>&1 &
  trainer=$!
}

# Killed after its first save: the next run counts a failure, and records that the checkpoint was worth its cost.
start --first-save-seconds 0
until saved; do kill -0 "$trainer" 2>/dev/null || { fail "the run ended: $(cat "$scratch/out")"; break; }; done
kill -KILL "$trainer"
wait "$trainer" 2>/dev/null
[ "$(learned running)" = '"running":true' ] || fail "a checkpoint during the run contains $(learned running)"

# A signal ends the run with one last save and exit code 3; the learned state is in it.
for signal in TERM USR1; do
  start --resume require
  # The controller handles signals once the resume is reported.
  until grep -q 'resumed from' "$scratch/out"; do kill -0 "$trainer" 2>/dev/null || { fail "no resume: $(cat "$scratch/out")"; break; }; done
  sleep 1
  kill -"$signal" "$trainer"
  wait "$trainer"
  code=$?
  trainer=
  [ "$code" = 3 ] || fail "SIG$signal: exit code $code: $(cat "$scratch/out")"
  says "ended by a preemption notice after step"
  says "(saved)"
  [ "$(learned running)" = '"running":false' ] || fail "after a notice the checkpoint contains $(learned running)"
  [ "$(learned failures)" = '"failures":1' ] || fail "the controller counts $(learned failures)"
done
succeeds verify "$scratch/run"

# An automatic run ends with the same bits as one without saves.
succeeds train --model mlp --data "$text" --batch 32 --quiet --steps 9 --dir "$scratch/auto" --save-every auto --first-save-seconds 0 --json "$scratch/a.json"
succeeds train --model mlp --data "$text" --batch 32 --quiet --steps 9 --dir "$scratch/none" --json "$scratch/n.json"
[ -n "$(checksum "$scratch/a.json")" ] || fail "no checksum"
[ "$(checksum "$scratch/a.json")" = "$(checksum "$scratch/n.json")" ] || fail "saves changed the result"

refuses 2 "expected a number of steps or auto" train --save-every often
refuses 2 "expected a number of steps or auto" train --save-every -3
refuses 1 "--save-every auto needs --dir" train --model mlp --data "$text" --save-every auto

printf '# seconds\n9000\n400\n70000\n12000\n33000\n' >"$scratch/trace"
succeeds simulate --trace "$scratch/trace" --cost 60 --policies auto,daly,fixed:900 --json "$scratch/s.json" --report "$scratch/page.html"
says "fixed:900"
says "clairvoyant bound"
grep -q '"failures": 5' "$scratch/s.json" || fail "the figures do not have the trace's five failures"
grep -q '<svg' "$scratch/page.html" || fail "the page has no curves"
grep -q 'clairvoyant bound' "$scratch/page.html" || fail "the page does not show the bound"
grep -q '<h3>fixed:900</h3>' "$scratch/page.html" || fail "the page does not show what each policy learns"
! grep -qE "https?:" "$scratch/page.html" || fail "the page needs other files"
succeeds simulate --trace weibull:0.7:1e6 --nodes 50 --failures 20 --replicas 2 --remote-every 4 --local-cost 5 --remote-share 0.2 --policies auto
refuses 1 "cannot open $scratch/nowhere" simulate --trace "$scratch/nowhere"
printf '5\nfive\n' >"$scratch/bad"
refuses 1 "line 2: 'five'" simulate --trace "$scratch/bad"
refuses 1 "MTBF is '-1'" simulate --trace exponential:-1
refuses 1 "policy is 'best'" simulate --trace exponential:1000 --policies best
refuses 2 "--cost: '0'" simulate --trace exponential:1000 --cost 0
refuses 2 "--trace" simulate
finish
