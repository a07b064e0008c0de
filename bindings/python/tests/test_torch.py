"""With the real PyTorch: a run that is killed in the middle of an epoch continues with identical results."""

from contextlib import nullcontext
import os
import signal
import subprocess
import sys
import tempfile
import unittest
import warnings

import ckpt
from ckpt import _native
import needs_torch  # noqa: F401 (exits where torch is missing)
from test_ranks import damage, on_ranks

import torch
from ckpt import _torch_tensors, torch as ckpt_torch


def same(left, right):
    if isinstance(left, torch.Tensor):
        # Bytes: NaN is NaN, and -0 is not 0.
        if left.dtype != right.dtype or left.shape != right.shape:
            return False
        return left.numel() == 0 or left.contiguous().view(torch.uint8).equal(right.contiguous().view(torch.uint8)) if left.dim() else (
            left.reshape(1).view(torch.uint8).equal(right.reshape(1).view(torch.uint8)))
    if isinstance(left, dict):
        return list(left) == list(right) and all(same(left[key], right[key]) for key in left)
    if isinstance(left, (list, tuple)):
        return type(left) is type(right) and len(left) == len(right) and all(map(same, left, right))
    return type(left) is type(right) and left == right


class Tensors(unittest.TestCase):
    """Each kind of tensor comes back as a torch tensor with the same bits."""

    def again(self, tree):
        with tempfile.TemporaryDirectory() as folder:
            ckpt.save(folder, {"tree": tree, "it": 1})
            return ckpt.load(folder)["tree"]

    def test_every_dtype(self):
        for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.uint8, torch.int16, torch.int32,
                      torch.int64, torch.bool, torch.complex64, torch.complex128):
            for shape in ((2, 3), (0, 4), (), (1,)):
                with self.subTest(dtype=dtype, shape=shape):
                    if dtype is torch.bool:
                        tensor = torch.rand(shape) < 0.5
                    elif dtype.is_complex:
                        tensor = torch.randn(shape, dtype=dtype)
                    else:
                        tensor = (torch.randn(shape) * 50).to(dtype)
                    loaded = self.again(tensor)
                    self.assertEqual((type(loaded), loaded.dtype, loaded.shape), (torch.Tensor, dtype, tensor.shape))
                    self.assertTrue(torch.equal(loaded, tensor))
                    if tensor.numel():
                        loaded.mul_(1) if dtype is not torch.bool else loaded.logical_not_()  # its own, writable memory

    def test_every_dtype_of_checkpoints_at_each_shape(self):
        """As written by any version of torch: read as a torch tensor and saved again, or refused by name if this version lacks the
        type. Nothing is reported as damaged."""
        lacking = set()
        names = {kind.dtype: kind.name for kind in _torch_tensors._KINDS}
        self.assertEqual(set(ckpt.DType) - set(names), {ckpt.DType.F4, ckpt.DType.F6_E2M3, ckpt.DType.F6_E3M2})  # none in torch
        for dtype in ckpt.DType:
            for shape in ((0,), (), (3,)) if dtype.bits % 8 == 0 else ((0,), (4,)):
                with self.subTest(dtype=dtype, shape=shape), tempfile.TemporaryDirectory() as folder:
                    tensor = ckpt.Tensor(dtype, shape)
                    tensor.raw()[:] = bytes([1] * tensor.nbytes)
                    tree = _native.ckpt_tree_create()
                    _native.ckpt_tree_add_tensor(tree, ckpt.TreeForm.TORCH, 0, 0, tensor._h)
                    with ckpt.State() as state, ckpt.CheckpointManager(folder) as manager:
                        _native.ckpt_state_set_tree(state._h, "tree", tree)
                        manager.save(state, 1)
                    _native.ckpt_tree_release(tree)
                    if not hasattr(torch, names.get(dtype, "none")):
                        lacking.add(names.get(dtype, dtype.name))
                        with self.assertRaisesRegex(ckpt.UnsupportedError, f"tensor 'tensor': a tensor of dtype {dtype.name}: torch .* has no"):
                            ckpt.load(folder)
                        continue
                    loaded = ckpt.load(folder)
                    self.assertEqual((loaded.dtype, tuple(loaded.shape)), (getattr(torch, names[dtype]), shape))
                    self.assertEqual(bytes(ckpt_torch.as_tensor(loaded).raw()), bytes(tensor.raw()))
                    again = self.again(loaded)
                    self.assertEqual((again.dtype, again.shape), (loaded.dtype, loaded.shape))
                    self.assertEqual(bytes(ckpt_torch.as_tensor(again).raw()), bytes(tensor.raw()))
                    shared = ckpt_torch.to_torch(tensor)
                    self.assertEqual((shared.dtype, shared.data_ptr()), (loaded.dtype, tensor.address))
        print(f"types that torch {torch.__version__} lacks: {', '.join(sorted(lacking))}: refused by name")

    def test_layouts_ties_and_parameters(self):
        base = torch.randn(4, 6)
        for tensor in (base.T, base[::2, 1:4], base[0, 0].expand(3, 2), torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last),
                       torch.nn.Parameter(base), torch.randn(3, requires_grad=True) * 2, torch.randn(3, dtype=torch.cfloat).conj()):
            with self.subTest(stride=tensor.stride()):
                loaded = self.again(tensor)
                self.assertTrue(torch.equal(loaded, tensor.detach().resolve_conj()))
                self.assertEqual(type(loaded), type(tensor))
                self.assertEqual(loaded.requires_grad, tensor.requires_grad and tensor.is_leaf)
        tied = self.again({"encoder": base, "decoder": base})
        self.assertIs(tied["encoder"], tied["decoder"])

    def test_as_values_of_any_dict(self):
        """The most common uses, for each shape of dict and each kind of tensor."""
        tensors = {"parameter": torch.nn.Parameter(torch.ones(2)), "strided": torch.randn(3, 4).T, "bool": torch.tensor([True, False]),
                   "bfloat16": torch.ones(2).bfloat16(), "graph": torch.ones(2, requires_grad=True) * 2, "number": torch.tensor(3.0),
                   "empty": torch.zeros(0, 3), "conjugate": torch.randn(2, dtype=torch.cfloat).conj(),
                   "channels_last": torch.randn(1, 2, 3, 3).to(memory_format=torch.channels_last)}
        for name, tensor in tensors.items():
            for tree, at in (({"w": tensor}, lambda t: t["w"]), ({"a": {"w": tensor}, "b": {"w": torch.ones(1)}}, lambda t: t["a"]["w"]),
                             ({"w": tensor, "epoch": 1}, lambda t: t["w"]), ([tensor], lambda t: t[0]), (tensor, lambda t: t)):
                with self.subTest(name=name, tree=type(tree)), tempfile.TemporaryDirectory() as folder:
                    ckpt.save(folder, tree)
                    loaded = at(ckpt.load(folder))
                    self.assertIs(type(loaded), type(tensor))
                    self.assertTrue(loaded.dtype == tensor.dtype and torch.equal(loaded, tensor.detach().resolve_conj()))

    def test_trees_of_a_state_read_tensors_again_and_fill_them(self):
        """Includes tensors with memory that cannot be shared: strided, conjugated, on a device."""
        devices = ["cpu"] + ["cuda"] * torch.cuda.is_available()
        if len(devices) == 1:
            print("tensors on a device: not tested, torch finds no CUDA here")
        for device in devices:
            def tensors():
                with torch.inference_mode():
                    inference = torch.arange(6.0, device=device).reshape(2, 3).T
                base = torch.arange(24.0, device=device).reshape(2, 3, 2, 2)
                return {"shared": base.clone(), "channels_last": base.to(memory_format=torch.channels_last),
                        "transposed": base[0, :, 0].T.clone(memory_format=torch.preserve_format), "strided": base.clone()[::2, 1:],
                        "truths": (base[0, 0] > 1).T, "bfloat16": base[0, 0].bfloat16().T, "complex128": base[0, 0].to(torch.cdouble).T,
                        "conjugate": (base[0, 0] * (1 + 2j)).conj(), "negative": torch._neg_view(base[0, 0].clone()),
                        "parameter": torch.nn.Parameter(base[0, :, 0].clone().T), "inference": inference}

            def change(tree, step):
                for tensor in tree.values():
                    with torch.inference_mode() if tensor.is_inference() else torch.no_grad():
                        tensor.logical_not_() if tensor.dtype is torch.bool else tensor.mul_(step + 2)

            tree, kept = tensors(), []
            with tempfile.TemporaryDirectory() as folder, ckpt.CheckpointManager(folder) as manager, ckpt.State() as state:
                state.add_tree("run", tree)
                for step in range(3):
                    manager.save(state, step)
                    kept.append({name: tensor.detach().clone().resolve_conj().resolve_neg().cpu() for name, tensor in tree.items()})
                    change(tree, step)
                mine = tensors()
                with ckpt.State() as filled:
                    filled.add_tree("run", mine)
                    for step in range(3):
                        manager.load(filled, step=step)
                        found = filled.tree("run")
                        for name, wanted in kept[step].items():
                            with self.subTest(device=device, step=step, name=name):
                                self.assertTrue(torch.equal(mine[name].detach().cpu(), wanted))
                                self.assertTrue(torch.equal(found[name].detach().cpu(), wanted))
                                self.assertEqual(found[name].data_ptr(), mine[name].data_ptr())

    def test_memory_with_a_negative_bit_is_not_shared(self):
        tensor = torch._neg_view(torch.arange(3.0))
        for share in (ckpt_torch.as_tensor, ckpt.as_tensor, lambda tensor: ckpt.State({"w": tensor})):
            with self.assertRaisesRegex(ckpt.UnsupportedError, "negative bit"):
                share(tensor)

    def test_state_dicts_in_place(self):
        model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3)).bfloat16()
        model.register_buffer("mask", torch.tensor([True, False]))
        before = {name: value.clone() for name, value in model.state_dict().items()}
        with tempfile.TemporaryDirectory() as folder:
            ckpt_torch.save(folder, model.state_dict(), 1)
            ckpt_torch.save(os.path.join(folder, "other"), {"w": torch.randn(3, 4).T}, 1)  # strided
            for value in model.state_dict().values():
                value.zero_()
            ckpt_torch.load_into(folder, model.state_dict())
            self.assertTrue(same(dict(model.state_dict()), before))
            for value in model.state_dict().values():
                value.zero_()
            ckpt_torch.save(os.path.join(folder, "ddp"), {"module." + name: value for name, value in before.items()}, 1)
            ckpt_torch.load_into(os.path.join(folder, "ddp"), model.state_dict(), strip_prefix="module.")
            self.assertTrue(same(dict(model.state_dict()), before))
            for value in model.state_dict().values():
                value.zero_()
            ckpt_torch.load_into(os.path.join(folder, "ddp"), model.state_dict(), rename=lambda name: name.partition(".")[2])
            self.assertTrue(same(dict(model.state_dict()), before))

    def test_refused_by_path(self):
        for tensor, text in [(torch.empty(2, device="meta"), "b.0: .*'meta'"), (torch.eye(2).to_sparse(), "b.0: .*sparse"),
                             (torch.quantize_per_tensor(torch.ones(2), 1.0, 0, torch.quint8), "b.0: ")]:
            with self.subTest(text=text), tempfile.TemporaryDirectory() as folder:
                with self.assertRaisesRegex(ckpt.UnsupportedError, text):
                    ckpt.save(os.path.join(folder, "run"), {"a": 1, "b": [tensor]})
                with self.assertRaises(ckpt.NotFoundError):
                    ckpt.load(os.path.join(folder, "run"))

    def test_safetensors_files(self):
        tensors = {"w": torch.randn(3, 4).T, "mask": torch.tensor([True, False]), "half": torch.randn(2).bfloat16()}
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "x.safetensors")
            ckpt_torch.save_file(file, tensors, {"format": "pt"})
            loaded = ckpt_torch.load_file(file)
            self.assertTrue(all(torch.equal(tensors[name], loaded[name]) for name in tensors))
            self.assertEqual(sorted(loaded), sorted(tensors))


class Versioned(torch.nn.Module):
    """Stores a rate in percent since version 2; version 1 stored a fraction."""

    _version = 2

    def __init__(self):
        super().__init__()
        self.register_buffer("rate", torch.tensor(50.0))

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *more):
        if local_metadata.get("version", 1) < 2:
            state_dict[prefix + "rate"] = state_dict[prefix + "rate"] * 100
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *more)


class Attributes(unittest.TestCase):
    """Attributes of tensors and dicts are saved, or refused with their path."""

    def again(self, tree):
        with tempfile.TemporaryDirectory() as folder:
            ckpt.save(folder, {"tree": tree, "it": 1})
            return ckpt.load(folder)["tree"]

    def test_versions_of_modules(self):
        for manager_of in (ckpt.CheckpointManager, ckpt.AsyncManager):
            model = torch.nn.Sequential(torch.nn.Linear(2, 2), Versioned(), torch.nn.BatchNorm1d(2))
            model[1].rate.fill_(25.0)
            with tempfile.TemporaryDirectory() as folder:
                with manager_of(folder) as manager:
                    ckpt_torch.save(manager, 1, model=model, extra={"best": model.state_dict()})
                    new = torch.nn.Sequential(torch.nn.Linear(2, 2), Versioned(), torch.nn.BatchNorm1d(2))
                    if manager_of is ckpt.AsyncManager:
                        manager.wait()
                    resumed = ckpt_torch.resume(manager, model=new)
                self.assertEqual(new[1].rate.item(), 25.0)
                best = resumed.extra["best"]
                self.assertEqual((type(best), best._metadata), (type(model.state_dict()), model.state_dict()._metadata))
                with ckpt.CheckpointManager(folder, read_only=True) as manager, manager.reader() as reader:
                    text = bytes(reader.read(reader.find("__tree__", "model")).raw())
                self.assertIn(b'"format_version":2,"nodes":[["attributes"],["ordered_dict",', text)

    def test_a_failed_resume_restores_modules_by_their_versions(self):
        saved, model = Versioned(), Versioned()
        saved.rate.fill_(30.0)
        model.register_buffer("more", torch.zeros(1))
        with tempfile.TemporaryDirectory() as folder:
            ckpt_torch.save(folder, 1, model=saved)
            with self.assertRaisesRegex(RuntimeError, "more"):
                ckpt_torch.resume(folder, model=model)
        self.assertEqual(model.rate.item(), 50.0)

    def test_a_quantization_aware_model(self):
        from torch.ao.quantization import FakeQuantize, MovingAverageMinMaxObserver

        def created():
            return torch.nn.Sequential(torch.nn.Linear(2, 2), FakeQuantize(MovingAverageMinMaxObserver))

        model, new = created(), created()
        for _ in range(3):
            model(torch.randn(4, 2))
        with tempfile.TemporaryDirectory() as folder:
            ckpt_torch.save(folder, 1, model=model)
            ckpt_torch.resume(folder, model=new)
        self.assertTrue(same(dict(new.state_dict()), dict(model.state_dict())))
        self.assertEqual(new.state_dict()._metadata, model.state_dict()._metadata)

    def test_parameters(self):
        base = torch.randn(2, 3)
        tied = torch.nn.Parameter(base.clone())
        tree = {"free": torch.nn.Parameter(base), "frozen": torch.nn.Parameter(base.clone(), requires_grad=False), "tied": [tied, tied],
                "data": tied.data, "counts": torch.nn.Parameter(torch.arange(3), requires_grad=False),
                "complex": torch.nn.Parameter(base.to(torch.cdouble)), "leaf": torch.randn(3, requires_grad=True),
                "result": torch.randn(3, requires_grad=True) * 2, "empty": torch.nn.Parameter(torch.zeros(0, 2)), "plain": base.clone()}
        loaded = self.again(tree)
        for name, tensor in tree.items():
            mine, other = (tensor[0], loaded[name][0]) if name == "tied" else (tensor, loaded[name])
            with self.subTest(name):
                self.assertEqual((type(other), other.dtype), (type(mine), mine.dtype))
                self.assertEqual(other.requires_grad, mine.requires_grad and mine.is_leaf)
                self.assertTrue(torch.equal(other, mine) and other.is_leaf)
        self.assertIs(loaded["tied"][0], loaded["tied"][1])
        self.assertEqual(loaded["data"].data_ptr(), loaded["tied"][0].data_ptr())  # one memory, two objects
        self.assertTrue(all(type(value) is torch.nn.Parameter for value in
                            self.again(torch.nn.Linear(2, 2).state_dict(keep_vars=True)).values()))

    def test_the_format_is_2_only_where_it_is_needed(self):
        from ckpt import _trees

        for tree, version in ((torch.ones(2), 1), (torch.nn.Parameter(torch.ones(2)), 2), (torch.ones(2, requires_grad=True), 2),
                              (torch.nn.Linear(2, 2).state_dict(), 2), (dict(torch.nn.Linear(2, 2).state_dict()), 1)):
            self.assertIn(f'"format_version":{version},'.encode(), bytes(_trees.write_tree(tree).text.raw()))

    def test_refused_by_path(self):
        class Special(torch.Tensor):
            pass

        marked, state = torch.nn.Parameter(torch.ones(2)), torch.nn.Linear(2, 2).state_dict()
        marked.sequence_parallel = True
        state.note = "mine"
        for value, text in ((torch.ones(2).as_subclass(Special), "b.0: a .*Special, a subclass of torch.Tensor"),
                            (marked, "b.0: a Parameter with the attribute 'sequence_parallel', which would be lost"),
                            (torch.ones(2, names=("n",)), "b.0: a tensor with named dimensions, which would be lost"),
                            (torch.nested_tensor([torch.ones(2), torch.ones(3)]) if hasattr(torch, "nested_tensor") else
                             torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]), "b.0: a nested tensor"),
                            (state, "b.0: a OrderedDict with the attribute 'note', which would be lost"),
                            (torch.nn.UninitializedParameter(), "b.0: a torch.nn.parameter.UninitializedParameter, a subclass")):
            with self.subTest(text=text), tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(ckpt.UnsupportedError, text):
                ckpt.save(folder, {"a": 1, "b": [value]})

    def test_state_dicts_as_tensors_by_name(self):
        """As groups of a checkpoint, and in safetensors files."""
        model, older = Versioned(), Versioned()
        older._version = 1
        with tempfile.TemporaryDirectory() as folder:
            for name, states, target in (("one", older.state_dict(), model.state_dict()),
                                         ("two", {"a": older.state_dict(), "b": {"w": torch.ones(1)}}, {"a": model.state_dict(), "b": {"w": torch.ones(1)}})):
                ckpt_torch.save(os.path.join(folder, name), states, 1)
                ckpt_torch.load_into(os.path.join(folder, name), states)
                with self.assertRaisesRegex(ckpt.InvalidArgumentError, "the checkpoint has version 1 of this module, the state_dict version 2"):
                    ckpt_torch.load_into(os.path.join(folder, name), target)
            file = os.path.join(folder, "x.safetensors")
            ckpt_torch.save_file(file, older.state_dict(), {"format": "pt"})
            loaded = ckpt_torch.load_file(file)
            self.assertEqual(loaded._metadata, older.state_dict()._metadata)
            model.load_state_dict(loaded)
            self.assertEqual(model.rate.item(), 5000.0)  # converted
            with ckpt.Reader(file) as reader:
                self.assertEqual(sorted(reader.metadata()), ["_metadata", "format"])
            states = model.state_dict()
            states.note = 1
            for call in (lambda: ckpt_torch.save_file(file, states), lambda: ckpt_torch.save(os.path.join(folder, "three"), states, 1)):
                with self.assertRaisesRegex(ckpt.UnsupportedError, "attribute 'note', which would be lost"):
                    call()
            ckpt_torch.save_file(file, {"w": torch.ones(1)})
            self.assertIs(type(ckpt_torch.load_file(file)), dict)
            # The parts of the package that need no torch store the same versions.
            ckpt.save_file(file, older.state_dict())
            self.assertEqual(ckpt_torch.load_file(file)._metadata, older.state_dict()._metadata)
            with ckpt.CheckpointManager(os.path.join(folder, "four")) as manager:
                manager.save(ckpt.State(older.state_dict()), 1)
                with self.assertRaisesRegex(ckpt.InvalidArgumentError, "the checkpoint has version 1 of this module, the state_dict version 2"):
                    manager.load(ckpt.State(model.state_dict()))
            with self.assertRaisesRegex(ckpt.InvalidArgumentError, "the checkpoint has version 1 of this module"):
                ckpt_torch.load_into(os.path.join(folder, "four"), model.state_dict())
            with ckpt.CheckpointManager(os.path.join(folder, "one"), read_only=True) as manager:  # created by ckpt.torch.save
                with self.assertRaisesRegex(ckpt.InvalidArgumentError, "the checkpoint has version 1 of this module"):
                    manager.load(ckpt.State(model.state_dict()))

    def test_golden_text(self):
        from ckpt import _trees

        folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../tests/state/golden/trees")
        state = torch.nn.Linear(1, 1).state_dict()
        state.clear()
        state.update(w=torch.ones(1), n=torch.ones(2))
        state._metadata.update(bn={"version": 2})
        tree = {"model": state, "free": torch.nn.Parameter(torch.ones(2)), "frozen": torch.nn.Parameter(torch.ones(3), requires_grad=False)}
        with open(os.path.join(folder, "format-2.json"), "rb") as file:
            self.assertEqual(bytes(_trees.write_tree(tree).text.raw()), file.read())


class NothingToLoadInto(unittest.TestCase):
    """A load that would have no effect is an error."""

    def test_parameters_on_meta(self):
        model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
        optimizer = torch.optim.AdamW(model.parameters())
        model(torch.randn(4, 2)).sum().backward()
        optimizer.step()
        with tempfile.TemporaryDirectory() as folder:
            ckpt_torch.save(folder, 1, model=model, optimizer=optimizer, extra={"w": torch.ones(2)})
            meta = torch.nn.Sequential(torch.nn.Linear(2, 2, device="meta"), torch.nn.BatchNorm1d(2, device="meta"))
            with self.assertRaisesRegex(ckpt.UnsupportedError, r"^model\.0\.weight: a tensor on the device 'meta' has no memory"):
                ckpt_torch.resume(folder, model=meta)
            with self.assertRaisesRegex(ckpt.UnsupportedError, r"^model\.net\.0\.weight: "):
                ckpt_torch.resume(folder, model={"net": meta})
            with self.assertRaisesRegex(ckpt.UnsupportedError, r"^optimizer\.param_groups\.0\.0: a tensor on the device 'meta'"):
                ckpt_torch.resume(folder, optimizer=torch.optim.AdamW(meta.parameters()))
            mixed = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
            mixed[1].running_mean = torch.zeros(2, device="meta")
            before = mixed[0].weight.detach().clone()
            with self.assertRaisesRegex(ckpt.UnsupportedError, r"^model\.1\.running_mean: "):
                ckpt_torch.resume(folder, model=mixed)
            self.assertTrue(torch.equal(mixed[0].weight, before))
            meta.to_empty(device="cpu")
            ckpt_torch.resume(folder, model=meta)
            self.assertTrue(same(dict(meta.state_dict()), dict(model.state_dict())))
            with self.assertRaisesRegex(ckpt.InvalidArgumentError, "device is 'meta'"):
                ckpt_torch.resume(folder, model=model, device="meta")
            with self.assertRaisesRegex(ckpt.UnsupportedError, r"^0\.weight: a tensor on the device 'meta' has no memory"):
                ckpt_torch.load_into(folder, torch.nn.Sequential(torch.nn.Linear(2, 2, device="meta")).state_dict())

    def test_templates(self):
        with torch.inference_mode():
            inference = torch.zeros(2)
        with tempfile.TemporaryDirectory() as folder:
            ckpt.save(folder, {"w": torch.ones(2), "n": 1})
            with self.assertRaisesRegex(ckpt.InvalidArgumentError, "^w: the template is on the device 'meta'"):
                ckpt.load(folder, into={"w": torch.zeros(2, device="meta"), "n": 0})
            with self.assertRaisesRegex(ckpt.InvalidArgumentError, "^w: the template repeats elements or is read-only"):
                ckpt.load(folder, into={"w": torch.zeros(1).expand(2), "n": 0})
            for target in (inference, torch.nn.Parameter(torch.zeros(2)), torch.zeros(4, requires_grad=True)[::2]):
                template = {"w": target, "n": 0}
                self.assertIs(ckpt.load(folder, into=template)["w"], target)
                self.assertTrue(torch.equal(target, torch.ones(2)))


# One run of training, as a separate program: arguments are folder, epochs, how to save, and the batch to be killed at.
TRAINING = """
import os, signal, sys
import torch
import ckpt
from ckpt import torch as ckpt_torch

folder, epochs, how, killed_at = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
torch.manual_seed(1)
torch.set_num_threads(1)
data = torch.utils.data.TensorDataset(torch.randn(96, 8), torch.randn(96, 1))
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Dropout(0.3), torch.nn.GELU(), torch.nn.Linear(16, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, amsgrad=True)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 40)
manager = ckpt.AsyncManager(folder, keep_last=2) if how == "background" else ckpt.CheckpointManager(folder, keep_last=2)
resumed = ckpt_torch.resume(manager, model=model, optimizer=optimizer, scheduler=scheduler, rng=True)
epoch, batch = (resumed.extra["epoch"], resumed.extra["batch"]) if resumed else (0, 0)
step = resumed.step if resumed else 0
while epoch < epochs:
    loader = torch.utils.data.DataLoader(data, 16, shuffle=True, generator=torch.Generator().manual_seed(epoch),
                                         num_workers=2 if how == "background" else 0)
    for i, (x, y) in enumerate(loader):
        if i < batch:
            continue
        loss = torch.nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        step += 1
        print(step, loss.item().hex(), flush=True)
        saved = ckpt_torch.save(manager, step, model=model, optimizer=optimizer, scheduler=scheduler, rng=True,
                                extra={"epoch": epoch, "batch": i + 1})
        if step == killed_at:
            if how == "background":
                saved.wait()
            os.kill(os.getpid(), signal.SIGKILL)
    epoch, batch = epoch + 1, 0
manager.close()
print("end", " ".join(p.detach().numpy().tobytes().hex() for p in model.parameters()))
"""


class Runs(unittest.TestCase):
    def run_once(self, folder, how, killed_at):
        done = subprocess.run([sys.executable, "-c", TRAINING, folder, "4", how, str(killed_at)], capture_output=True, text=True)
        self.assertEqual(done.returncode, -signal.SIGKILL if killed_at else 0, done.stderr)
        return done.stdout.splitlines()

    def test_killed_in_mid_epoch_and_resumed_with_the_same_bits(self):
        for how in ("foreground", "background"):
            with self.subTest(how=how), tempfile.TemporaryDirectory() as folder:
                whole = self.run_once(os.path.join(folder, "whole"), how, 0)
                first = self.run_once(os.path.join(folder, "cut"), how, 9)
                second = self.run_once(os.path.join(folder, "cut"), how, 16)
                rest = self.run_once(os.path.join(folder, "cut"), how, 0)
                self.assertEqual((len(whole), len(first), len(second)), (25, 9, 7))
                self.assertEqual(whole, first + second + rest)

    def test_all_or_nothing_and_none(self):
        model = torch.nn.Linear(2, 2)
        optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
        with tempfile.TemporaryDirectory() as folder:
            self.assertIsNone(ckpt_torch.resume(os.path.join(folder, "none"), model=model))
            with ckpt.CheckpointManager(folder) as manager:
                self.assertIsNone(ckpt_torch.resume(manager, model=model))
                with self.assertRaisesRegex(ValueError, "nothing would be saved"):
                    ckpt_torch.save(manager, 1)
                ckpt_torch.save(manager, 1, model=model, extra={"at": [torch.ones(2), 3]})
                before = {name: value.clone() for name, value in model.state_dict().items()}
                with torch.no_grad():
                    model.weight.fill_(7)
                with self.assertRaises(ckpt.NotFoundError):  # the checkpoint has no optimizer
                    ckpt_torch.resume(manager, model=model, optimizer=optimizer)
                self.assertTrue((model.weight == 7).all(), "something was loaded")
                resumed = ckpt_torch.resume(manager, model=model)
                self.assertEqual((resumed.step, resumed.extra["at"][1]), (1, 3))
                self.assertTrue(same(dict(model.state_dict()), before))

    def test_a_mismatch_changes_nothing(self):
        """torch itself loads part by part, and loads the matching tensors of a module before it refuses the rest."""
        saved = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 2))
        with tempfile.TemporaryDirectory() as folder:
            optimizer = torch.optim.SGD(saved.parameters(), 0.1, momentum=0.9)
            saved(torch.ones(2)).sum().backward()
            optimizer.step()
            ckpt_torch.save(folder, 1, model=saved, optimizer=optimizer, rng=True)
            wider = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 3))
            alike = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 2))
            for model, parameters in ((alike, list(alike.parameters())[:2]), (wider, wider.parameters()), (wider, alike.parameters())):
                mine = torch.optim.SGD(parameters, 0.5, momentum=0.9)
                before = {name: value.clone() for name, value in model.state_dict().items()}
                generator = torch.get_rng_state()
                with self.subTest(model=model), self.assertRaises((RuntimeError, ValueError)):
                    ckpt_torch.resume(folder, model=model, optimizer=mine, rng=True)
                self.assertTrue(same(dict(model.state_dict()), before), "something was loaded")
                self.assertEqual((mine.param_groups[0]["lr"], len(mine.state)), (0.5, 0))
                self.assertTrue(torch.equal(torch.get_rng_state(), generator))
                torch.rand(1)
            mine = torch.optim.SGD(alike.parameters(), 0.5, momentum=0.9)
            self.assertEqual(ckpt_torch.resume(folder, model=alike, optimizer=mine, rng=True).step, 1)
            self.assertTrue(same(dict(alike.state_dict()), dict(saved.state_dict())))
            self.assertEqual((mine.param_groups[0]["lr"], len(mine.state)), (0.1, 4))

    def test_a_missing_part_does_not_begin_a_new_run(self):
        model, other = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
        with tempfile.TemporaryDirectory() as folder:
            ckpt_torch.save(folder, 1, model={"a": model})
            before = other.weight.detach().clone()
            for missing in ({"rng": True}, {"optimizer": torch.optim.SGD(model.parameters(), 0.1)}, {"model": {"a": other, "b": model}}):
                with self.subTest(missing=missing), self.assertRaises(ckpt.NotFoundError):
                    ckpt_torch.resume(folder, **missing)
            self.assertTrue(torch.equal(other.weight, before), "something was loaded")

    def test_schedulers_continue(self):
        kinds = torch.optim.lr_scheduler
        for make in (lambda o: kinds.StepLR(o, 2), lambda o: kinds.MultiStepLR(o, [2, 5], 0.1), lambda o: kinds.CosineAnnealingLR(o, 7),
                     lambda o: kinds.ReduceLROnPlateau(o, patience=1), lambda o: kinds.LambdaLR(o, lambda epoch: 0.9**epoch),
                     lambda o: kinds.CyclicLR(o, 0.01, 0.1, 3), lambda o: kinds.OneCycleLR(o, 0.1, 20),
                     lambda o: kinds.CosineAnnealingWarmRestarts(o, 3),
                     lambda o: kinds.SequentialLR(o, [kinds.ConstantLR(o), kinds.MultiStepLR(o, [2])], [3]),
                     lambda o: kinds.ChainedScheduler([kinds.ExponentialLR(o, 0.9), kinds.MultiStepLR(o, [4])])):
            def run(steps, place=None):
                """Returns the rates of these steps, starting at the place's."""
                optimizer = torch.optim.SGD(torch.nn.Linear(1, 1).parameters(), 0.1, momentum=0.9)
                scheduler, rates = make(optimizer), []
                resumed = ckpt_torch.resume(place, optimizer=optimizer, scheduler=scheduler) if place else None
                for step in range(resumed.step if resumed else 0, steps):
                    optimizer.step()
                    scheduler.step(*[1.0] if isinstance(scheduler, kinds.ReduceLROnPlateau) else [])
                    rates.append(optimizer.param_groups[0]["lr"])
                if place:
                    ckpt_torch.save(place, steps, optimizer=optimizer, scheduler=scheduler)
                return rates

            with tempfile.TemporaryDirectory() as folder, self.subTest(scheduler=type(make(torch.optim.SGD(
                    torch.nn.Linear(1, 1).parameters(), 0.1, momentum=0.9))).__name__), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # torch's, of the order of steps
                self.assertEqual(run(9), run(4, folder) + run(9, folder))

    def test_templates_with_parameters(self):
        linear = torch.nn.Linear(2, 2)
        with tempfile.TemporaryDirectory() as folder:
            ckpt.save(folder, {"w": torch.full((2, 2), 3.0), "i": 1}, 1)
            filled = ckpt.load(folder, into={"w": linear.weight, "i": 0})
            self.assertIs(filled["w"], linear.weight)
            self.assertTrue((linear.weight == 3).all())
            with self.assertRaisesRegex(ValueError, "^w: the template repeats elements or is read-only"):
                ckpt.load(folder, into={"w": torch.zeros(1).expand(2, 2), "i": 0})

    def test_a_damaged_one_is_skipped(self):
        model = torch.nn.Linear(2, 2)
        with tempfile.TemporaryDirectory() as folder, ckpt.CheckpointManager(folder) as manager:
            ckpt_torch.save(manager, 1, model=model)
            name = ckpt_torch.save(manager, 2, model=model).name
            with open(os.path.join(folder, name, "model.safetensors"), "r+b") as stream:
                stream.seek(-4, os.SEEK_END)
                stream.write(b"dmg!")
            with self.assertWarnsRegex(ckpt.SkippedWarning, "was skipped for the older"):
                self.assertEqual(ckpt_torch.resume(manager, model=model).step, 1)

    def test_a_run_continues_from_what_it_resumed(self):
        model = torch.nn.Linear(2, 2)

        def in_background(path):
            with ckpt.AsyncManager(path) as manager:
                yield manager, lambda step: ckpt_torch.save(manager, step, model=model).wait()

        def in_foreground(path):
            with ckpt.CheckpointManager(path) as manager:
                yield manager, lambda step: ckpt_torch.save(manager, step, model=model)

        def by_path(path):
            yield path, lambda step: ckpt_torch.save(path, step, model=model)

        for way in (in_background, in_foreground, by_path):
            with self.subTest(way=way.__name__), tempfile.TemporaryDirectory() as folder:
                names = [ckpt_torch.save(folder, step, model=model).name for step in (100, 200, 300)]
                with open(os.path.join(folder, names[-1], "model.safetensors"), "r+b") as stream:
                    stream.seek(-4, os.SEEK_END)
                    stream.write(b"dmg!")
                for where, save in way(folder):
                    with self.assertWarns(ckpt.SkippedWarning):
                        self.assertEqual(ckpt_torch.resume(where, model=model).step, 200)
                    self.assertEqual(save(210).generation, 1)
                with ckpt.CheckpointManager(folder, read_only=True) as manager:
                    found = [(info.step, bool(info.abandoned)) for info in manager.list()]
                self.assertEqual(found, [(210, False), (200, False), (100, False), (300, True)])

    def test_ranks_continue_from_what_they_resumed(self):
        def of_tasks(manager):
            return ckpt.AsyncManager(manager), lambda task: task.saved()

        def of_manager(manager):
            return nullcontext(manager), lambda saved: saved

        for way in (of_manager, of_tasks):
            with self.subTest(way=way.__name__), tempfile.TemporaryDirectory() as folder:
                def work(rank, coordinator):
                    model = torch.nn.Linear(2, 2)
                    with ckpt.CheckpointManager(folder, coordinator=coordinator) as manager, way(manager)[0] as where:
                        save = lambda step: way(manager)[1](ckpt_torch.save(where, step, model=model))
                        none = ckpt_torch.resume(where, model=model)
                        name = [save(step).name for step in (100, 200, 300)][-1]
                        coordinator.barrier()
                        if rank == 0:
                            damage(os.path.join(folder, name))
                        coordinator.barrier()
                        step = ckpt_torch.resume(where, model=model).step
                        return none, step, save(210).generation, save(220).generation

                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", ckpt.SkippedWarning)
                    self.assertEqual(on_ranks(2, work), [(None, 200, 1, 1)] * 2)
                with ckpt.CheckpointManager(folder, read_only=True) as manager:
                    found = [(info.step, info.abandoned) for info in manager.list()]
                self.assertEqual(found, [(220, False), (210, False), (200, False), (100, False), (300, True)])

    def test_an_error_of_one_rank_in_resume_fails_all_at_once(self):
        with tempfile.TemporaryDirectory() as folder:
            def work(rank, coordinator):
                with ckpt.CheckpointManager(folder, coordinator=coordinator) as manager:  # its timeout: ten minutes
                    ckpt_torch.save(manager, 1, model=torch.nn.Linear(2, 2))
                    return ckpt_torch.resume(manager, model=torch.nn.Linear(3 if rank == 1 else 2, 2))

            other, mine = on_ranks(2, work)
            self.assertIsInstance(mine, RuntimeError)
            self.assertIn("size mismatch", str(mine))
            self.assertIsInstance(other, ckpt.InvalidArgumentError)
            self.assertIn("rank 1", str(other))

    def test_a_meta_tensor_of_one_rank_in_resume_fails_all_at_once(self):
        with tempfile.TemporaryDirectory() as folder:
            def work(rank, coordinator):
                with ckpt.CheckpointManager(folder, coordinator=coordinator) as manager:  # its timeout: ten minutes
                    ckpt_torch.save(manager, 1, model=torch.nn.Linear(2, 2))
                    return ckpt_torch.resume(manager, model=torch.nn.Linear(2, 2, device="meta" if rank == 1 else "cpu"))

            other, mine = on_ranks(2, work)
            self.assertIsInstance(mine, ckpt.UnsupportedError)
            self.assertIn("to_empty", str(mine))
            self.assertIsInstance(other, ckpt.InvalidArgumentError)
            self.assertIn("rank 1", str(other))

    def test_ranks_that_read_different_checkpoints_fail(self):
        with tempfile.TemporaryDirectory() as folder:
            def work(rank, coordinator):
                with ckpt.CheckpointManager(folder, coordinator=coordinator) as manager:
                    names = [ckpt_torch.save(manager, step, model=torch.nn.Linear(2, 2)).name for step in (1, 2)]
                    with self.assertRaisesRegex(ckpt.CkptError, names[rank]):
                        ckpt_torch._continue_after_resume(manager, names[rank])
                    return ckpt_torch.resume(manager, model=torch.nn.Linear(2, 2)).step

            self.assertEqual(on_ranks(2, work), [2, 2])

    def test_several_models_and_plain_readers(self):
        models = {"generator": torch.nn.Linear(2, 3), "critic": torch.nn.Linear(3, 1)}
        with tempfile.TemporaryDirectory() as folder:
            name = ckpt_torch.save(folder, 5, model=models).name
            expected = models["critic"].weight.detach().clone()
            with torch.no_grad():
                models["critic"].weight.zero_()
            self.assertEqual(ckpt_torch.resume(folder, model=models).step, 5)
            self.assertTrue(torch.equal(models["critic"].weight, expected))
            names = sorted(ckpt_torch.load_file(os.path.join(folder, name, "model.safetensors")))
            self.assertEqual(names, ["__tree__", "critic.bias", "critic.weight", "generator.bias", "generator.weight"])


if __name__ == "__main__":
    unittest.main()
