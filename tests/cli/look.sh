# inspect and verify: the contents of a checkpoint, and the first bad byte by file and tensor.
. "$(dirname "$0")/lib.sh"
text="$scratch/text"
make_text "$text"
succeeds --version
succeeds train --help
succeeds train --model mlp --data "$text" --batch 32 --steps 4 --save-every 2 --dir "$scratch/c" --quiet
succeeds inspect "$scratch/c"
says "model.safetensors: 35 tensors"
says "block.0.linear.weight"
says "[256, 256]"
says "262144 bytes"
says "optimizer.safetensors: 70 tensors"
newest=$(find "$scratch/c" -name 'step-000000000004-*')
succeeds inspect "$newest"
succeeds inspect "$newest/model.safetensors"
says "F32"
succeeds verify "$scratch/c"
says "step-000000000004"
says "step-000000000002"
succeeds verify "$newest"

# diff: 0 only if everything is equal.
succeeds diff "$scratch/c" "$newest"
says "105 tensors, 0 different"
succeeds diff "$newest/model.safetensors" "$newest/model.safetensors"
older=$(find "$scratch/c" -name 'step-000000000002-*')
refuses 1 "largest absolute difference" diff "$older" "$newest"
refuses 1 "only in $newest" diff "$newest/model.safetensors" "$newest"
refuses 1 "no-such" diff "$newest" "$scratch/no-such"

# A directory left by an interrupted save is neither a checkpoint nor an error.
mkdir "$scratch/c/step-000000000006-0badcafe"
succeeds verify "$scratch/c"
says "no manifest"

printf '\377' | dd of="$newest/optimizer.safetensors" bs=1 seek=100000 conv=notrunc 2>/dev/null
refuses 1 "optimizer.safetensors" verify "$scratch/c"
says "block."
refuses 1 "optimizer.safetensors" inspect "$newest"
refuses 1 "optimizer.safetensors" inspect "$scratch/c"
finish
