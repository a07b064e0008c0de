# Files saved by PyTorch itself: a model with its optimizer, and every kind of tensor, bit for bit.
. "$(dirname "$0")/lib.sh"
python=
for candidate in python3 /usr/bin/python3; do "$candidate" -c 'import torch' 2>/dev/null && python=$candidate && break; done
if [ -z "$python" ]; then
  [ -z "${CKPT_REQUIRE_SERVICES:-}" ] || { fail "no python3 here has torch"; finish; }
  echo "SKIP files of the real torch: no python3 with torch found"
  exit 77
fi
"$python" - "$scratch" <<'PYTHON' || fail "the files could not be made"
import os, sys, torch
folder = sys.argv[1]
torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Embedding(7, 4), torch.nn.Linear(4, 7, bias=False))
model[1].weight = model[0].weight  # tied
optimizer = torch.optim.AdamW(model.parameters(), amsgrad=True)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)
for _ in range(3):
    model(torch.arange(7)).square().sum().backward()
    optimizer.step()
    schedule.step()
tensors = {str(kind): torch.randn(3, 5).mul(50).to(kind) for kind in (
    torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool,
    torch.complex64, torch.complex128)}
base = torch.arange(60.).reshape(3, 4, 5)
tensors.update(permuted=base.permute(2, 0, 1), strided=base[:, ::2, 1::2], expanded=base[:1].expand(4, 4, 5), scalar=torch.tensor(2.5), empty=torch.zeros(0, 3),
               channels=torch.randn(2, 3, 4, 5).contiguous(memory_format=torch.channels_last))
torch.save(model.state_dict(), os.path.join(folder, "model.pt"))
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "schedule": schedule.state_dict(), "tensors": tensors,
            "parameter": torch.nn.Parameter(base[0].t()), "epoch": 3, "shape": base.shape}, os.path.join(folder, "all.pt"))
torch.save(torch.device("cpu"), os.path.join(folder, "device.pt"))
torch.save(model, os.path.join(folder, "module.pt"))
torch.jit.save(torch.jit.script(model), os.path.join(folder, "script.pt"))
torch.save(model.state_dict(), os.path.join(folder, "old.pt"), _use_new_zipfile_serialization=False)
PYTHON
succeeds convert "$scratch/model.pt" "$scratch/model.safetensors"
says "2 tensors"
succeeds convert "$scratch/all.pt" "$scratch/all.safetensors"
succeeds show "$scratch/all.pt"
says "optimizer.state.0.max_exp_avg_sq"
refuses 1 "the global torch.device" show "$scratch/device.pt"
refuses 1 "the global torch.nn.modules.container.Sequential" show "$scratch/module.pt"
refuses 1 "TorchScript" show "$scratch/script.pt"
refuses 1 "before PyTorch 1.6" show "$scratch/old.pt"
"$python" - "$scratch" <<'PYTHON' || fail "torch has something else"
import base64, collections, json, os, struct, sys, torch
folder = sys.argv[1]
KINDS = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16, "I64": torch.int64, "I32": torch.int32,
         "I16": torch.int16, "I8": torch.int8, "U8": torch.uint8, "BOOL": torch.bool, "C64": torch.complex64}


def read(name):
    with open(os.path.join(folder, name), "rb") as file:
        header, data = json.loads(file.read(struct.unpack("<Q", file.read(8))[0])), file.read()
    tensors, metadata = {}, header.pop("__metadata__", {})
    if "_metadata" in metadata:
        nodes = iter(json.loads(metadata["_metadata"])["nodes"])
        read.versions = tree(nodes, {})
    for name, info in header.items():
        begin, end = info["data_offsets"]
        kind = KINDS[info["dtype"]]
        tensors[name] = (torch.frombuffer(bytearray(data[begin:end]), dtype=kind) if end > begin else torch.empty(0, dtype=kind)).reshape(info["shape"])
    return tensors


def tree(nodes, tensors):
    node = next(nodes)
    if not isinstance(node, list):
        return node
    kind, *rest = node
    if kind == "attributes":
        value, attributes = tree(nodes, tensors), tree(nodes, tensors)
        for name, attribute in attributes.items():
            setattr(value, name, attribute)
        return value
    if kind == "tensor":
        tensor = tensors[rest[0]]
        if rest[1] == "parameter":
            return torch.nn.Parameter(tensor)
        return torch.view_as_complex(tensor) if "complex128" in rest else tensor
    if kind == "list":
        return [tree(nodes, tensors) for _ in range(rest[0])]
    if kind == "tuple":
        return tuple(tree(nodes, tensors) for _ in range(rest[0]))
    assert kind in ("dict", "ordered_dict"), node
    items = [(tree(nodes, tensors), tree(nodes, tensors)) for _ in range(rest[0])]
    return collections.OrderedDict(items) if kind == "ordered_dict" else dict(items)


def same(a, b, path=""):
    if isinstance(a, torch.Tensor):
        assert type(a) is type(b) and a.requires_grad == b.requires_grad, path
        a, b = a.detach().contiguous(), b.detach().contiguous()
        assert a.dtype == b.dtype and a.shape == b.shape and bytes(a.reshape(-1).view(torch.uint8) if a.numel() else b"") == bytes(
            b.reshape(-1).view(torch.uint8) if b.numel() else b""), path
    elif isinstance(a, dict):
        assert list(a) == list(b) and getattr(a, "__dict__", {}) == getattr(b, "__dict__", {}), path
        for key in a:
            same(a[key], b[key], f"{path}.{key}")
    elif isinstance(a, (list, tuple)):
        assert isinstance(b, list if isinstance(a, list) else tuple) and len(a) == len(b), path
        for i, (mine, other) in enumerate(zip(a, b)):
            same(mine, other, f"{path}.{i}")
    else:
        assert type(a) is type(b) and a == b, path


model = torch.load(os.path.join(folder, "model.pt"))
same(dict(model), read("model.safetensors"))
assert read.versions == model._metadata, read.versions
tensors = read("all.safetensors")
nodes = iter(json.loads(bytes(tensors.pop("__tree__")))["nodes"])
whole = tree(nodes, tensors)
assert next(nodes, None) is None
same(torch.load(os.path.join(folder, "all.pt")), whole)
assert whole["model"]["0.weight"] is whole["model"]["1.weight"], "tied tensors are written twice"
PYTHON
finish
