"""Tests the command with files as torch.save writes them, created by Python's own pickle and zipfile: torch_files.py CKPT
FOLDER."""

import collections
import io
import json
import os
import pickle
import pty
import re
import resource
import struct
import subprocess
import sys
import time
import types
import zipfile

ckpt, folder = sys.argv[1:]
sanitized = bool(os.environ.get("CKPT_SANITIZED"))
failures = []

# ---- Names as PyTorch's pickles have them, without PyTorch ----

for name in ("torch", "torch._utils", "torch.storage"):
    sys.modules[name] = types.ModuleType(name)


def named(module, name):
    """Returns the function of that name. It is pickled as its name."""
    if hasattr(sys.modules[module], name):
        return getattr(sys.modules[module], name)

    def function(*_):
        raise AssertionError("must not be called")
    function.__module__, function.__qualname__, function.__name__ = module, name, name
    setattr(sys.modules[module], name, function)
    return function


rebuild = named("torch._utils", "_rebuild_tensor_v2")
rebuild_with_dtype = named("torch._utils", "_rebuild_tensor_v3")
parameter = named("torch._utils", "_rebuild_parameter")
size = named("torch", "Size")
float8 = named("torch", "float8_e4m3fn")
untyped = named("torch.storage", "UntypedStorage")
load_from_bytes = named("torch.storage", "_load_from_bytes")


class Call:
    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


class Storage:
    def __init__(self, key, kind="FloatStorage", elements=6):
        self.id = "storage", named("torch", kind) if isinstance(kind, str) else kind, key, "cpu", elements


class Pickler(pickle.Pickler):
    def persistent_id(self, value):
        return value.id if isinstance(value, Storage) else None


def tensor(storage, shape, strides, offset=0, hooks=(), *more, requires_grad=False):
    return Call(rebuild, storage, offset, shape, strides, requires_grad, collections.OrderedDict(hooks), *more)


def pickled(value, protocol=2):
    out = io.BytesIO()
    Pickler(out, protocol).dump(value)
    return out.getvalue()


def archive(name, data, storages=(), compress=zipfile.ZIP_STORED, **more):
    path = os.path.join(folder, name)
    with zipfile.ZipFile(path, "w", compress) as out:
        out.writestr("archive/data.pkl", data if isinstance(data, bytes) else pickled(data))
        for key, contents in dict(storages).items():
            out.writestr(f"archive/data/{key}", contents)
        for entry, contents in more.items():
            out.writestr(f"archive/{entry}", contents)
        out.writestr("archive/version", "3\n")
    return path


# ---- The command ----


def run(*arguments):
    return subprocess.run([ckpt, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def check(holds, *what):
    if not holds:
        failures.append(what)
        print("FAILED:", *what, file=sys.stderr)


def refused(path, *wanted, show=False):
    for arguments in (("convert", path, os.path.join(folder, "never.safetensors")), ("show", path))[:1 + show]:
        done = run(*arguments)
        check(done.returncode == 1 and done.stdout.count("\n") == 1, path, "exit code", done.returncode, done.stdout)
        for text in wanted:
            check(text in done.stdout, path, "no", repr(text), "in", done.stdout)
    check(not os.path.exists(os.path.join(folder, "never.safetensors")), path, "left a file")


def converted(path):
    """Returns the tensors of the converted file: dtype, shape, bytes; and the nodes of the tree, None without one."""
    target = os.path.join(folder, "out.safetensors")
    done = run("convert", path, target)
    check(done.returncode == 0, path, done.stdout)
    with open(target, "rb") as file:
        length, = struct.unpack("<Q", file.read(8))
        header, data = json.loads(file.read(length)), file.read()
    os.remove(target)
    converted.metadata = header.pop("__metadata__", {})
    tensors = {name: (info["dtype"], info["shape"], data[slice(*info["data_offsets"])]) for name, info in header.items()}
    tree = tensors.pop("__tree__", None)
    converted.version = json.loads(tree[2])["format_version"] if tree else None
    return tensors, json.loads(tree[2])["nodes"] if tree else None


def floats(*values):
    return struct.pack(f"<{len(values)}f", *values)


six = floats(0, 1, 2, 3, 4, 5)

# ---- Accepted files ----

# A state dict: a plain file, tied tensors under both names, the versions of a module's parts as metadata.
state = collections.OrderedDict(a=tensor(Storage("0"), (2, 3), (3, 1)), b=tensor(Storage("0"), (2, 3), (3, 1)))
state._metadata = collections.OrderedDict({"": {"version": 1}})
wanted = {"a": ("F32", [2, 3], six), "b": ("F32", [2, 3], six)}
for protocol in (2, 3, 4, 5):
    check(converted(archive("state.pt", pickled(state, protocol), {"0": six})) == (wanted, None), "a state dict, protocol", protocol)
    check(converted.metadata == {"_metadata": '{"format":"ckpt-tree","format_version":1,"nodes":[["ordered_dict",1],"",["dict",1],"version",1]}'},
          "its versions:", converted.metadata)
check(converted(archive("state.pth", state, {"0": six}, byteorder="little")) == (wanted, None), "an ending .pth")

# Everything else: a tree.
shared = Storage("0")
tree = {
    "model": {"w": tensor(shared, (3, 2), (1, 3)), "tied": tensor(shared, (3, 2), (1, 3)), "row": tensor(shared, (3,), (1,), 3),
              "p": Call(parameter, tensor(Storage("0"), (2,), (5,)), True, collections.OrderedDict()),
              "wide": tensor(shared, (2, 2), (0, 1), 1), "scalar": tensor(shared, (), (), 5), "none": tensor(shared, (0, 4), (4, 1), 9)},
    "list": [None, True, False, 0, -1, 2**31, -2**31 - 1, 2**63 - 1, -2**63, 1.5, -0.0, 1.0], "big": [2**63, -2**63 - 1, 2**64 * 7, -2**200],
    "odd": [float("inf"), float("nan"), 1 - 2j], "text": "é\U0001f600\0", "lone": "a\ud800", "bytes": b"\0\xff\x80", "no": b"",
    "array": bytearray(b"\xe9q"), "empty": [[], (), {}, collections.OrderedDict()], 3: {(1, "x"): None, 2.5: 1}, "size": Call(size, (2, 3)),
    "c": tensor(Storage("1", "ComplexDoubleStorage", 1), (1,), (1,)), "bool": tensor(Storage("2", "BoolStorage", 2), (2,), (1,)),
    "bf": tensor(Storage("2", "BFloat16Storage", 1), (1,), (1,)),
    "f8": Call(rebuild_with_dtype, Storage("2", untyped, 2), 0, (2,), (1,), False, collections.OrderedDict(), float8),
}
storages = {"0": six, "1": struct.pack("<2d", 1, 2), "2": b"\1\0"}
wanted = {
    "model.w": ("F32", [3, 2], floats(0, 3, 1, 4, 2, 5)), "model.row": ("F32", [3], floats(3, 4, 5)), "model.p": ("F32", [2], floats(0, 5)),
    "model.wide": ("F32", [2, 2], floats(1, 2, 1, 2)), "model.scalar": ("F32", [], floats(5)), "model.none": ("F32", [0, 4], b""),
    "c": ("F64", [1, 2], storages["1"]), "bool": ("BOOL", [2], b"\1\0"), "bf": ("BF16", [1], b"\1\0"), "f8": ("F8_E4M3", [2], b"\1\0"),
}
nodes = [
    ["dict", 16],
    "model", ["dict", 7], "w", ["tensor", "model.w", "torch"], "tied", ["tensor", "model.w", "torch"], "row", ["tensor", "model.row", "torch"],
    "p", ["tensor", "model.p", "parameter"], "wide", ["tensor", "model.wide", "torch"], "scalar", ["tensor", "model.scalar", "torch"],
    "none", ["tensor", "model.none", "torch"],
    "list", ["list", 12], None, True, False, 0, -1, 2**31, -2**31 - 1, 2**63 - 1, -2**63, 1.5, -0.0, 1.0,
    "big", ["list", 4], ["int", hex(2**63)], ["int", hex(-2**63 - 1)], ["int", hex(2**64 * 7)], ["int", hex(-2**200)],
    "odd", ["list", 3], ["float", "7ff0000000000000"], ["float", "7ff8000000000000"], ["complex", "3ff0000000000000", "c000000000000000"],
    "text", "é\U0001f600\0", "lone", ["surrogates", "61eda080"], "bytes", ["bytes", "AP+A"], "no", ["bytes", ""],
    "array", ["bytearray", "6XE="], "empty", ["list", 4], ["list", 0], ["tuple", 0], ["dict", 0], ["ordered_dict", 0],
    3, ["dict", 2], ["tuple", 2], 1, "x", None, 2.5, 1, "size", ["tuple", 2], 2, 3,
    "c", ["tensor", "c", "torch", "complex128"], "bool", ["tensor", "bool", "torch"], "bf", ["tensor", "bf", "torch"],
    "f8", ["tensor", "f8", "torch"],
]
for protocol in (2, 3, 4, 5):
    created, text = converted(archive("tree.pt", pickled(tree, protocol), storages))
    check(created == wanted, "protocol", protocol, "tensors:", created)
    check(repr(text) == repr(nodes), "protocol", protocol, "nodes:", text)  # repr: -0.0 is not 0
check(converted.version == 2, "a parameter needs format 2")
shown = run("show", os.path.join(folder, "tree.pt")).stdout
lines = shown.splitlines()
check(len(lines) == 12 + 43, "show has", len(lines), "lines:", shown)
for line in ("model.w = tensor \"model.w\"", "model.tied = tensor \"model.w\"", "list[0] = null", "list[1] = true", "list[7] = 9223372036854775807",
             "list[10] = -0.0", "big[0] = 0x8000000000000000", "odd[0] = inf", "odd[1] = nan", "odd[2] = 1-2i", "bytes = bytes \"00ff80\"", "no = bytes \"\"",
             "array = bytes \"e971\"", "empty[0] = []", "empty[1] = ()", "empty[2] = {}", "[3][(1, \"x\")] = null", "[3][2.5] = 1", "size[1] = 3"):
    check("  " + line in lines, "no", repr(line), "in", shown)
check(lines.index("  list[9] = 1.5") < lines.index("  list[10] = -0.0"), "list[10] stands before list[9]")
document = json.loads(run("show", os.path.join(folder, "tree.pt"), "--json").stdout)
values = {value["path"]: value["value"] for value in document["tree"]}
check(len(values) == 43 and len(document["tensors"]) == 11, "--json has", len(values), "values")
check([values[path] for path in ("list[0]", "list[2]", "list[6]", "list[9]", "odd[1]", "big[3]", "bytes", "model.tied", "empty[0]")] ==
      [None, False, -2**31 - 1, 1.5, {"number": "nan"}, {"integer": hex(-2**200)}, {"bytes": "00ff80"}, {"tensor": "model.w"}, []], "--json:", values)
check(run("show", archive("names.pt", {"__tree__": tensor(Storage("1", "ByteStorage", 3), (3,), (1,))}, {"1": b"abc"})).returncode == 0,
      "a tensor that is called __tree__")

# Single objects, duplicate names, and names that no file may have.
check(converted(archive("bare.pt", tensor(Storage("0"), (6,), (1,)), {"0": six})) == ({"tensor": ("F32", [6], six)}, [["tensor", "tensor", "torch"]]),
      "a bare tensor")
check(converted(archive("number.pt", 3))[1] == [3], "a bare number")
names = {1: tensor(Storage("0"), (1,), (1,)), "1": tensor(Storage("0"), (2,), (1,)), "__tree__": tensor(Storage("0"), (3,), (1,))}
check(set(converted(archive("names.pt", names, {"0": six}))[0]) == {"1", "1~2", ".__tree__"}, "names that are taken")
deep = []
for _ in range(999):
    deep = [deep]
sys.setrecursionlimit(20000)
check(converted(archive("deep.pt", deep))[1] == [["list", 1]] * 999 + [["list", 0]], "1,000 lists in one another")
same = run("diff", archive("one.pt", state, {"0": six}), archive("two.pt", state, {"0": six}))
check(same.returncode == 0 and "2 tensors, 0 different" in same.stdout, same.stdout)
other = run("diff", archive("one.pt", state, {"0": six}), archive("two.pt", state, {"0": floats(0, 1, 2, 3, 4, 7)}))
check(other.returncode == 1 and "largest absolute difference 2" in other.stdout, other.stdout)
done = run("convert", archive("one.pt", state, {"0": six}), os.path.join(folder, "one.npz"))
check(done.returncode == 0 and zipfile.ZipFile(os.path.join(folder, "one.npz")).namelist() == ["a.npy", "b.npy"], done.stdout)

# Attributes, in a tree.
frozen = Call(parameter, tensor(Storage("0"), (2,), (1,)), False, collections.OrderedDict())
created, text = converted(archive("model.pt", {"model": state, "epoch": 3, "frozen": frozen, "leaf": tensor(Storage("0"), (3,), (1,), requires_grad=True)},
                               {"0": six}))
check(text == [["dict", 4], "model", ["attributes"], ["ordered_dict", 2], "a", ["tensor", "model.a", "torch"], "b", ["tensor", "model.a", "torch"],
               ["dict", 1], "_metadata", ["ordered_dict", 1], "", ["dict", 1], "version", 1, "epoch", 3,
               "frozen", ["attributes"], ["tensor", "frozen", "parameter"], ["dict", 1], "requires_grad", False,
               "leaf", ["attributes"], ["tensor", "leaf", "torch"], ["dict", 1], "requires_grad", True] and converted.version == 2, "attributes:", text)
check('  model@._metadata[""].version = 1' in run("show", os.path.join(folder, "model.pt")).stdout.splitlines(), "attributes are not shown")
check(converted(archive("plain.pt", {"model": dict(state), "epoch": 3}, {"0": six}))[1] and converted.version == 1, "format 1 without attributes")
marked = collections.OrderedDict(a=tensor(Storage("0"), (2, 3), (3, 1)))
marked.note = 1
refused(archive("marked.pt", {"model": marked}, {"0": six}), "model: the OrderedDict at byte", "has the attribute note, which would be lost")
refused(archive("marked.pt", marked, {"0": six}), "the state dict has attributes other than '_metadata', which would be lost")
circle = collections.OrderedDict(a=1)
circle._metadata = [circle]
refused(archive("circle.pt", {"model": circle}), "contains itself")

# The metadata of safetensors files.
def with_metadata(name, metadata):
    header = json.dumps({"__metadata__": metadata, "w": {"dtype": "F32", "shape": [6], "data_offsets": [0, 24]}}).encode()
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header + six)
    return path


source = with_metadata("from.safetensors", {"format": "pt", "note": "é\n"})
converted(source)
check(converted.metadata == {"format": "pt", "note": "é\n"}, "metadata of a file:", converted.metadata)
parts = os.path.join(folder, "parts/")
check(run("convert", source, parts).returncode == 0, "convert to a folder")
converted(os.path.join(parts, "model-00001-of-00001.safetensors"))
check(converted.metadata == {"format": "pt", "note": "é\n"}, "metadata in a folder:", converted.metadata)
done = run("convert", source, os.path.join(folder, "to.npz"))
check(done.returncode == 0 and "an .npz file cannot hold the metadata: format, note" in done.stdout, done.stdout)
done = run("diff", source, with_metadata("other.safetensors", {"format": "np", "more": "x"}))
for line in ('__metadata__.format: "pt" vs. "np"', "__metadata__.note: only in " + source, "__metadata__.more: only in ", "1 tensor, 3 different"):
    check(done.returncode == 1 and line in done.stdout, "no", line, "in", done.stdout)
done = run("diff", source, with_metadata("other.safetensors", {"note": "é\n", "format": "pt"}))
check(done.returncode == 0 and "1 tensor, 0 different" in done.stdout, done.stdout)

# ---- Functions that are refused by name and never run ----

witness = os.path.join(folder, "witness")


def hostile(function, *arguments):
    return {"weight": tensor(Storage("0"), (6,), (1,)), "more": Call(function, *arguments)}


for protocol in (2, 4):
    for function, arguments, shown in ((os.system, (f"touch {witness}",), "posix.system"), (eval, (f"open({witness!r}, 'w')",), "builtins.eval"),
                                       (exec, ("1",), "builtins.exec"), (getattr, (os, "system"), "builtins.getattr"),
                                       (subprocess.Popen, (["touch", witness],), ".Popen"), (frozenset, ([1],), "frozenset"),
                                       (collections.defaultdict, (int,), "collections.defaultdict"), (load_from_bytes, (b"x",), "torch.storage._load_from_bytes")):
        if arguments and arguments[0] is os:
            arguments = ("os", "system")
        refused(archive("hostile.pt", pickled(hostile(function, *arguments), protocol), {"0": six}), "hostile.pt: data.pkl at byte ", shown, show=protocol == 4)
refused(archive("hostile.pt", b"cos\nsystem\n(S'true'\ntR."), "at byte 0: the global os.system")
refused(archive("hostile.pt", b"(S'true'\nios\nsystem\n."), "at byte 1: opcode 83")
refused(archive("hostile.pt", b"\x80\x02cbuiltins\neval\x1b[2J\n."), "eval\\x1b[2J")
refused(archive("hostile.pt", b"\x80\x02ctorch\nSize\n)\x81."), "opcode 129")
check(not os.path.exists(witness), "something was run")
refused(archive("class.pt", {"a": size}), "a: torch.Size at byte")
refused(archive("call.pt", {"a": Call(float8)}), "a: a call of torch.float8_e4m3fn")
refused(archive("set.pt", pickled({1, 2}, 4)), "a set")

# ---- Inconsistent files ----

circle = []
circle.append(circle)
refused(archive("circle.pt", circle), "0: the list at byte 2 contains itself")
refused(archive("deep.pt", [deep]), "deeper than 1000")
laughs = ["ha" * (1000 if sanitized else 1)]  # every value takes microseconds with a sanitizer
for _ in range(60):
    laughs = [laughs, laughs]
refused(archive("laughs.pt", laughs), "its values exceed")
refused(archive("bytes.pt", b"\x80\x02X\x00\x10\x00\x00" + b"a" * 4096 + b"q\x00X\x06\x00\x00\x00latin1q\x01c_codecs\nencode\nq\x020]" +
                b"(" + b"h\x02h\x00h\x01\x86R" * 100 + b"e."), "")
refused(archive("twice.pt", b"\x80\x02}(K\x01N\x88N\x75."), "the key true is duplicated")
refused(archive("key.pt", b"\x80\x02}](K\x01es."), "")
refused(archive("key.pt", b"\x80\x02}]Ns."), "which a tree cannot represent")
refused(archive("items.pt", b"\x80\x02N(K\x01e."), "expected a list")
refused(archive("odd.pt", b"\x80\x02}(K\x01u."), "a key has no value")
refused(archive("memo.pt", b"\x80\x02Nr\xff\xff\xff\x7f."), "memo entry 2147483647: expected 0")
refused(archive("memo.pt", b"\x80\x02h\x05."), "memo entry 5 does not exist")
refused(archive("end.pt", b"\x80\x02N"), "the pickle is truncated")
refused(archive("end.pt", b"\x80\x02N.N"), "the pickle has bytes after its end")
refused(archive("end.pt", b"\x80\x02NN."), "left on the stack")
refused(archive("text.pt", b"\x80\x02X\x01\x00\x00\x00\xff."), "not UTF-8")
refused(archive("protocol.pt", b"\x80\x06N."), "protocol 6")
refused(archive("attributes.pt", b"\x80\x02]}b."), "attributes for a list")
huge = 1 << 62
for shape, strides, offset, shown in (((2, 3), (3, 2), 0, "element 7 of storage 0, which has 6"), ((6,), (1,), 1, "element 6"), ((1,), (1,), huge, "element"),
                                      ((huge, 4), (0, 0), 0, "too large"), ((huge,), (huge,), 0, "too large"), ((2,), (1, 1), 0, "different ranks"),
                                      ((-1,), (1,), 0, "expected a number of elements"), ((2,), (-1,), 3, "expected a number of elements"), ((1 << 40,), (0,), 0, "times the file"),
                                      ([2], (1,), 0, "expected a tuple"), ((1,) * 9, (1,) * 9, 0, "tensor a")):
    refused(archive("view.pt", {"a": tensor(Storage("0"), shape, strides, offset)}, {"0": six}), "view.pt", shown)
refused(archive("short.pt", {"a": tensor(Storage("0"), (6,), (1,))}, {"0": six[:-1]}), "storage 0 has 23 bytes; data.pkl requires 24")
refused(archive("lost.pt", {"a": tensor(Storage("7"), (6,), (1,))}, {"0": six}), "the entry data/7 is missing")
refused(archive("up.pt", {"a": tensor(Storage("../version"), (6,), (1,))}, {"0": six}), "the entry data/../version is missing")
refused(archive("kind.pt", {"a": tensor(Storage("0", size), (6,), (1,))}, {"0": six}), "torch.Size: expected a storage class")
refused(archive("hooks.pt", {"a": tensor(Storage("0"), (6,), (1,), 0, {"x": 1})}, {"0": six}), "hooks")
refused(archive("conj.pt", {"a": tensor(Storage("0"), (6,), (1,), 0, (), {"conj": True})}, {"0": six}), "resolve_conj()")
refused(archive("order.pt", state, {"0": six}, byteorder="big"), "byteorder big: expected little")
refused(archive("script.pt", state, {"0": six}, **{"constants.pkl": b""}), "TorchScript")
refused(archive("packed.pt", state, {"0": six}, zipfile.ZIP_DEFLATED), "is compressed")
refused(archive("nothing.pt", {}), "contains no tensors")
with open(os.path.join(folder, "old.pt"), "wb") as file:
    file.write(pickle.dumps(0x1950a86a20f9469cfc6c, 2) + pickle.dumps(1001, 2))
refused(os.path.join(folder, "old.pt"), "before PyTorch 1.6", "save it again")
with zipfile.ZipFile(os.path.join(folder, "other.pt"), "w") as file:
    file.writestr("data.pkl", pickled(1))
refused(os.path.join(folder, "other.pt"), "data.pkl is missing")
with open(archive("bad.pt", state, {"0": six}), "r+b") as file:
    at = file.read().index(six)
    file.seek(at)
    file.write(b"\1")
refused(os.path.join(folder, "bad.pt"), "archive/data/0")
refused(os.path.join(folder, "none.pt"), "none.pt")

# ---- Memory use ----


def limited():
    resource.setrlimit(resource.RLIMIT_DATA, (most_data, most_data))


def read_all(screen):
    """Returns the output written to a terminal until no process has it open."""
    text = b""
    try:
        while piece := os.read(screen, 4096):
            text += piece
    except OSError:
        pass
    return text.decode(errors="replace")


most_data = 96 << 20  # private bytes of the process: mapped file pages do not count
if sanitized:
    print("SKIP memory for a file of 300 MiB: a sanitizer's own memory is larger")
else:
    each = 60 << 20
    with zipfile.ZipFile(os.path.join(folder, "large.pt"), "w") as out:
        out.writestr("archive/data.pkl", pickled({f"w{i}": tensor(Storage(str(i), "ByteStorage", each), (each,), (1,)) for i in range(5)}))
        for i in range(5):
            out.writestr(f"archive/data/{i}", bytes([i]) * each)
    screen, terminal = pty.openpty()
    began = time.monotonic()
    command = subprocess.Popen([ckpt, "convert", os.path.join(folder, "large.pt"), os.path.join(folder, "large.safetensors")],
                               stdout=subprocess.DEVNULL, stderr=terminal, preexec_fn=limited)
    os.close(terminal)
    drawn = read_all(screen)
    check(command.wait() == 0, "a file of 300 MiB in", most_data, "bytes:", drawn)
    lines = re.findall(r"(\d+)%.*?written ([\d.]+) (?:B|KiB|MiB) of 300.0 MiB", drawn)
    check(bool(lines) or not drawn.strip(), "progress:", drawn)
    check([int(share) for share, _ in lines] == sorted(int(share) for share, _ in lines), "progress:", drawn)
    print(f"progress of convert was drawn {len(lines)} times in {time.monotonic() - began:.1f} s; expected none before half a second")
    with open(os.path.join(folder, "large.safetensors"), "rb") as file:
        length, = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        for i in range(5):
            file.seek(8 + length + header[f"w{i}"]["data_offsets"][0])
            check(file.read(each) == bytes([i]) * each, "tensor", i)
    os.remove(os.path.join(folder, "large.pt"))
    os.remove(os.path.join(folder, "large.safetensors"))
sys.exit(bool(failures))
