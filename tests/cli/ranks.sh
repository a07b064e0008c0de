# The command with checkpoints of several ranks: those of tests/state/golden/v2, by three ranks.
. "$(dirname "$0")/lib.sh"
cp -r "$(dirname "$0")/../state/golden/v2" "$scratch/c"
newest=$(basename "$scratch"/c/step-000000001200-*)

succeeds list "$scratch/c"
says "$newest"
says "complete"
succeeds show "$scratch/c"
says "step 1200, "
says "model, of 3 ranks: 5 tensors"
says "rows    F32"
says "[7, 5]"
succeeds show "$scratch/c/$newest"
says "[4, 6]"
succeeds verify "$scratch/c"
says "6 tensors"

# copy merges them: shards become complete tensors, in the format of one rank.
succeeds copy "$scratch/c" "$scratch/one"
says "6 tensors"
succeeds diff "$scratch/c" "$scratch/one"
says "6 tensors, 0 different"
grep -q '"format_version":1' "$scratch"/one/*/manifest.json || fail "a copy of one process is not of format 1"
succeeds convert "$scratch/c" "$scratch/model.safetensors" --group model
says "5 tensors"
succeeds convert "$scratch/c" "$scratch/one.safetensors"
says "6 tensors"
succeeds convert "$scratch/c" "$scratch/folder/" --file-bytes 100
says "6 tensors in 4 files"
succeeds diff "$scratch/one.safetensors" "$scratch/folder"
says "6 tensors, 0 different"
succeeds convert "$scratch/c" "$scratch/json/" --json
says '"files": 1'
# The same file as from a checkpoint of one process.
succeeds convert "$scratch/one" "$scratch/again.safetensors"
cmp "$scratch/one.safetensors" "$scratch/again.safetensors" || fail "a file depends on the number of ranks"
refuses 1 "expected an empty folder" convert "$scratch/c" "$scratch/folder/"
refuses 1 "expected an amount of bytes" convert "$scratch/c" "$scratch/other/" --file-bytes 40%
[ ! -e "$scratch/other" ] || fail "a refused conversion made a folder"

# A damaged or missing part is named.
part="$scratch/c/$newest/rank00001-of-00003.json"
cp "$part" "$scratch/part"
printf ' ' | dd of="$part" bs=1 seek=40 conv=notrunc 2>/dev/null
refuses 1 "rank00001-of-00003.json" verify "$scratch/c/$newest"
refuses 1 "rank00001-of-00003.json" convert "$scratch/c/$newest" "$scratch/bad.safetensors"
[ ! -e "$scratch/bad.safetensors" ] || fail "a failed conversion left a file"
rm "$part"
refuses 1 "rank00001-of-00003.json" verify "$scratch/c/$newest"
cp "$scratch/part" "$part"
succeeds verify "$scratch/c/$newest"
finish
