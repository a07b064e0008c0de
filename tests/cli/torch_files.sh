# .pt files of torch.save, made without PyTorch: what they become, and what is refused by name and not run.
. "$(dirname "$0")/lib.sh"
python=
for candidate in python3 /usr/bin/python3; do "$candidate" -c 'import zlib' 2>/dev/null && python=$candidate && break; done
if [ -n "$python" ]; then
  "$python" "$(dirname "$0")/torch_files.py" "$ckpt" "$scratch" || fail "torch_files.py"
else
  echo "SKIP files of torch.save: no python3"
fi
finish
