#!/bin/sh
# Demonstration: (a) trains storing everything; (b) trains under 40% of (a)'s activation memory; (c) repeats (b), is killed with
# SIGKILL while a save is staged (its data is copied, and training continues) but not yet durable, and resumes. Fails unless all three
# end with bit-identical parameters.
# usage: demo.sh CKPT   (the built command)
set -eu

ckpt=$1
steps=${CKPT_DEMO_STEPS:-100}
work=$(mktemp -d "${TMPDIR:-/tmp}/ckpt-demo.XXXXXX")
trainer=
cleanup() {
  [ -z "$trainer" ] || kill -KILL "$trainer" 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

say() { printf '\n== %s\n' "$*"; }
die() {
  printf 'demo: %s\n' "$*" >&2
  exit 1
}
# field FILE KEY: prints one value of the flat JSON file written by `ckpt train --json`.
field() { sed -n "s/^ *\"$2\": *\"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" "$1"; }

train() { "$ckpt" train --steps "$steps" "$@"; }

# True while a save is staged but not durable: its directory is created after its bytes are copied, and only its manifest commits it.
# Starts no process, because on a fast disk a save takes only a few milliseconds.
saving() {
  for newest in "$work/c"/step-*; do :; done
  [ -d "$newest" ] && [ ! -e "$newest/manifest.json" ]
}

say "(a) $steps steps, everything stored"
train --dir "$work/a" --json "$work/a.json"

say "(b) the same under 40% of (a)'s activation memory"
train --memory-budget 40% --dir "$work/b" --json "$work/b.json"

say "(c) as (b), killed between staged and durable"
"$ckpt" train --steps "$steps" --memory-budget 40% --dir "$work/c" --save-every 5 --quiet & # no function: $! must be ckpt itself
trainer=$!
killed=no
while kill -0 "$trainer" 2>/dev/null; do
  saving || continue
  # Stop the process and check again: the save can have ended in between. A stopped process does not continue its save.
  kill -STOP "$trainer" 2>/dev/null || break
  if saving && [ "$(find "$work/c" -name manifest.json | wc -l)" -ge 1 ]; then
    kill -KILL "$trainer"
    killed=yes
    break
  fi
  kill -CONT "$trainer"
done
# `wait` can report the stop first. Until the process has ended, it holds the directory's lock.
while kill -0 "$trainer" 2>/dev/null; do wait "$trainer" 2>/dev/null || true; done
trainer=
[ "$killed" = yes ] || die "the run ended before it could be killed between staged and durable"
printf 'killed while %s was staged and not durable: it has no manifest\n' "$(basename "$newest")"

say "(c) resumed"
train --memory-budget 40% --dir "$work/c" --save-every 5 --resume require --json "$work/c.json"
"$ckpt" verify "$work/c"

row() {
  printf '%-28s %12s %12s %11s %9s %12s %7s %13s %15s  %s\n' "$@"
}
milliseconds() { field "$file" "$1" | awk '{ printf "%.2f", $1 * 1000 }'; }
table_row() {
  file="$work/$1.json"
  row "$2" "$(field "$file" peak_live_bytes)" "$(field "$file" reserved_bytes)" "$(field "$file" recomputed_forwards)" \
    "$(field "$file" seconds_per_step | cut -c 1-7)" "$(field "$file" final_loss | cut -c 1-10)" "$(field "$file" checkpoints_written)" \
    "$(milliseconds stall_seconds_per_save)" "$(milliseconds durable_seconds_per_save)" "$(field "$file" model_checksum)"
}

say "result"
row run "peak live B" "reserved B" recomputed "s/step" "final loss" saves "ms stall/save" "ms durable/save" "parameters (XXH3-128)"
table_row a "(a) store all"
table_row b "(b) 40% budget"
table_row c "(c) killed, resumed at $(field "$work/c.json" first_step)"

reserved_a=$(field "$work/a.json" reserved_bytes)
reserved_b=$(field "$work/b.json" reserved_bytes)
sum_a=$(field "$work/a.json" model_checksum)
[ -n "$sum_a" ] || die "(a) has no checksum of its parameters"
for run in b c; do
  [ "$(field "$work/$run.json" model_checksum)" = "$sum_a" ] || die "($run)'s parameters differ from (a)'s"
  [ "$(field "$work/$run.json" final_loss)" = "$(field "$work/a.json" final_loss)" ] || die "($run)'s final loss differs from (a)'s"
done
[ $((reserved_b * 100)) -le $((reserved_a * 40)) ] || die "(b) reserved $reserved_b bytes: more than 40% of $reserved_a"
[ "$(field "$work/c.json" first_step)" -gt 0 ] || die "(c) did not resume"
# The model must beat byte frequencies on text that was held out from training. Fewer than 100 steps are too few for that.
held_out=$(field "$work/a.json" held_out_loss)
unigram=$(field "$work/a.json" unigram_entropy)
[ -n "$held_out" ] && [ -n "$unigram" ] || die "(a) has no held-out loss"
printf '\nheld-out loss %s nats per byte; unigram entropy of the text %s nats per byte\n' "$held_out" "$unigram"
[ "$steps" -lt 100 ] || LC_ALL=C awk "BEGIN { exit !($held_out + 0.3 <= $unigram) }" ||
  die "the held-out loss $held_out is not 0.3 nats below the unigram entropy $unigram"
printf '\n(a), (b) and (c) ended with bit-identical parameters; (b) reserved %s%% of (a).\n' $((reserved_b * 100 / reserved_a))
