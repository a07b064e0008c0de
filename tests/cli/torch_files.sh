# .pt files of torch.save, created without PyTorch: their conversions, and functions that are refused by name and never run.
. "$(dirname "$0")/lib.sh"
python=
for candidate in python3 /usr/bin/python3; do "$candidate" -c 'import zlib' 2>/dev/null && python=$candidate && break; done
if [ -n "$python" ]; then
  "$python" "$(dirname "$0")/torch_files.py" "$ckpt" "$scratch" || fail "torch_files.py"
else
  echo "SKIP files of torch.save: no python3"
fi
# A directory of checkpoints may have any name.
make_text "$scratch/text"
succeeds train --model mlp --data "$scratch/text" --batch 32 --steps 1 --dir "$scratch/run.pt" --quiet
succeeds convert "$scratch/run.pt" "$scratch/run.safetensors"
says "105 tensors"
finish
