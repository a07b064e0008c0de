#!/bin/sh
# Measures the strategies on the mlp of `ckpt train` and prints the table of docs/explanation/benchmarks.md.
# usage: strategy_table.sh CKPT   (the built command; run it in the source tree, on an idle machine)
set -eu

ckpt=$1
steps=${CKPT_TABLE_STEPS:-40}
report=$(mktemp "${TMPDIR:-/tmp}/ckpt-table.XXXXXX")
trap 'rm -f "$report"' EXIT
field() { sed -n "s/^ *\"$1\": *\"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" "$report"; }

printf '| strategy | peak live bytes | share of storing everything | forwards run again a step | ms a step |\n|---|---|---|---|---|\n'
stored=
for strategy in selective:nobody interval:1 interval:2 interval:4 interval:8 interval:16 size:256KiB 'selective:*.gelu' \
  'selective:*.linear,*.gelu' smart memory-aware:0.8 'any(selective:*.gelu,interval:8)'; do
  "$ckpt" train --model mlp --steps "$steps" --strategy "$strategy" --quiet --json "$report" >/dev/null
  peak=$(field peak_live_bytes)
  [ -n "$stored" ] || stored=$peak
  printf '| `%s` | %s | %s%% | %s | %s |\n' "$strategy" "$peak" $((peak * 100 / stored)) "$(field recomputed_forwards_per_step | cut -c 1-6)" \
    "$(awk "BEGIN { printf \"%.1f\", $(field seconds_per_step) * 1000 }")"
done
