# Files with false sizes in their headers: refused before memory is allocated for the claimed sizes.
. "$(dirname "$0")/lib.sh"
files="$scratch/files"
mkdir "$files"
text="$scratch/text"
make_text "$text"
limit=1000000 # KiB of address space
(ulimit -v $limit && "$ckpt" --version) >/dev/null 2>&1 || {
  echo "SKIP the limit on memory: this build does not start under it (a sanitizer's shadow memory)"
  limit=unlimited
}

# refuses_soon TEXT ARG...: expects exit code 1 with TEXT, soon, within the limit, and not because the limit was reached.
refuses_soon() {
  wanted=$1
  shift
  (ulimit -v $limit && exec timeout 60 "$ckpt" "$@") >"$scratch/out" 2>&1
  code=$?
  [ $code = 1 ] || fail "ckpt $*: exit code $code: $(head -c 300 "$scratch/out")"
  says "$wanted"
  ! grep -qi 'bad_alloc\|out of memory\|OUT_OF_MEMORY' "$scratch/out" || fail "ckpt $*: met the limit: $(cat "$scratch/out")"
}

python=
for candidate in python3 /usr/bin/python3; do "$candidate" -c 'import zlib' 2>/dev/null && python=$candidate && break; done
if [ -n "$python" ]; then
  "$python" - "$files" <<'PYTHON' || fail "the files could not be made"
import os, struct, sys, zlib

folder = sys.argv[1]
huge = 3 << 30


def npy(shape, dtype="<f8", version=1, length=None):
    text = ("{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (dtype, shape)).ljust(117) + "\n"
    size = len(text) if length is None else length
    return b"\x93NUMPY" + bytes((version, 0)) + struct.pack("<H" if version == 1 else "<I", size) + text.encode()


def deflated(head, zeros):
    """A stream of head and that many zeros, produced from one repeated piece."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    first = packer.compress(head) + packer.flush(zlib.Z_FULL_FLUSH)
    piece = packer.compress(bytes(1 << 24)) + packer.flush(zlib.Z_FULL_FLUSH)
    return first + piece * (zeros >> 24) + packer.flush(zlib.Z_FINISH)


def archive(name, *entries):
    """entries: name, method, bytes in the archive, their claimed number, the claimed size of the content; or a name alone, which
    is another name of the previous entry."""
    out, central, at = b"", b"", 0
    for entry in entries:
        title = entry[0].encode()
        if len(entry) > 1:
            _, method, data, packed, size, crc = (*entry, 0)[:6]
            at = len(out)
            big = max(packed, size) > 0xFFFFFFFE
            sizes = (0xFFFFFFFF, 0xFFFFFFFF) if big else (packed, size)
            extra = struct.pack("<HHQQ", 1, 16, size, packed) if big else b""
            out += struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 45, 0, method, 0, 33, crc, *sizes, len(title), len(extra)) + title + extra + data
        central += struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 45, 45, 0, method, 0, 33, crc, *sizes, len(title), len(extra), 0, 0, 0, 0, at)
        central += title + extra
    end = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, len(entries), len(entries), len(central), len(out), 0)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(out + central + end)


small = npy("(4,)")
bomb = deflated(small, huge)
assert len(bomb) < 4 << 20
archive("shape.npz", ("a.npy", 8, bomb, len(bomb), len(small) + huge))
archive("content.npz", ("a.npy", 8, bomb, len(bomb), len(small) + 32))
head = npy("(%d,)" % (1 << 28))
few = deflated(head, 0)
archive("ratio.npz", ("a.npy", 8, few, len(few), len(head) + (1 << 31)))
archive("packed.npz", ("a.npy", 8, few, 2 << 30, len(head) + (1 << 31)))
archive("stored.npz", ("a.npy", 0, head, len(head), len(head) + (1 << 31)))
archive("beyond.npz", ("a.npy", 0, head, len(head) + (1 << 31), len(head) + (1 << 31)))
overflow = npy("(%d, %d, %d)" % (1 << 40, 1 << 40, 1 << 40))
archive("overflow.npz", ("a.npy", 0, overflow, len(overflow), len(overflow)))
long = npy("(4,)", version=2, length=2 << 30)
data = deflated(long, huge)
archive("header.npz", ("a.npy", 8, data, len(data), len(long) + huge))
archive("method.npz", ("a.npy", 14, small, len(small), len(small) + 32))
honest = npy("(%d,)" % (1 << 21)) + bytes(1 << 24)
packer = zlib.compressobj(9, zlib.DEFLATED, -15)
data = packer.compress(honest) + packer.flush()
archive("overlap.npz", ("a.npy", 8, data, len(data), len(honest), zlib.crc32(honest)), *[("%d.npy" % i,) for i in range(500)])


def safetensors(name, text, length=None, data=b""):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(struct.pack("<Q", len(text) if length is None else length) + text.encode() + data)


tensor = '{"a":{"dtype":"F64","shape":[%d],"data_offsets":[0,%d]}}'
safetensors("length.safetensors", tensor % (4, 32), 1 << 62)
safetensors("long.safetensors", tensor % (4, 32), 90_000_000)
safetensors("offsets.safetensors", tensor % (1 << 40, 1 << 43))
safetensors("product.safetensors", '{"a":{"dtype":"F64","shape":[%d,%d],"data_offsets":[0,32]}}' % (1 << 40, 1 << 40), None, bytes(32))
PYTHON
  refuses_soon "do not agree" convert "$files/shape.npz" "$scratch/x.safetensors"
  refuses_soon "longer than its recorded size" convert "$files/content.npz" "$scratch/x.safetensors"
  refuses_soon "its recorded size" convert "$files/ratio.npz" "$scratch/x.safetensors"
  refuses_soon "packed.npz" convert "$files/packed.npz" "$scratch/x.safetensors"
  refuses_soon "stored.npz" convert "$files/stored.npz" "$scratch/x.safetensors"
  refuses_soon "beyond.npz" convert "$files/beyond.npz" "$scratch/x.safetensors"
  refuses_soon "too many elements" convert "$files/overflow.npz" "$scratch/x.safetensors"
  refuses_soon "the header has 2147483648 bytes" convert "$files/header.npz" "$scratch/x.safetensors"
  refuses_soon "method 14" convert "$files/method.npz" "$scratch/x.safetensors"
  refuses_soon "shorter than the recorded sizes" convert "$files/overlap.npz" "$scratch/x.safetensors"
  for name in length long offsets product; do
    refuses_soon "$name.safetensors" convert "$files/$name.safetensors" "$scratch/x.npz"
    refuses_soon "$name.safetensors" inspect "$files/$name.safetensors"
    refuses_soon "$name.safetensors" diff "$files/$name.safetensors" "$files/$name.safetensors"
  done
else
  echo "SKIP archives with false sizes: python3 not found"
fi

# Sparse files really have their size; commands that read them completely have a limit.
mkdir "$files/index" "$files/one"
truncate -s 8G "$files/index/model.safetensors.index.json" "$files/one/manifest.json" "$files/holes.npz" "$files/holes.safetensors" "$files/holes"
refuses_soon "index.json" convert "$files/index" "$scratch/x.npz"
refuses_soon "index.json" diff "$files/index" "$files/index"
refuses_soon "at most 268435456" inspect "$files/one"
refuses_soon "at most 268435456" verify "$files/one"
refuses_soon "holes.npz" convert "$files/holes.npz" "$scratch/x.safetensors"
refuses_soon "holes.safetensors" convert "$files/holes.safetensors" "$scratch/x.npz"
refuses_soon "NUL byte at offset 0" train --model mlp --data "$files/holes" --steps 1 --quiet
refuses_soon "NUL byte at offset 0" train --model mlp --data /dev/zero --steps 1 --quiet
refuses_soon "NUL byte at offset 0" simulate --trace "$files/holes"
printf '{"weight_map":{"a":"../outside.safetensors"}}' >"$scratch/map"
mkdir "$files/outside"
cp "$scratch/map" "$files/outside/model.safetensors.index.json"
refuses_soon "outside" convert "$files/outside" "$scratch/x.npz"
[ -z "$(find "$scratch" -maxdepth 1 -name 'x.*')" ] || fail "a refused file was converted"

# A file with a true size is read within little more memory than its size.
if [ -n "$python" ]; then
  "$python" - "$files" <<'PYTHON' || fail "the honest file could not be made"
import os, struct, sys, zipfile

text = ("{'descr': '<f8', 'fortran_order': False, 'shape': (%d,), }" % (50 << 20)).ljust(117) + "\n"
with zipfile.ZipFile(os.path.join(sys.argv[1], "honest.npz"), "w", zipfile.ZIP_DEFLATED, compresslevel=1) as made:
    with made.open("a.npy", "w") as entry:
        entry.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text.encode())
        for _ in range(50):
            entry.write(bytes(8 << 20))
PYTHON
  (ulimit -v $limit && exec "$ckpt" convert "$files/honest.npz" "$scratch/honest.safetensors") >"$scratch/out" 2>&1 ||
    fail "400 MiB of zeros: exit code $?: $(cat "$scratch/out")"
fi
finish
