"""Saves and loads in one line, of numpy arrays and of torch: nothing is dropped or renamed, and every fall-back is reported."""

import importlib
import importlib.util
import os
import pathlib
import sys
import tempfile
import types
import unittest
import warnings

import ckpt
import numpy as np


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "run")

    def tearDown(self):
        self.folder.cleanup()


class Paths(Folder):
    """All forms of a path refer to the same place in saves, loads and lists; other arguments raise an error with the argument's
    name."""

    class Given:
        def __init__(self, path):
            self.path = path

        def __fspath__(self):
            return self.path

    def test_each_form_of_a_path(self):
        path = os.path.join(self.folder.name, "r\u00fcn")
        for step, place in enumerate([path, os.fsencode(path), pathlib.Path(path), self.Given(path), self.Given(os.fsencode(path))]):
            ckpt.save(place, {"w": np.full(2, step)}, step)
            self.assertEqual(ckpt.load(place)["w"].tolist(), [step, step])
            with ckpt.CheckpointManager(place, read_only=True) as checkpoints:
                self.assertEqual([info.step for info in checkpoints.list()], list(range(step, -1, -1)))
        self.assertEqual(os.listdir(self.folder.name), ["r\u00fcn"])
        for file in (os.fsencode(path + ".safetensors"), self.Given(os.fsencode(path + ".safetensors"))):
            ckpt.save_file(file, {"w": np.ones(2)})
            self.assertEqual(ckpt.load_file(file)["w"].tolist(), [1, 1])

    def test_a_path_that_is_not_utf8_is_refused_by_argument(self):
        path = os.path.join(os.fsencode(self.folder.name), b"caf\xe9")
        os.mkdir(path)
        text = os.fsdecode(path)
        self.assertIn("\udce9", text)
        given = [path, text, pathlib.Path(text), self.Given(path), self.Given(text), path + b"/run"]
        if os.path.isdir(text):
            given += list(pathlib.Path(self.folder.name).iterdir())
        calls = [("place", lambda place: ckpt.save(place, {"w": np.ones(1)})), ("storage", lambda place: ckpt.load(place)),
                 ("root", ckpt.Storage), ("storage", ckpt.CheckpointManager), ("path", ckpt.Reader),
                 ("place", lambda place: ckpt.save_async(place, {"w": np.ones(1)})), ("path", ckpt.load_file),
                 ("path", lambda place: ckpt.save_file(place, {"w": np.ones(1)}))]
        for place in given:
            for argument, call in calls:
                with self.assertRaisesRegex(ckpt.CkptError, f"{argument} .*caf.*: expected a path in UTF-8"):
                    call(place)
        self.assertEqual(os.listdir(path), [])

    def test_invalid_paths_are_refused_by_argument(self):
        for place in (3, None, ["run"]):
            with self.assertRaisesRegex(ckpt.InvalidArgumentError, "storage: expected a path, a URI or a Storage, found a "):
                ckpt.load(place)
            with self.assertRaisesRegex(ckpt.InvalidArgumentError, "root: expected a path, found a "):
                ckpt.Storage(place)
            with self.assertRaisesRegex(ckpt.InvalidArgumentError, "path: expected a path, found a "):
                ckpt.load_file(place)

    def test_kinds_of_locks(self):
        for kind in ("fcntl", "file"):
            place = f"file://{self.path}?lock={kind}"
            storage = ckpt.Storage(self.path, lock_kind=kind)
            with ckpt.CheckpointManager(storage) as checkpoints:
                checkpoints.save({"w": np.ones(2)}, 1)
                with self.assertRaises(ckpt.BusyError):
                    ckpt.save(place, {"w": np.ones(2)}, 2)
                self.assertEqual(ckpt.load(place)["w"].tolist(), [1, 1])
            storage.close()
            ckpt.save(place, {"w": np.ones(2)}, 2)
        with self.assertRaises(ckpt.NotFoundError):
            ckpt.load(f"file://{self.path}2?lock=file")
        self.assertFalse(os.path.exists(self.path + "2"))  # reading creates nothing
        with self.assertRaisesRegex(ckpt.InvalidArgumentError, "options.lock_kind is 'x'; expected flock, fcntl, file or none"):
            ckpt.Storage(self.path, lock_kind="x")


class Unfitting(unittest.TestCase):
    """Values that cannot be saved are refused with their path, and nothing is written; groups of a state hold tensors only."""

    refused = [
        ({"model": {"w": np.zeros(1)}, "optimizer": {"state": {0: {"step": np.zeros(1)}}}}, ValueError, "optimizer.state: a dict inside"),
        ({"a": {"b": {"w": np.zeros(1)}}, "c": {"w": np.zeros(1)}}, ValueError, "a.b: a dict inside"),
        ({"model": {"w": np.zeros(1)}, "optimizer": {"groups": [1]}}, TypeError, "optimizer.groups: a list has neither"),
        ({"model": {"w": np.zeros(1)}, "optimizer": {}}, ValueError, "optimizer: an empty dict"),
        ({"model": {"w": np.zeros(1)}, "other": {3: np.zeros(1)}}, TypeError, r"other\.3: expected a string as the name"),
        ({3: np.zeros(1)}, TypeError, "3: expected a string as the name"),
        ({"w": np.zeros(1), "lr": 0.1}, TypeError, "lr: a float has neither"),
        ({"w": np.zeros((4, 4)).T}, TypeError, "w: "),
        ({"w": np.zeros(2, ">f4")}, TypeError, "w: "),
        ({"w": np.zeros(1), "optimizer": {"m": np.zeros(1)}}, ValueError, "w: a tensor next to the dict 'optimizer'"),
        ({"model": {"w": np.zeros(1)}}, ValueError, "model: the only dict"),
    ]

    def test_refused_by_path(self):
        refused = [({}, ValueError, "nothing would be saved"), ({"model": {"w": object()}}, ckpt.UnsupportedError, r"model\.w: a builtins.object"),
                   ([np.zeros(1), {"a": {1, 2}}], ckpt.UnsupportedError, r"1\.a: a builtins.set"),
                   ({"w": np.zeros(1), "names": np.array(["a"])}, ckpt.UnsupportedError, "names: elements of numpy's <U1")]
        with ckpt.CheckpointManager(ckpt.Storage.memory()) as checkpoint, ckpt.AsyncManager(checkpoint) as manager:
            controller = ckpt.Controller()
            controller.begin_run()
            for number, (tensors, kind, text) in enumerate(refused):
                ways = [lambda place: ckpt.save(place, tensors), lambda place: ckpt.save_async(place, tensors).result(),
                        lambda place: manager.save(tensors).result(), lambda place: controller.save_async(manager, tensors)]
                for way, save in enumerate(ways):
                    with self.subTest(text=text, way=way), tempfile.TemporaryDirectory() as folder:
                        try:
                            with self.assertRaisesRegex(kind, text):
                                save(os.path.join(folder, "run"))
                        finally:
                            ckpt.finish_saves()
                        with self.assertRaises(ckpt.NotFoundError):
                            ckpt.load(os.path.join(folder, "run"))
            self.assertEqual(checkpoint.list(), [])

    def test_state_updates_all_or_nothing(self):
        for tensors, kind, text in self.refused[:9]:
            with self.subTest(text=text), ckpt.State() as state:
                with self.assertRaisesRegex(kind, text):
                    state.update({"first": {"w": np.zeros(1)}, **tensors})
                self.assertEqual(state.tensor_count, 0)
        with ckpt.State() as state:
            with self.assertRaisesRegex(ValueError, "model.w: given twice"):
                state.update({"w": np.zeros(1), "model": {"w": np.ones(1)}})
            self.assertEqual(state.tensor_count, 0)
            state.update({"w": np.zeros(1), "other": {"w": np.ones(1)}})  # an explicit state is loaded into the same groups again
            self.assertEqual(state.tensor_count, 2)

    def test_allow_empty(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(ckpt.save(folder, {}, 1, allow_empty=True).step, 1)
            self.assertEqual(ckpt.save(folder, {}, 2, values={"epoch": 3}).step, 2)
            self.assertEqual(ckpt.save_async(folder, {}, 3, allow_empty=True).saved().step, 3)
            ckpt.finish_saves()
            loaded = ckpt.load(folder)
            self.assertEqual((loaded, loaded.step), ({}, 3))

    def test_values(self):
        for value, kind, text in [({1: "one"}, TypeError, "v.1: expected a string as a key of JSON"), ([{"a": {None: 1}}], TypeError, r"v\[0\]\.a\.None: expected a string"),
                                  ({"a": np.zeros(1)}, TypeError, "v: Object of type ndarray"), (float("nan"), ValueError, "v: ")]:
            with self.subTest(text=text), tempfile.TemporaryDirectory() as folder:
                with self.assertRaisesRegex(kind, text):
                    ckpt.save(folder, {"w": np.zeros(1)}, values={"v": value})
                with self.assertRaisesRegex(kind, text.replace("v", "metadata", 1)):
                    ckpt.save(folder, {"w": np.zeros(1)}, metadata=value)
                with self.assertRaises(ckpt.NotFoundError):
                    ckpt.load(folder)

    def test_safetensors_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "x.safetensors")
            for tensors, text in [({"model": {"w": np.zeros(1)}}, "model: expected a tensor, found a dict"), ({}, "nothing would be saved")]:
                with self.subTest(text=text), self.assertRaisesRegex(ValueError, text):
                    ckpt.save_file(file, tensors)
                self.assertFalse(os.path.exists(file))


class FallBack(Folder):
    """A load of an older checkpoint than the newest is never silent, and no error is lost."""

    def damaged(self, count=1):
        ckpt.save(self.path, {"w": np.zeros(1000)}, 1)
        names = [ckpt.save(self.path, {"w": np.ones(1000)}, 2 + i).name for i in range(count)]
        for name in names:
            with open(os.path.join(self.path, name, "model.safetensors"), "r+b") as stream:
                stream.seek(-100, os.SEEK_END)
                stream.write(b"damage")
        return names

    def test_warning_log_and_result(self):
        bad = self.damaged(2)
        with open(os.path.join(self.path, bad[0], "manifest.json"), "w", encoding="utf-8") as manifest:
            manifest.write("{")  # damage that only the list detects
        log = []
        ckpt.set_log(lambda level, component, text: log.append((level, component, text)))
        try:
            with self.assertWarnsRegex(ckpt.SkippedWarning, f"'{bad[1]}' was skipped for the older") as warned:
                loaded = ckpt.load(self.path)
        finally:
            ckpt.set_log(None)
        self.assertEqual(os.path.basename(warned.filename), os.path.basename(__file__))
        self.assertEqual((loaded["w"].sum(), loaded.step, loaded.skipped), (0, 1, 2))
        self.assertEqual(list(loaded.errors), bad[::-1])
        for error in loaded.errors.values():
            self.assertIsInstance(error, ckpt.CorruptError)
        for name in bad:
            self.assertTrue(any(level == ckpt.LogLevel.WARNING and part == "state" and name in text for level, part, text in log), log)

    def damage(self, name):
        with open(os.path.join(self.path, name, "model.safetensors"), "r+b") as stream:
            stream.seek(-4, os.SEEK_END)
            stream.write(b"dmg!")

    def test_abandoned_checkpoints_do_not_replace_the_current_line(self):
        old = ckpt.save(self.path, {"w": np.ones(10)}, 600).name
        self.damage(ckpt.save(self.path, {"w": np.zeros(10)}, 10).name)  # of a new run
        with self.assertRaisesRegex(ckpt.CorruptError, f"the newest abandoned one is '{old}' .step 600., which can be loaded by name"):
            ckpt.load(self.path)
        self.assertEqual(ckpt.load(self.path, old).step, 600)

    def test_a_save_continues_from_what_was_loaded(self):
        for step in (100, 200, 300):
            ckpt.save(self.path, {"w": np.full(10, step)}, step)
        self.damage(ckpt.load(self.path).name)
        with self.assertWarns(ckpt.SkippedWarning):
            self.assertEqual(ckpt.load(self.path).step, 200)
        saved = ckpt.save(self.path, {"w": np.zeros(10)}, 210)
        self.assertEqual((saved.rolled_back, saved.generation), (True, 1))
        with ckpt.CheckpointManager(self.path, read_only=True) as manager:
            found = [(info.step, bool(info.abandoned)) for info in manager.list()]
        self.assertEqual(found, [(210, False), (200, False), (100, False), (300, True)])
        self.assertFalse(ckpt.save(self.path, {"w": np.zeros(10)}, 220).rolled_back)

    def test_a_log_that_raises_has_no_effect(self):
        self.damaged()

        def refuse(*_):
            raise LookupError("of the log")

        unraisable = []
        before, sys.unraisablehook = sys.unraisablehook, lambda u: unraisable.append(u.exc_value)
        ckpt.set_log(refuse)
        try:
            with self.assertWarns(ckpt.SkippedWarning):
                self.assertEqual(ckpt.load(self.path).skipped, 1)
        finally:
            ckpt.set_log(None)
            sys.unraisablehook = before
        self.assertIn("of the log", [str(error) for error in unraisable])

    def test_no_warning_without_a_reason(self):
        ckpt.save(self.path, {"w": np.zeros(10)}, 1)
        os.mkdir(os.path.join(self.path, "step-000000000002-0badcafe"))  # an unfinished save
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            loaded = ckpt.load(self.path)
            named = ckpt.load(self.path, loaded.name)
        for result in (loaded, named):
            self.assertEqual((result.step, result.skipped, result.errors), (1, 0, {}))
        self.assertEqual(named.name, loaded.name)

    def test_no_group_is_no_reason_to_fall_back(self):
        ckpt.save(self.path, {"model": {"w": np.zeros(1)}, "old": {"w": np.zeros(1)}}, 1)
        ckpt.save(self.path, {"model": {"w": np.zeros(1)}, "new": {"w": np.zeros(1)}}, 2)
        with self.assertRaisesRegex(ckpt.NotFoundError, "old"):
            ckpt.load(self.path, group="old")

    def test_errors_of_the_process_are_raised(self):
        """Missing memory does not mean a damaged checkpoint."""
        ckpt.save(self.path, {"w": np.zeros(10)}, 1)
        ckpt.save(self.path, {"w": np.ones(10)}, 2)
        reader = ckpt.CheckpointManager.reader
        for error in (ckpt.OutOfMemoryError("none left"), ckpt.InternalError("a defect"), KeyboardInterrupt()):
            def fail(self, name=None, verify=0, error=error):
                if "000002" in name:
                    raise error
                return reader(self, name, verify)

            ckpt.CheckpointManager.reader = fail
            try:
                with self.assertRaises(type(error)):
                    ckpt.load(self.path)
            finally:
                ckpt.CheckpointManager.reader = reader

    def test_a_checkpoint_that_retention_removes_meanwhile(self):
        ckpt.save(self.path, {"w": np.zeros(10)}, 1)
        with ckpt.CheckpointManager(self.path, keep_last=1) as writer:
            reader, moved = ckpt.CheckpointManager.reader, []

            def late(self, name=None, verify=0):
                if not moved:
                    moved.append(name)
                    writer.save(ckpt.State({"w": np.ones(10)}), 2)  # removes what this one is about to open
                return reader(self, name, verify)

            ckpt.CheckpointManager.reader = late
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    loaded = ckpt.load(self.path)
            finally:
                ckpt.CheckpointManager.reader = reader
        self.assertEqual((loaded.step, loaded.skipped, loaded["w"].sum()), (2, 0, 10))


class StandIn:
    """Replaces torch if it is not installed: tensors over numpy arrays that the torch helpers accept."""

    def __init__(self, array):
        self.array = array

    dtype, layout, is_quantized, device = "float64", "strided", False, types.SimpleNamespace(type="cpu")

    def itself(self):
        return self

    def has_names(self):
        return False

    detach = cpu = resolve_conj = resolve_neg = contiguous = itself

    def __dlpack__(self, **_):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class StateDicts(Folder):
    """The helpers for torch, with a replacement module."""

    def setUp(self):
        super().setUp()
        module = types.ModuleType("torch")
        module.Tensor, module.from_dlpack = StandIn, np.from_dlpack
        module.strided, module.nn = "strided", types.SimpleNamespace(Parameter=None)  # no tensor is one
        module.bool, module.bfloat16, module.uint8, module.int16 = "bool", "bfloat16", "uint8", "int16"
        self.before = {name: sys.modules.pop(name, None) for name in ("torch", "ckpt.torch", "ckpt._torch_tensors", "ckpt._torch_versions")}
        sys.modules["torch"] = module
        self.torch = importlib.import_module("ckpt.torch")
        self.model = {"layer.weight": StandIn(np.arange(6.0).reshape(2, 3)), "layer.steps": StandIn(np.array(7))}

    def tearDown(self):
        del ckpt.torch  # of the package, which would be found before the module
        for name, module in self.before.items():
            sys.modules.pop(name, None)
            if module is not None:
                sys.modules[name] = module
        super().tearDown()

    def test_round_trip(self):
        self.assertEqual(self.torch.save(self.path, self.model, 3).step, 3)
        for tensor in self.model.values():
            tensor.array[...] = 0
        self.assertEqual(self.torch.load_into(self.path, self.model).step, 3)
        self.assertEqual(self.model["layer.weight"].array.sum(), 15)
        self.assertEqual(self.model["layer.steps"].array, 7)

    def test_groups_round_trip(self):
        both = {"model": self.model, "average": {"layer.weight": StandIn(np.ones(3))}}
        self.torch.save(self.path, both, 1)
        both["average"]["layer.weight"].array[...] = 0
        self.torch.load_into(self.path, both)
        self.assertEqual(both["average"]["layer.weight"].array.sum(), 3)
        self.assertEqual(sorted(ckpt.load(self.path)), ["average", "model"])

    def test_an_optimizer_is_refused_by_path(self):
        state = {0: {"step": StandIn(np.zeros(())), "exp_avg": StandIn(np.zeros(3))}}
        groups = [{"lr": 0.1, "params": [0]}]
        cases = [({"model": self.model, "optimizer": {"state": state, "param_groups": groups}}, ValueError, "optimizer.state: "),
                 ({"model": self.model, "optimizer": {"param_groups": groups, "state": {}}}, TypeError, "optimizer.param_groups: "),
                 ({**self.model, "_extra_state": None}, TypeError, "_extra_state: a NoneType"),
                 ({**self.model, "epoch": 3}, TypeError, "epoch: an? int"), ({"model": self.model}, ValueError, "model: the only dict"),
                 ({}, ValueError, "nothing would be saved")]
        for state_dict, kind, text in cases:
            with self.subTest(text=text):
                with self.assertRaisesRegex(kind, text):
                    self.torch.save(self.path, state_dict)
                with self.assertRaises(ckpt.NotFoundError):
                    ckpt.load(self.path)
        self.torch.save(self.path, self.model)
        for state_dict, kind, text in cases:
            with self.subTest(text=text), self.assertRaisesRegex(kind, text):
                self.torch.load_into(self.path, state_dict)
        self.assertEqual(self.torch.save(self.path, {}, 2, allow_empty=True).step, 2)

    def test_a_fall_back_is_reported(self):
        self.torch.save(self.path, self.model, 1)
        last = self.torch.save(self.path, self.model, 2)
        with open(os.path.join(self.path, last.name, "model.safetensors"), "r+b") as stream:
            stream.seek(-4, os.SEEK_END)
            stream.write(b"dmg!")
        with self.assertWarnsRegex(ckpt.SkippedWarning, "1 newer"):
            result = self.torch.load_into(self.path, self.model)
        self.assertEqual((result.step, result.skipped), (1, 1))


def torch_is_missing():
    missing = importlib.util.find_spec("torch") is None
    if missing:
        print("SKIP tests with the real torch: it is not installed for", sys.executable, file=sys.stderr)
    return missing


@unittest.skipIf(torch_is_missing(), "torch is not installed")
class Torch(Folder):
    def test_state_dict(self):
        import torch
        from ckpt import torch as ckpt_torch

        model = torch.nn.Linear(3, 2)
        expected = model.weight.detach().clone()
        ckpt_torch.save(self.path, model.state_dict(), 4)
        with torch.no_grad():
            model.weight.zero_()
        self.assertEqual(ckpt_torch.load_into(self.path, model.state_dict()).step, 4)
        self.assertTrue(torch.equal(model.weight, expected))
        self.assertEqual(ckpt_torch.to_torch(ckpt_torch.as_tensor(expected)).data_ptr(), expected.data_ptr())

    def test_nothing_of_an_optimizer_is_dropped(self):
        import torch
        from ckpt import torch as ckpt_torch

        model = torch.nn.Linear(3, 2)
        optimizer = torch.optim.Adam(model.parameters())
        model(torch.ones(1, 3)).sum().backward()
        optimizer.step()
        with self.assertRaisesRegex(ValueError, "optimizer.state: "):
            ckpt_torch.save(self.path, {"model": model.state_dict(), "optimizer": optimizer.state_dict()})
        with self.assertRaises(ckpt.NotFoundError):
            ckpt.load(self.path)


if __name__ == "__main__":
    unittest.main()
