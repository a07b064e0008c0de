# list, show, copy, --json, .npz, and a mistyped command.
. "$(dirname "$0")/lib.sh"
text="$scratch/text"
make_text "$text"
# json_field KEY...: prints the value under these keys in the last output.
json_field() { /usr/bin/python3 -c 'import json, sys
value = json.load(open(sys.argv[1]))
for key in sys.argv[2:]:
    value = value[int(key) if isinstance(value, list) else key]
print(value)' "$scratch/stdout" "$@"; }
is() { [ "$1" = "$2" ] || fail "'$1' is not '$2'"; }

succeeds train --model mlp --data "$text" --batch 32 --steps 6 --save-every 2 --dir "$scratch/c" --quiet --seed 7
succeeds list "$scratch/c"
says "name "
says "step-000000000006"
says "complete"
is "$(sed -n 2p "$scratch/out" | awk '{print $2}')" 6
is "$(sed -n 4p "$scratch/out" | awk '{print $2}')" 2
succeeds list "$scratch/c" --json
is "$(json_field 0 step) $(json_field 2 step) $(json_field 0 state)" "6 2 complete"
# Dates: both JSON forms give the same second, which is less than an hour ago.
as_date() { date -u -d "@$(($1 / 1000000000))" +%Y-%m-%dT%H:%M:%SZ; }
saved=$(json_field 0 saved_utc)
is "$saved" "$(as_date "$(json_field 0 saved_utc_ns)")"
age=$(($(date -u +%s) - $(date -u -d "$saved" +%s)))
[ "$age" -ge 0 ] && [ "$age" -lt 3600 ] || fail "saved $saved, $age s ago"
succeeds list "$scratch/c"
says " saved "
is "$(sed -n 2p "$scratch/out" | grep -o '[0-9-]*T[0-9:]*Z  complete')" "$saved  complete"
succeeds show "$scratch/c"
says ", saved $saved, "
succeeds show "$scratch/c" --json
is "$(json_field saved_utc)" "$(as_date "$(json_field saved_utc_ns)")"
mkdir "$scratch/c/step-000000000008-0badcafe"
succeeds list "$scratch/c"
says "incomplete"
is "$(sed -n 2p "$scratch/out" | grep -o ' -  *incomplete' | tr -s ' ')" " - incomplete"
rmdir "$scratch/c/step-000000000008-0badcafe"
mkdir "$scratch/empty"
refuses 1 "contains no checkpoint" list "$scratch/empty"
refuses 1 "no-such" list "$scratch/no-such"

# Data saved in addition to the tensors, and dtype names.
succeeds show "$scratch/c"
says "step 6, "
says "seed: 7"
says "data_position: "
says "value "
[ "$(grep -n 'block\.2\.linear\.weight ' "$scratch/out" | head -n 1 | cut -d: -f1)" -lt "$(grep -n 'block\.10\.linear\.weight ' "$scratch/out" | head -n 1 | cut -d: -f1)" ] ||
  fail "block.10 stands before block.2"
succeeds show "$scratch/c" --json
is "$(json_field step) $(json_field seed) $(json_field files 0 name)" "6 7 model.safetensors"
is "$(json_field files 0 tensors 0 dtype)" F32
cp "$scratch/stdout" "$scratch/shown"
succeeds inspect "$scratch/c" --json
cmp -s "$scratch/shown" "$scratch/stdout" || fail "inspect is not show"
succeeds verify "$scratch/c" --json
is "$(json_field 0 tensors)" 105

# .npz wherever a file is read.
newest=$(find "$scratch/c" -name 'step-000000000006-*')
succeeds convert "$newest/model.safetensors" "$scratch/model.npz"
succeeds show "$scratch/model.npz"
says "35 tensors"
says "block.0.linear.weight"
succeeds diff "$scratch/model.npz" "$newest/model.safetensors"
says "35 tensors, 0 different"
succeeds diff "$scratch/model.npz" "$newest/model.safetensors" --json
is "$(json_field different)" 0
refuses 1 "largest absolute difference" diff "$(find "$scratch/c" -name 'step-000000000002-*')/model.safetensors" "$scratch/model.npz" --json
[ "$(json_field different)" -gt 0 ] || fail "no difference"
left=$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'ckpt-npz-*' -newer "$text" 2>/dev/null)
[ -z "$left" ] || fail "remaining files: $left"

# copy: the newest, one step, all; existing checkpoints remain, and the copy can be resumed from.
succeeds copy "$scratch/c" "$scratch/copy"
says "105 tensors"
says "verified"
succeeds diff "$scratch/c" "$scratch/copy"
succeeds list "$scratch/copy" --json
is "$(json_field 0 step)" 6
mv "$scratch/shown" "$scratch/stdout"
original=$(json_field seed; json_field data_position; json_field values)
succeeds show "$scratch/copy" --json
is "$(json_field seed; json_field data_position; json_field values)" "$original"
# Copying a step below the newest one is a roll-back in the target: the copied step is now the newest.
succeeds copy "$scratch/c" "$scratch/copy" --step 2
says "step 2 is saved although step 6 exists: generation 1"
succeeds list "$scratch/copy" --json
is "$(json_field 0 step) $(json_field 0 abandoned) $(json_field 1 step) $(json_field 1 abandoned)" "2 False 6 True"
succeeds copy "$scratch/c" "$scratch/all" --all
succeeds list "$scratch/all" --json
is "$(json_field 0 step) $(json_field 1 step) $(json_field 2 step)" "6 4 2"
succeeds copy "$scratch/c" "$scratch/told" --all --json
is "$(json_field copied 0 step) $(json_field copied 2 step) $(json_field copied 2 tensors)" "2 6 105"
succeeds convert "$newest/model.safetensors" "$scratch/told.npz" --json
is "$(json_field file) $(json_field tensors)" "$scratch/told.npz $(json_field tensors)"
[ "$(json_field tensors)" -gt 10 ] || fail "convert counts $(json_field tensors) tensors"
succeeds copy "$newest" "$scratch/one"
succeeds diff "$newest" "$scratch/one"
refuses 1 "contains no checkpoint of step 3" copy "$scratch/c" "$scratch/none" --step 3
refuses 2 "excludes" copy "$scratch/c" "$scratch/none" --step 2 --all
succeeds train --model mlp --data "$text" --batch 32 --steps 8 --dir "$scratch/copy" --quiet --seed 7 --resume require
succeeds train --model mlp --data "$text" --batch 32 --steps 8 --dir "$scratch/c" --quiet --seed 7 --resume require
succeeds diff "$scratch/c" "$scratch/copy"
printf '\377' | dd of="$scratch/one/$(ls "$scratch/one" | grep '^step-')/model.safetensors" bs=1 seek=100000 conv=notrunc 2>/dev/null
refuses 1 "model.safetensors" copy "$scratch/one" "$scratch/target"
[ -z "$(ls "$scratch/target" 2>/dev/null | grep '^step-')" ] || fail "a damaged checkpoint was copied"

# The manual page has the same content as --help, in roff without errors, if a formatter is installed.
"$ckpt" --manual >"$scratch/ckpt.1" || fail "--manual"
for word in train sample simulate list show verify diff copy convert; do grep -q "^\.SS $word\$" "$scratch/ckpt.1" || fail "no $word in the manual"; done
grep -qF '\-\-memory\-budget' "$scratch/ckpt.1" || fail "no option in the manual"
if command -v man >/dev/null && command -v groff >/dev/null; then
  LC_ALL=C MANWIDTH=100 man --warnings -l "$scratch/ckpt.1" >"$scratch/page" 2>"$scratch/out" || fail "man: $(cat "$scratch/out")"
  [ ! -s "$scratch/out" ] || fail "man: $(cat "$scratch/out")"
  grep -q -- "--memory-budget" "$scratch/page" || fail "no option on the page"
else
  echo "SKIP formatting of the manual page: man or groff not found"
fi

# Mistyped commands.
refuses 2 "unknown command 'lst'; did you mean 'list'?" lst
refuses 2 "did you mean 'verify'?" verfiy "$scratch/c"
refuses 2 "did you mean 'inspect'?" inspct
refuses 2 "did you mean 'convert'?" CONVERT
refuses 2 "expected one of train, sample, plan, simulate, list, show, verify, diff, copy, prune, pin, unpin, convert" frobnicate
refuses 2 "unknown command" "$(printf 'li\033[31mst')"
if grep -q "$(printf '\033')" "$scratch/out"; then fail "a control character reaches the terminal"; fi

# Without --data the first command of a new user works in any folder.
mkdir "$scratch/elsewhere"
(cd "$scratch/elsewhere" && "$ckpt" train --steps 3 --batch 4 --quiet >"$scratch/out" 2>&1) || fail "train without data: $(cat "$scratch/out")"
says "3 steps, loss"
finish
