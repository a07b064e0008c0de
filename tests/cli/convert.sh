# convert: safetensors, checkpoints and NumPy's files, in both directions, byte for byte.
. "$(dirname "$0")/lib.sh"
text="$scratch/text"
make_text "$text"
succeeds train --model mlp --data "$text" --batch 32 --steps 1 --save-every 1 --dir "$scratch/c" --quiet
succeeds convert "$scratch/c" "$scratch/all.npz"
says "105 tensors"
succeeds convert "$scratch/all.npz" "$scratch/all.safetensors"
succeeds convert "$scratch/c" "$scratch/direct.safetensors"
succeeds diff "$scratch/all.safetensors" "$scratch/direct.safetensors"
says "105 tensors, 0 different"
succeeds inspect "$scratch/all.safetensors"
says "model.block.0.linear.weight"
succeeds convert "$scratch/c" "$scratch/model.npz" --group model
says "35 tensors"
succeeds convert "$scratch/model.npz" "$scratch/model.safetensors"
succeeds diff "$scratch/model.safetensors" "$(find "$scratch/c" -name model.safetensors)"
# The same input produces the same bytes.
succeeds convert "$scratch/model.safetensors" "$scratch/again.npz"
succeeds convert "$scratch/model.safetensors" "$scratch/again2.npz"
cmp "$scratch/again.npz" "$scratch/again2.npz" || fail "two conversions differ"

refuses 1 "expected a name that ends in" convert "$scratch/c" "$scratch/model.txt"
refuses 1 "no group other" convert "$scratch/c" "$scratch/x.npz" --group other
refuses 1 "has no groups" convert "$scratch/model.npz" "$scratch/x.safetensors" --group model
refuses 1 "no-such" convert "$scratch/no-such.npz" "$scratch/x.safetensors"
refuses 1 "no-such" convert "$scratch/no-such" "$scratch/x.npz"
refuses 1 "header" convert "$text" "$scratch/x.npz"
cp "$text" "$scratch/text.npz"
refuses 1 "text.npz" convert "$scratch/text.npz" "$scratch/x.safetensors"
refuses 2 "" convert "$scratch/c"
# A damaged array is refused: zip has a checksum for each.
size=$(wc -c <"$scratch/model.npz")
cp "$scratch/model.npz" "$scratch/bad.npz"
printf '\252\125' | dd of="$scratch/bad.npz" bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null
refuses 1 "array" convert "$scratch/bad.npz" "$scratch/x.safetensors"
[ ! -e "$scratch/x.safetensors" ] || fail "a failed conversion left a file"
[ ! -e "$scratch/x.npz" ] || fail "a failed conversion left an archive"

# NumPy itself, if installed.
python=
for candidate in python3 /usr/bin/python3; do
  "$candidate" -c 'import numpy' 2>/dev/null && python=$candidate
done
if [ -n "$python" ]; then
  "$python" - "$scratch" <<'PYTHON' || fail "numpy"
import numpy, sys, os
d = sys.argv[1]
a = numpy.load(os.path.join(d, "model.npz"))
assert len(a.files) == 35 and a["block.0.linear.weight"].shape == (256, 256)
numpy.savez_compressed(os.path.join(d, "odd.npz"),
    big=numpy.arange(6, dtype=">f8").reshape(2, 3), columns=numpy.asfortranarray(numpy.arange(24, dtype="i4").reshape(2, 3, 4)),
    scalar=numpy.float32(2.5), empty=numpy.zeros((0, 3), "f2"), flags=numpy.array([True, False]), complex=numpy.array([1 + 2j], ">c8"),
    row=numpy.arange(3, dtype="u2"))
numpy.savez(os.path.join(d, "text.npz"), t=numpy.array(["a text"]))
PYTHON
  succeeds convert "$scratch/odd.npz" "$scratch/odd.safetensors"
  says "7 tensors"
  succeeds convert "$scratch/odd.safetensors" "$scratch/back.npz"
  "$python" - "$scratch" <<'PYTHON' || fail "numpy reads something else back"
import numpy, sys, os
d = sys.argv[1]
a, b = numpy.load(os.path.join(d, "odd.npz")), numpy.load(os.path.join(d, "back.npz"))
assert sorted(a.files) == sorted(b.files)
for name in a.files:
    assert a[name].shape == b[name].shape and a[name].dtype.newbyteorder("=") == b[name].dtype, name
    assert numpy.array_equal(a[name], b[name]), name
PYTHON
  refuses 1 "no counterpart" convert "$scratch/text.npz" "$scratch/x.safetensors"
else
  echo "SKIP conversions of NumPy's own files: no python3 with numpy found"
fi
finish
