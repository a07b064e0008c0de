"""Checkpoints from Python: one line, states, retention, readers, stateful objects, coordinators, custom storages."""

import collections
import gc
import itertools
import os
import pathlib
import sys
import tempfile
import threading
import time
import unittest
import weakref

import ckpt
import numpy as np


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "run")

    def tearDown(self):
        self.folder.cleanup()


class OneLine(Folder):
    def test_dict_of_arrays(self):
        arrays = {"w": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.ones(3, np.int64), "scalar": np.array(2.5)}
        saved = ckpt.save(self.path, arrays, step=7, values={"epoch": 2}, metadata={"by": "test"})
        self.assertEqual((saved.step, saved.files), (7, 1))
        loaded = ckpt.load(self.path)
        self.assertEqual(sorted(loaded), sorted(arrays))
        for name, array in arrays.items():
            self.assertTrue(np.array_equal(loaded[name], array))
            self.assertEqual(loaded[name].dtype, array.dtype)
        loaded["w"][0, 0] = 9  # new, writable memory

    def test_groups(self):
        ckpt.save(self.path, {"model": {"w": np.zeros(2)}, "optimizer": {"m": np.ones(2)}})
        loaded = ckpt.load(self.path)
        self.assertEqual(sorted(loaded), ["model", "optimizer"])
        self.assertEqual(ckpt.load(self.path, group="optimizer")["m"].sum(), 2)
        with self.assertRaises(ckpt.NotFoundError):
            ckpt.load(self.path, group="none")

    def test_newest_valid_checkpoint(self):
        ckpt.save(self.path, {"w": np.zeros(1000)}, 1)
        last = ckpt.save(self.path, {"w": np.ones(1000)}, 2)
        file = os.path.join(self.path, last.name, "model.safetensors")
        with open(file, "r+b") as stream:
            stream.seek(-100, os.SEEK_END)
            stream.write(b"damage")
        with self.assertWarns(ckpt.SkippedWarning):
            self.assertEqual(ckpt.load(self.path)["w"].sum(), 0)
        with self.assertRaisesRegex(ckpt.CorruptError, "w"):
            ckpt.load(self.path, last.name)

    def test_no_checkpoint(self):
        with self.assertRaises(ckpt.NotFoundError):
            ckpt.load(self.path)
        with self.assertRaises(ckpt.UnsupportedError):
            ckpt.save(self.path, {"w": object()})
        with self.assertRaises(ckpt.InvalidArgumentError):
            ckpt.save(3, {})

    def test_safetensors_file(self):
        file = os.path.join(self.folder.name, "plain.safetensors")
        ckpt.save_file(file, {"a": np.arange(4, dtype=np.uint8)}, {"format": "np"})
        self.assertEqual(list(ckpt.load_file(file)["a"]), [0, 1, 2, 3])
        with ckpt.Reader(file) as reader:
            self.assertEqual(reader.metadata(), {"format": "np"})


class Page(Folder):
    def test_examples_of_the_documentation(self):
        page = os.path.join(os.path.dirname(os.environ["CKPT_API_TABLE"]), "..", "..", "docs", "reference", "python.md")
        with open(page, encoding="utf-8") as file:
            examples = [text.split("```")[0] for text in file.read().split("```python\n")[1:]]
        examples = [example for example in examples if example.startswith("import ckpt\n")]  # the others are fragments
        self.assertGreater(len(examples), 1)
        before, scopes = os.getcwd(), []
        for number, example in enumerate(examples):
            with self.subTest(number=number):
                os.makedirs(os.path.join(self.folder.name, str(number)))
                os.chdir(os.path.join(self.folder.name, str(number)))
                try:
                    scopes.append({})
                    exec(compile(example.replace("print(", "names = ("), page, "exec"), scopes[-1])
                finally:
                    os.chdir(before)
        self.assertEqual(scopes[0]["loaded"]["epoch"], 3)
        self.assertEqual(len(scopes[1]["names"]), 3)
        self.assertEqual(sorted(scopes[1]["arrays"]), ["b", "w"])


class Checkpoints(Folder):
    def test_load_fills_arrays_in_place(self):
        weights = np.arange(4.0)
        with ckpt.CheckpointManager(self.path) as checkpoint:
            state = ckpt.State({"w": weights})
            self.assertIsNone(checkpoint.load_if_any(state))
            state["epoch"] = {"number": 3, "of": [1, 2]}
            state[ckpt.DATA_POSITION] = 17
            checkpoint.save(state, 5, seed=11, metric=0.5, prefix="best", environment={"blas": "x"})
            weights[:] = 0
            fresh = ckpt.State({"w": weights})
            result = checkpoint.load(fresh, environment={"blas": "y"})
            self.assertEqual((result.step, result.seed, result.skipped, result.environment_differs), (5, 11, 0, 1))
            self.assertEqual(list(weights), [0, 1, 2, 3])
            self.assertEqual(fresh["epoch"], {"number": 3, "of": [1, 2]})
            self.assertEqual(fresh.get(ckpt.DATA_POSITION), 17)
            self.assertIsNone(fresh.get("none"))
            self.assertEqual((len(fresh), fresh.tensor_count), (2, 1))
            with self.assertRaises(KeyError):
                fresh["none"]

    def test_list_manifest_verify_retention(self):
        with ckpt.CheckpointManager(self.path, keep_last=2) as checkpoint:
            state = ckpt.State({"w": np.zeros(3)})
            for step in range(4):
                checkpoint.save(state, step, metric=float(step), metadata={"step": step})
            found = checkpoint.list()
            self.assertEqual([info.step for info in found], [3, 2])
            self.assertEqual((found[0].status, found[0].metric), (0, 3.0))
            self.assertEqual(checkpoint.manifest(found[0].name)["step"], 3)
            self.assertEqual(checkpoint.verify().tensors, 1)
            with self.assertRaises(ckpt.NotFoundError):
                checkpoint.verify("none")
            with self.assertRaises(ckpt.BusyError):
                ckpt.CheckpointManager(self.path)
            self.assertEqual(checkpoint.fault_handler.retry_count, 0)
            self.assertEqual(checkpoint.coordinator.world_size, 1)
            self.assertEqual(len(ckpt.CheckpointManager(checkpoint.storage, read_only=True).list()), 2)

    def test_by_step_and_metric(self):
        array = np.zeros(4, np.float32)
        with ckpt.CheckpointManager(self.path, best_metric=ckpt.BestMetric.LARGEST) as manager:
            self.assertEqual((manager.latest(), manager.best(), manager.find_step(1)), (None, None, None))
            for step, metric in ((1, 0.5), (2, 0.9), (3, None)):
                array[:] = step
                manager.save(ckpt.State({"w": array}), step, metric=metric)
            self.assertEqual([manager.latest().step, manager.best().step, manager.find_step(1).step], [3, 2, 1])
            self.assertEqual((manager.best().metric, manager.latest().metric), (0.9, None))
            self.assertEqual(manager.load(ckpt.State({"w": array}), step=np.int64(2)).step, 2)
            self.assertEqual(array[0], 2)
            self.assertEqual(manager.verify(1).name, manager.find_step(1).name)
            self.assertEqual(manager.manifest(1)["step"], 1)
            with manager.reader(1) as reader:
                self.assertEqual(reader.read("w").numpy()[0], 1)
            manager.remove(2)
            manager.remove(manager.find_step(1).name)
            self.assertEqual([info.step for info in manager.list()], [3])
            for call in (manager.remove, manager.verify, lambda step: manager.load(ckpt.State({"w": array}), step=step)):
                with self.assertRaises(ckpt.NotFoundError):
                    call(2)
            with self.assertRaises(ckpt.InvalidArgumentError):
                manager.load(ckpt.State({"w": array}), step=3, name=manager.latest().name)

    def test_a_metric_that_is_not_finite_is_left_out(self):
        state = ckpt.State({"w": np.zeros(3)})
        with ckpt.CheckpointManager(self.path) as manager:
            self.assertFalse(manager.save(state, 1, metric=0.5).metric_ignored)
            for step, metric in ((2, float("nan")), (3, np.float32("-inf"))):
                self.assertIs(manager.save(state, step, metric=metric).metric_ignored, True)
            with ckpt.AsyncManager(manager) as background:
                self.assertIs(background.save(state, 4, metric=float("inf")).wait().metric_ignored, True)
                self.assertIs(background.save(state, 5, metric=0.75).wait().metric_ignored, False)
            self.assertEqual([info.metric for info in manager.list()], [0.75, None, None, None, 0.5])
            self.assertEqual(manager.best().step, 1)

    def test_a_rollback_begins_a_new_line(self):
        with ckpt.CheckpointManager(self.path) as manager:
            state = ckpt.State({"w": np.zeros(3)})
            for step in (300, 400, 600):
                self.assertFalse(manager.save(state, step).rolled_back)
            manager.load(state, step=300)
            saved = manager.save(state, 310)
            self.assertIs(saved.rolled_back, True)
            self.assertEqual(saved.generation, 1)
            self.assertEqual(manager.latest().step, 310)
            self.assertEqual([(info.step, info.abandoned, info.generation) for info in manager.list()],
                             [(310, False, 1), (300, False, 0), (600, True, 0), (400, True, 0)])
            with ckpt.AsyncManager(manager) as background:
                manager.load(state, step=300)
                result = background.save(state, 305).wait()
                self.assertIs(result.rolled_back, True)
                self.assertEqual(result.generation, 2)
            self.assertEqual([info.step for info in manager.prune_abandoned(dry_run=True)], [310, 600, 400])
            self.assertEqual([info.step for info in manager.prune_abandoned()], [310, 600, 400])
            self.assertEqual([info.step for info in manager.list()], [305, 300])

    def test_rules_pins_and_pruning(self):
        with ckpt.CheckpointManager(self.path, keep_rules="last:2, every:4") as manager:
            state = ckpt.State({"w": np.zeros(3)})
            for step in range(1, 7):
                manager.save(state, step)
                if step == 1:
                    manager.pin(1)
            self.assertEqual([info.step for info in manager.list()], [6, 5, 4, 1])
            self.assertEqual([info.pinned for info in manager.list()], [False, False, False, True])
            self.assertLess(abs(manager.latest().saved_utc_ns - time.time_ns()), 60 * 10**9)
            with self.assertRaises(ckpt.InvalidStateError):
                manager.remove(1)
            manager.unpin(1)
            self.assertEqual([info.step for info in manager.prune("last:1", dry_run=True)], [5, 4, 1])
            self.assertEqual([info.step for info in manager.prune()], [1])
            self.assertEqual([info.step for info in manager.list()], [6, 5, 4])
            for rules in ("last:0", "lats:1", "newer:3y"):
                with self.assertRaisesRegex(ckpt.InvalidArgumentError, rules):
                    manager.prune(rules)
            with self.assertRaises(ckpt.NotFoundError):
                manager.pin(9)
        with self.assertRaises(ckpt.InvalidArgumentError):
            ckpt.CheckpointManager(self.path, keep_rules="best:1:largest")

    def test_a_keep_function_extends_retention(self):
        before, sys.unraisablehook = sys.unraisablehook, lambda u: None
        asked = []

        def keep(info):
            asked.append(info.step)
            return info.metric == 0.5

        try:
            with ckpt.CheckpointManager(self.path, keep_rules="last:1", keep=keep) as manager:
                state = ckpt.State({"w": np.zeros(3)})
                for step, metric in ((1, 0.25), (2, 0.5), (3, None), (4, 0.75)):
                    manager.save(state, step, metric=metric)
                self.assertEqual([info.step for info in manager.list()], [4, 2])
                self.assertEqual(sorted(set(asked)), [1, 2, 3])
            del keep
            for broken in (lambda info: {}[info.step], lambda info: manager.remove(info.step)):  # then nothing is removed
                with ckpt.CheckpointManager(self.path, keep_rules="last:1", keep=broken) as manager:
                    manager.save(state, 5)
                    with self.assertRaisesRegex(ckpt.CallbackError, "keep"):
                        manager.prune()
                    self.assertEqual([info.step for info in manager.list()][-2:], [4, 2])
        finally:
            sys.unraisablehook = before

    def test_a_model_or_a_model_and_an_optimizer(self):
        class Part(ckpt.Stateful):
            def __init__(self):
                self.array, self.restored = np.zeros(4, np.float32), 0

            def list(self, into):
                into.add("part", "array", self.array)

            def restore(self, loaded):
                self.restored += 1

        model, optimizer = Part(), Part()
        model.array[:], optimizer.array[:] = 1, 2
        with ckpt.CheckpointManager(self.path) as manager, ckpt.AsyncManager(manager) as background:
            manager.save((model, optimizer), 1)
            background.save((model, optimizer), 2).result()
            manager.save(model, 3)
            model.array[:], optimizer.array[:] = 0, 0
            manager.load((model, optimizer), step=2)
            self.assertEqual((model.array[0], optimizer.array[0], model.restored, optimizer.restored), (1, 2, 1, 1))
            model.array[:] = 0
            background.load(model).result()
            self.assertEqual((model.array[0], model.restored), (1, 2))
            for wrong in ((model, optimizer, model), (model, 3)):
                with self.assertRaises(TypeError):
                    manager.save(wrong, 4)

    def test_partial_load(self):
        with ckpt.CheckpointManager(self.path) as checkpoint:
            checkpoint.save(ckpt.State({"a": np.ones(1), "b": np.ones(1)}))
            state = ckpt.State({"a": np.zeros(1), "c": np.zeros(1)})
            with self.assertRaises(ckpt.InvalidArgumentError):
                checkpoint.load(state)
            result = checkpoint.load(state, partial=True, in_place=True)
            self.assertEqual((result.missing, result.unexpected), (1, 1))
            self.assertEqual(state.load_report()["missing"], [{"group": "model", "name": "c"}])

    def test_load_with_renames(self):
        with ckpt.CheckpointManager(self.path) as checkpoint:
            checkpoint.save(ckpt.State({"module.a": np.ones(2)}))
            a = np.zeros(2)
            with self.assertRaises(ckpt.InvalidArgumentError):
                checkpoint.load(ckpt.State({"net.a": a}), strip_prefix="module.")
            checkpoint.load(ckpt.State({"net.a": a}), strip_prefix="module.", add_prefix="net.")
            self.assertEqual(list(a), [1, 1])

    def test_load_with_a_rename_function(self):
        before, sys.unraisablehook = sys.unraisablehook, lambda u: None
        try:
            with ckpt.CheckpointManager(self.path) as checkpoint, ckpt.AsyncManager(checkpoint) as manager:
                checkpoint.save(ckpt.State({"encoder.a": np.ones(2), "b": np.full(2, 2.0)}))
                a, b = np.zeros(2), np.zeros(2)
                state, asked = ckpt.State({"a": a, "b": b}), []

                def rename(name):
                    asked.append(name)
                    return name.replace("encoder.", "")

                checkpoint.load(state, rename=rename)
                self.assertEqual((sorted(asked), list(a), list(b)), (["b", "encoder.a"], [1, 1], [2, 2]))
                a[:] = b[:] = 0
                self.assertEqual(checkpoint.load_if_any(state, rename={"encoder.a": "b", "b": "a"}.get).step, 0)
                self.assertEqual((list(a), list(b)), ([2, 2], [1, 1]))
                a[:] = 0
                manager.load(state, rename={"encoder.a": "a"}.get).result()
                self.assertEqual((list(a), list(b)), ([1, 1], [2, 2]))
                alive = weakref.ref(rename)
                del rename
                gc.collect()
                self.assertIsNone(alive())

                a[:] = 7
                for bad, kind, text in ((lambda name: "a", ckpt.InvalidArgumentError, "'b' and 'encoder.a'"),
                                        (lambda name: "", ckpt.InvalidArgumentError, "is blank"),
                                        (lambda name: "c." + name, ckpt.InvalidArgumentError, "is not in the checkpoint"),
                                        (lambda name: 5, ckpt.CallbackError, "tensor 'b' of group 'model'"),
                                        (lambda name: {}[name], ckpt.CallbackError, "KeyError"),
                                        ({"encoder.a": "a"}, ckpt.CallbackError, "'dict' object is not callable"),
                                        (lambda name: state.set_json("k", "1"), ckpt.CallbackError, "state is in use"),
                                        (lambda name: str(checkpoint.latest()), ckpt.CallbackError, "checkpoint is in use")):
                    with self.assertRaisesRegex(kind, text):
                        checkpoint.load(state, rename=bad)
                    with self.assertRaisesRegex(kind, text):
                        manager.load(state, rename=bad).result()
                self.assertEqual(list(a), [7, 7])
        finally:
            sys.unraisablehook = before

    def test_conversion_matches_numpy(self):
        def is_lossless(source: np.dtype, target: np.dtype) -> bool:
            if source.kind != "f" and target.kind == "f":
                return source.itemsize < target.itemsize > 2
            return bool(np.can_cast(source, target))

        random = np.random.default_rng(7)
        dtypes = [np.dtype(name) for name in "i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8".split()]
        converted = refused = 0
        with ckpt.CheckpointManager(self.path, keep_last=1) as checkpoint:
            for source in dtypes:
                saved = np.frombuffer(random.bytes(3000 * source.itemsize), source).copy()  # any bits
                checkpoint.save(ckpt.State({"t": saved}))
                for target in dtypes:
                    loaded = np.zeros(saved.size, target)
                    state = ckpt.State({"t": loaded})
                    with np.errstate(all="ignore"):
                        wanted = saved.astype(target)
                    if is_lossless(source, target):
                        checkpoint.load(state, convert=ckpt.Conversion.LOSSLESS)
                    else:
                        with self.assertRaises(ckpt.InvalidArgumentError, msg=f"{source} {target}"):
                            checkpoint.load(state, convert=ckpt.Conversion.LOSSLESS)
                        if target.kind != "f" or not np.all(np.isfinite(wanted) | ~np.isfinite(saved)):
                            with self.assertRaisesRegex(ckpt.OutOfRangeError, "tensor 't'"):
                                checkpoint.load(state, convert=ckpt.Conversion.LOSSY)
                            self.assertFalse(loaded.any())
                            refused += 1
                            continue
                        checkpoint.load(state, convert=ckpt.Conversion.LOSSY)
                    np.testing.assert_array_equal(loaded, wanted, f"{source} to {target}")
                    converted += 1
            # Values in range are rounded like numpy's.
            for source, target, largest in [("f8", "f4", 1e38), ("f8", "f2", 6e4), ("f4", "f2", 6e4), ("u8", "f4", 2.0 ** 64),
                                            ("i8", "f4", 2.0 ** 63), ("i4", "f2", 6e4)]:
                numbers = random.uniform(0 if source == "u8" else -1, 1, 5000) * largest / 2 ** random.integers(0, 60, 5000)
                checkpoint.save(ckpt.State({"t": numbers.astype(source)}))
                loaded = np.zeros(numbers.size, target)
                checkpoint.load(ckpt.State({"t": loaded}), convert=ckpt.Conversion.LOSSY)
                np.testing.assert_array_equal(loaded, numbers.astype(source).astype(target), f"{source} to {target}")
        self.assertGreater(converted, 30)
        self.assertGreater(refused, 30)

    def test_incremental(self):
        with ckpt.CheckpointManager(self.path) as checkpoint:
            state = ckpt.State({"frozen": {"w": np.ones(1000)}, "model": {"w": np.ones(10)}})
            state.set_rarely_changes("frozen")
            checkpoint.save(state, 1)
            self.assertEqual(checkpoint.save(state, 2).linked, 1)

    def test_reader(self):
        with ckpt.CheckpointManager(self.path) as checkpoint:
            checkpoint.save(ckpt.State({"a": np.arange(12.0).reshape(4, 3), "b": np.ones(2, np.int8)}))
            reader = checkpoint.reader()
        self.assertEqual([(info.name, info.dtype.name, info.shape) for info in reader], [("a", "F64", (4, 3)), ("b", "I8", (2,))])
        self.assertEqual(reader.read("b").numpy().sum(), 2)
        into = np.zeros((4, 3))
        reader.read(reader.find("a", "model"), into)
        self.assertEqual(into[3, 2], 11)
        self.assertEqual(reader.read_slice("a", 1, 2).numpy().tolist(), [[3, 4, 5], [6, 7, 8]])
        mapped = reader.map("a")
        reader.close()
        self.assertTrue(mapped.read_only)
        self.assertEqual(mapped.numpy().sum(), 66)
        with self.assertRaises(ckpt.InvalidStateError):
            reader.find("a")

    def test_memory_storage_and_file_system_options(self):
        for storage in (ckpt.Storage.memory(), ckpt.Storage(self.path, write_path=ckpt.WritePath.BUFFERED)):
            ckpt.save(storage, {"w": np.ones(5)})
            self.assertEqual(ckpt.load(storage)["w"].sum(), 5)
        with self.assertRaises(ckpt.NotFoundError):
            ckpt.Storage(self.path + "/none", must_exist=True)


def states_of(version, value=1.0, **attributes):
    """A dict with the attribute that a state_dict of PyTorch has."""
    states = collections.OrderedDict(w=np.full(2, value, np.float32))
    states._metadata = {"": {"version": 1}, "bn": {"version": version}}
    vars(states).update(attributes)
    return states


class VersionsOfModules(Folder):
    """States and safetensors files store the versions in a state_dict, and refuse other attributes of a dict by path."""

    class Listing(ckpt.Stateful):
        def __init__(self, states):
            self.states = states

        def list(self, into):
            into.update(self.states)

    def test_a_load_compares_them(self):
        with ckpt.CheckpointManager(self.path) as manager:
            manager.save(ckpt.State(states_of(1)), 1)
            self.assertIn('"bn",["dict",1],"version",1', manager.manifest(1)["values"]["_metadata"]["model"])
            target = states_of(1, 0.0)
            with ckpt.State(target) as same:
                self.assertEqual(manager.load(same).step, 1)
            self.assertEqual(target["w"].tolist(), [1, 1])
            with ckpt.State(states_of(2, 0.0)) as newer:
                with self.assertRaisesRegex(ckpt.InvalidArgumentError, "model.bn: the checkpoint has version 1 of this module, the state_dict version 2"):
                    manager.load_if_any(newer)
                manager.save(newer, 2)  # with the versions of its modules, not those of the loaded checkpoint
            with ckpt.State(states_of(2, 0.0)) as newer:
                manager.load(newer)

    def test_a_load_in_the_background_compares_them(self):
        ended = []
        with ckpt.AsyncManager(self.path) as manager:
            manager.save(ckpt.State(states_of(1)), 1).result()
            self.assertEqual(manager.load(ckpt.State(states_of(1))).result().step, 1)
            with ckpt.State(states_of(2)) as newer:
                task = manager.load(newer, on_ended=ended.append)
                with self.assertRaisesRegex(ckpt.InvalidArgumentError, "version 1 of this module, the state_dict version 2"):
                    task.result()
                self.assertFalse(task.wait().success)
                self.assertEqual([result.success for result in ended], [False])
            with ckpt.State(states_of(1)) as closed:
                task = manager.load(closed)
            self.assertTrue(task.wait().success)

    def test_groups_and_stateful_objects(self):
        with ckpt.CheckpointManager(self.path) as manager:
            state = ckpt.State(states_of(1), group="first")
            state.update({"second": states_of(3), "third": {"w": np.ones(1)}})
            state["epoch"] = 4
            self.assertEqual((sorted(state["_metadata"]), sorted(state.keys())), (["first", "second"], ["_metadata", "epoch"]))
            manager.save(state, 1)
            other = ckpt.State({"first": states_of(1), "second": states_of(2), "third": {"w": np.ones(1)}})
            with self.assertRaisesRegex(ckpt.InvalidArgumentError, "second.bn: the checkpoint has version 3"):
                manager.load(other)
            manager.save(self.Listing(states_of(1)), 2)
            manager.load(self.Listing(states_of(1)))
            with self.assertRaisesRegex(ckpt.CallbackError, "model.bn: the checkpoint has version 1"):
                manager.load(self.Listing(states_of(2)))

    def test_checkpoints_without_them(self):
        with ckpt.CheckpointManager(self.path) as manager:
            manager.save(ckpt.State(dict(states_of(1))), 1)
            self.assertEqual(manager.manifest(1)["values"], {})
            with ckpt.State(states_of(2, 0.0)) as state:
                self.assertEqual(manager.load(state).step, 1)
                manager.save(state, 2)
            self.assertIn("_metadata", manager.manifest(2)["values"])
            with ckpt.State(dict(states_of(2))) as state:
                manager.load(state)

    def test_other_attributes_are_refused(self):
        file = self.path + ".safetensors"
        marked = states_of(1, note="mine")
        for path, call in (("model", lambda: ckpt.State(marked)), ("given", lambda: ckpt.State(marked, group="given")),
                           ("b", lambda: ckpt.State({"a": states_of(1), "b": marked})), ("tensors", lambda: ckpt.save_file(file, marked))):
            with self.subTest(path=path), self.assertRaisesRegex(ckpt.UnsupportedError,
                                                                 f"^{path}: a OrderedDict with the attribute 'note', which would be lost"):
                call()
        self.assertFalse(os.path.exists(file))
        with ckpt.State() as state:
            with self.assertRaises(ckpt.UnsupportedError):
                state.update(marked)
            self.assertEqual((state.tensor_count, state.keys()), (0, []))
        ckpt.save_file(file, states_of(2), {"format": "pt"})
        with ckpt.Reader(file) as reader:
            metadata = reader.metadata()
        self.assertEqual(sorted(metadata), ["_metadata", "format"])
        self.assertIn('"bn",["dict",1],"version",2', metadata["_metadata"])

    def test_attributes_of_subclasses(self):
        class States(collections.OrderedDict):
            pass

        class Plain(dict):
            pass

        file = self.path + ".safetensors"
        states = States(states_of(2))
        states._metadata = states_of(2)._metadata
        ckpt.save_file(file, states)
        with ckpt.Reader(file) as reader:
            self.assertIn('"bn",["dict",1],"version",2', reader.metadata()["_metadata"])
        states.note = "mine"
        plain = Plain(states_of(2))
        plain._metadata = states_of(2)._metadata
        for value, kind, name in ((states, "States", "note"), (plain, "Plain", "_metadata")):
            with self.assertRaisesRegex(ckpt.UnsupportedError, f"^model: a {kind} with the attribute '{name}', which would be lost"):
                ckpt.State(value)


class Uris(Folder):
    def test_a_uri_wherever_a_path_is_taken(self):
        uri = pathlib.Path(self.path + " of mine").as_uri()
        self.assertIn("%20", uri)
        ckpt.save(uri, {"w": np.ones(5)}, step=1)
        self.assertEqual(ckpt.load(self.path + " of mine").step, 1)
        self.assertEqual(ckpt.load(uri).step, 1)
        with ckpt.CheckpointManager(ckpt.Storage.from_uri(uri), read_only=True) as checkpoints:
            self.assertEqual(len(checkpoints.list()), 1)
        ckpt.save_async(uri, {"w": np.ones(5)}, step=2)
        ckpt.save(self.path + " of mine", {"w": np.ones(5)}, step=3)  # the same place: uses the manager that holds its lock
        ckpt.finish_saves(uri)
        self.assertEqual(ckpt.load(uri).step, 3)
        with ckpt.AsyncManager(uri) as manager:
            manager.save({"w": np.ones(5)}, 4)
        self.assertEqual([info.step for info in ckpt.CheckpointManager(uri, read_only=True).list()], [4, 3, 2, 1])

    def test_reading_creates_nothing(self):
        for uri in ("file://" + self.path, "file:" + self.path, "FILE:" + self.path + "/deep/"):
            for call in (ckpt.load, lambda place: ckpt.CheckpointManager(place, read_only=True)):
                with self.subTest(uri=uri), self.assertRaises(ckpt.NotFoundError):
                    call(uri)
        self.assertEqual(os.listdir(self.folder.name), [])

    def test_names_in_memory(self):
        kept = ckpt.Storage.from_uri("memory:shared")
        ckpt.save("memory:shared", {"w": np.ones(5)}, step=7)
        self.assertEqual(ckpt.load(kept).step, 7)
        self.assertEqual(ckpt.load("MEMORY:sh%61red").step, 7)
        for other in ("memory:Shared", "memory:"):
            with self.assertRaises(ckpt.NotFoundError):
                ckpt.load(other)
        kept.close()
        with self.assertRaises(ckpt.NotFoundError):
            ckpt.load("memory:shared")

    def test_paths_stay_paths(self):
        here = os.getcwd()
        os.chdir(self.folder.name)
        try:
            for name in ("run:1", "s3:x", "c:x", "a%20b", "memory", "a/../b:c", ".//d"):
                ckpt.save(name, {"w": np.ones(5)})
                self.assertTrue(os.path.isdir(name), name)
                self.assertTrue(os.path.isdir(os.path.join(name, ckpt.load(name).name)), name)
            os.makedirs("file:old")
            os.makedirs("memory:old")
            for name in ("file:old", "memory:old", pathlib.Path("memory:old")):  # an existing file takes precedence
                saved = ckpt.save(name, {"w": np.ones(5)})
                self.assertTrue(os.path.isdir(os.path.join(name, saved.name)), name)
            ckpt.save("file:new", {"w": np.ones(5)})
            self.assertTrue(os.path.isdir("new") and not os.path.exists("file:new"))
        finally:
            os.chdir(here)

    def test_refused_uris(self):
        here = os.getcwd()
        os.chdir(self.folder.name)
        bad = ["a/../b", "..", "./a", "a/%2e%2e/b", "a//b", "////a", "a%0Ab", "a%7F", "a%C2%85", "a%2Fb", "a%2", "a%zz", "a?b", "a#b",
               "//host/a", "//a", "//", "", "%20", "%ff"]
        try:
            for rest in bad:
                for call in (lambda place: ckpt.save(place, {"w": np.ones(1)}), ckpt.load, ckpt.Storage.from_uri,
                             lambda place: ckpt.save_async(place, {"w": np.ones(1)})):
                    with self.subTest(rest=rest), self.assertRaises(ckpt.InvalidArgumentError):
                        call("file:" + rest)
            for call in (lambda place: ckpt.save(place, {"w": np.ones(1)}), ckpt.load, ckpt.Storage.from_uri):
                with self.assertRaisesRegex(ckpt.UnsupportedError, "scheme 'gs'; known: file, memory"):
                    call("gs://bucket/run")
                if os.environ.get("CKPT_HAS_S3") == "0":
                    with self.assertRaisesRegex(ckpt.UnsupportedError, "'s3' requires the package libckpt-s3; .*/libckpt-s3[.]so[.]"):
                        call("s3://bucket/run")
                elif call != ckpt.Storage.from_uri:  # the store in the environment has no listener
                    with self.assertRaisesRegex(ckpt.IoError, "s3://bucket/run"):
                        call("s3://bucket/run")
            self.assertEqual(os.listdir("."), [])
        finally:
            os.chdir(here)

    def test_file_uris_are_read_as_the_library_reads_them(self):
        from ckpt import _storage

        here = os.getcwd()
        os.chdir(self.folder.name)
        pieces = ["", "/", "//", ".", "..", "a", "%61", "%2e", "%2F", "%", "%4", "%zz", "%0a", "%7F", "?", "%3F", "#", " ", "%20", ":",
                  "\x85", "%C2%85", "\xfc", "%C3%BC", "+", "%ff", "%ed%a0%80"]
        taken = 0
        try:
            for begin, first, second in itertools.product(("", self.path + "/", f"//{self.path}/", "//host/"), pieces, pieces):
                if not begin and first == "/":
                    continue  # nothing is created outside of the folder
                uri = f"file:{begin}{first}{second}"
                path = _storage._file_path(uri)
                try:
                    ckpt.Storage.from_uri(uri).close()
                except ckpt.InvalidArgumentError:
                    self.assertIsNone(path, uri)
                else:
                    self.assertTrue(os.path.isdir(path), uri)
                    taken += 1
        finally:
            os.chdir(here)
        self.assertGreater(taken, 100)

    def test_custom_schemes(self):
        asked = []

        def shelf(uri):
            asked.append(uri)
            if uri == "shelf:none":
                raise FileNotFoundError("no such shelf")
            if uri == "shelf:odd":
                raise ValueError("odd")
            return None if uri == "shelf:nothing" else given.setdefault(uri, ckpt.Storage.from_uri("memory:shelf"))

        given = {}
        gone = weakref.ref(shelf)
        kept = ckpt.Storage.from_uri("memory:shelf")
        ckpt.register_scheme("shelf", shelf)
        try:
            with self.assertRaises(ckpt.AlreadyExistsError):
                ckpt.register_scheme("Shelf", lambda uri: None)
            ckpt.save("shelf://a%20b?x", {"w": np.ones(5)}, step=3)
            self.assertEqual(asked, ["shelf://a%20b?x"])
            self.assertEqual(ckpt.load(kept).step, 3)
            self.assertTrue(given["shelf://a%20b?x"].closed)  # it was handed over
            with self.assertRaisesRegex(ckpt.CkptError, "closed"):
                ckpt.load("shelf://a%20b?x")
            with self.assertRaisesRegex(ckpt.NotFoundError, "no such shelf"):
                ckpt.Storage.from_uri("shelf:none")
            with self.assertRaisesRegex(ckpt.CallbackError, "odd"):
                ckpt.Storage.from_uri("shelf:odd")
            with self.assertRaisesRegex(ckpt.CkptError, "expected a Storage, returned a NoneType"):
                ckpt.Storage.from_uri("shelf:nothing")
        finally:
            ckpt.unregister_scheme("SHELF")
        del shelf
        gc.collect()
        self.assertIsNone(gone())
        with self.assertRaises(ckpt.UnsupportedError):
            ckpt.load("shelf://a")
        with self.assertRaises(ckpt.NotFoundError):
            ckpt.unregister_scheme("shelf")


class Trainer(ckpt.Stateful):
    def __init__(self):
        self.weights = np.zeros(3)
        self.epoch = 0

    def list(self, into):
        into.add("params", "w", self.weights)
        into["epoch"] = self.epoch
        self.kept = into

    def restore(self, loaded):
        self.epoch = loaded["epoch"]


class StatefulObjects(unittest.TestCase):
    def test_round_trip(self):
        trainer, state = Trainer(), ckpt.State()
        alive = weakref.ref(trainer)
        state.add_stateful("trainer", trainer)
        with ckpt.CheckpointManager(ckpt.Storage.memory()) as checkpoint:
            trainer.weights[:] = 5
            trainer.epoch = 4
            checkpoint.save(state)
            trainer.weights[:] = 0
            trainer.epoch = 0
            checkpoint.load(state)
            self.assertEqual((trainer.weights.sum(), trainer.epoch), (15, 4))
            with self.assertRaises(ckpt.InvalidStateError):
                trainer.kept["late"] = 1  # valid during the call only
            del trainer
            gc.collect()
            self.assertIsNotNone(alive())
            state.close()
        gc.collect()
        self.assertIsNone(alive())

    def test_exception(self):
        class Failing(ckpt.Stateful):
            def list(self, into):
                raise LookupError("no tensors")

        before, sys.unraisablehook = sys.unraisablehook, lambda u: None
        try:
            state = ckpt.State()
            state.add_stateful("x", Failing())
            with ckpt.CheckpointManager(ckpt.Storage.memory()) as checkpoint:
                with self.assertRaisesRegex(ckpt.CallbackError, "no tensors"):
                    checkpoint.save(state)
                self.assertEqual(checkpoint.list(), [])
        finally:
            sys.unraisablehook = before


class Dictionary(ckpt.CustomStorage):
    """Files in a dict."""

    def __init__(self):
        self.files, self.directories, self.locks = {}, {""}, set()
        self.failures = []

    def create(self, path):
        if path in self.files:
            raise FileExistsError(path)
        self.files[path] = bytearray()
        return path

    def open(self, path):
        if path not in self.files:
            raise FileNotFoundError(path)
        return path

    def close(self, file):
        pass

    def file_size(self, file):
        return len(self.files[file])

    def size(self, path):
        return len(self.files[self.open(path)])

    def read(self, file, offset, buffer):
        piece = self.files[file][offset : offset + len(buffer)]
        buffer[: len(piece)] = piece
        return len(piece)

    def write(self, file, offset, data):
        if self.failures:
            raise self.failures.pop()
        content = self.files[file]
        content.extend(bytes(max(0, offset + len(data) - len(content))))
        content[offset : offset + len(data)] = data

    def sync(self, file):
        pass

    def rename(self, from_path, to_path):
        moved = {}
        for path in list(self.files):
            if path == from_path or path.startswith(from_path + "/"):
                moved[to_path + path[len(from_path) :]] = self.files.pop(path)
        if from_path in self.directories:
            self.directories.remove(from_path)
            self.directories.add(to_path)
        elif not moved:
            raise FileNotFoundError(from_path)
        self.files.update(moved)

    def remove(self, path):
        del self.files[self.open(path)]

    def remove_directory(self, path):
        if path not in self.directories:
            raise FileNotFoundError(path)
        if any(name.startswith(path + "/") for name in self.files):
            raise FileExistsError(path)
        self.directories.remove(path)

    def make_directory(self, path):
        if path in self.directories:
            raise FileExistsError(path)
        self.directories.add(path)

    def sync_directory(self, path):
        pass

    def list(self, path):
        if path not in self.directories:
            raise FileNotFoundError(path)
        head = path + "/" if path else ""
        for names, is_directory in ((self.files, False), (self.directories, True)):
            for name in names:
                if name.startswith(head) and name != path and "/" not in name[len(head) :]:
                    yield name[len(head) :], is_directory

    def lock(self, path):
        if path in self.locks:
            raise BlockingIOError(path)
        self.locks.add(path)
        return path

    def unlock(self, lock):
        self.locks.remove(lock)


class CustomStorages(unittest.TestCase):
    def test_round_trip(self):
        own = Dictionary()
        storage = ckpt.Storage.custom(own, "dictionary")
        with ckpt.CheckpointManager(storage) as checkpoint:
            for step in range(3):
                checkpoint.save(ckpt.State({"w": np.full(1000, step, np.float32)}), step)
            with self.assertRaises(ckpt.BusyError):
                ckpt.CheckpointManager(storage)
            self.assertEqual(checkpoint.verify().tensors, 1)
        self.assertEqual(own.locks, set())
        self.assertEqual(ckpt.load(storage)["w"][5], 2)
        alive = weakref.ref(own)
        del own
        storage.close()
        del checkpoint
        gc.collect()
        self.assertIsNone(alive())

    def test_errors_keep_their_meaning(self):
        import errno

        before, sys.unraisablehook = sys.unraisablehook, lambda u: None
        own, slept = Dictionary(), []
        once = ckpt.FaultHandler(max_attempts=3, sleep=slept.append)
        try:
            with ckpt.CheckpointManager(ckpt.Storage.custom(own), fault_handler=once) as checkpoint:
                state = ckpt.State({"w": np.ones(10)})
                for failure, kind in ((OSError(errno.ENOSPC, "full"), ckpt.NoSpaceError),
                                      (ZeroDivisionError("z"), ckpt.CallbackError),
                                      (PermissionError("no"), ckpt.PermissionDeniedError)):
                    own.failures = [failure]
                    with self.assertRaises(kind):
                        checkpoint.save(state)
                own.failures = [OSError(errno.EIO, "passes")]
                checkpoint.save(state)
                self.assertGreaterEqual(once.retry_count, 1)
                self.assertGreaterEqual(len(slept), 1)
        finally:
            sys.unraisablehook = before

    def test_a_decide_function_controls_retries(self):
        before, sys.unraisablehook = sys.unraisablehook, lambda u: None
        own, slept, asked = Dictionary(), [], []

        def decide(fault):
            asked.append((fault.status, fault.attempt, fault.retry))
            self.assertIn("passes", fault.message)
            fault.retry, fault.delay_ns = fault.attempt < 3, 40 + fault.attempt

        try:
            handler = ckpt.FaultHandler(max_attempts=9, sleep=slept.append, decide=decide)
            state = ckpt.State({"w": np.ones(10)})
            with ckpt.CheckpointManager(ckpt.Storage.custom(own), fault_handler=handler) as checkpoint:
                own.failures = [OSError("passes"), PermissionError("passes")]  # the last one first, which the rule would not retry
                checkpoint.save(state)
                self.assertEqual((slept, handler.retry_count), ([41, 42], 2))
                self.assertEqual(asked, [(-16, 1, False), (-14, 2, True)])
                own.failures = [OSError("passes")] * 3  # and the last of these
                with self.assertRaises(ckpt.IoError):
                    checkpoint.save(state)

            def broken(fault):
                if fault.attempt:
                    raise KeyError("no idea")

            for bad, text in ((broken, "no idea"), (lambda fault: setattr(fault, "delay_ns", "soon"), "decide"),
                              (lambda fault: setattr(fault, "delay_ns", -1), "delay_ns")):
                own = Dictionary()
                with ckpt.CheckpointManager(ckpt.Storage.custom(own), fault_handler=ckpt.FaultHandler(decide=bad)) as checkpoint:
                    own.failures = [OSError("passes")]
                    with self.assertRaisesRegex((ckpt.CallbackError, ckpt.InvalidArgumentError), text):
                        checkpoint.save(state)
        finally:
            sys.unraisablehook = before

    def test_retrying_storage(self):
        own = Dictionary()
        handler = ckpt.FaultHandler(sleep=lambda ns: None)
        ckpt.save(ckpt.Storage.custom(own).retrying(handler), {"w": np.ones(3)})
        self.assertEqual(handler.retry_count, 0)


class Coordinators(unittest.TestCase):
    def test_single(self):
        with ckpt.Coordinator() as single:
            self.assertEqual((single.rank, single.world_size), (0, 1))
            single.barrier()
            data = bytearray(b"abc")
            single.broadcast(data, 0)
            self.assertEqual(single.all_gather(b"xyz"), b"xyz")
            self.assertEqual(single.gather(b"xyz", 0), b"xyz")
            with self.assertRaisesRegex(ckpt.InvalidArgumentError, "root is 1"):
                single.gather(b"xyz", 1)

    def test_callables(self):
        class Two(ckpt.CustomCoordinator):
            """Both ranks are this process: the other one sends the same in capitals."""

            def barrier(self, timeout_ns):
                if timeout_ns < 10**9:
                    raise TimeoutError("no other process called it")

            def broadcast(self, data, root, timeout_ns):
                if root == 1:
                    data[:] = b"!" * len(data)

            def all_gather(self, sent, received, timeout_ns):
                received[: len(sent)] = sent
                received[len(sent) :] = bytes(sent).upper()

        two = ckpt.Coordinator.custom(0, 2, Two())
        self.assertEqual(two.world_size, 2)
        two.barrier(5)
        with self.assertRaises(ckpt.TimeoutError):
            two.barrier(0.5)
        data = bytearray(3)
        two.broadcast(data, 1)
        self.assertEqual(data, b"!!!")
        self.assertEqual(two.all_gather(b"ab"), b"abAB")
        self.assertEqual(two.gather(b"ab", 0), b"abAB")  # by all_gather
        self.assertIsNone(two.gather(b"ab", 1))

    def test_custom_gather(self):
        class Two(ckpt.CustomCoordinator):
            barrier = broadcast = all_gather = None

            def gather(self, sent, received, root, timeout_ns):
                if timeout_ns < 10**9:
                    raise TimeoutError("no other process called it")
                asked.append((bytes(sent), len(received), root))
                received[:] = (bytes(sent) * 2)[: len(received)]

        asked = []
        two = ckpt.Coordinator.custom(0, 2, Two())
        self.assertEqual(two.gather(b"ab", 0), b"abab")
        self.assertIsNone(two.gather(b"ab", 1))
        self.assertEqual(two.gather(b"", 0), b"")
        self.assertEqual(asked, [(b"ab", 4, 0), (b"ab", 0, 1), (b"", 0, 0)])
        with self.assertRaises(ckpt.TimeoutError):
            two.gather(b"ab", 1, timeout=0.5)


class Threads(unittest.TestCase):
    def test_saves_let_other_threads_run(self):
        with ckpt.CheckpointManager(ckpt.Storage.memory()) as checkpoint:
            errors = []

            def work(number):
                try:
                    for step in range(5):
                        checkpoint.save(ckpt.State({"w": np.full(100, number)}), number * 10 + step)
                except Exception as error:
                    errors.append(error)

            workers = [threading.Thread(target=work, args=(i,)) for i in range(4)]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
            self.assertEqual(errors, [])
            self.assertEqual(len(checkpoint.list()), 20)


if __name__ == "__main__":
    unittest.main()
