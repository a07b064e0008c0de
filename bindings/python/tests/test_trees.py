"""State of any shape: values saved as a tree are restored unchanged, also in another process, and hostile input raises an error."""

import collections
import dataclasses
import functools
import json
import math
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest
from typing import Any, NamedTuple

import ckpt
from ckpt import _native, _trees
import numpy as np


class Point(NamedTuple):
    x: Any
    y: Any


@dataclasses.dataclass(frozen=True)
class Config:
    rate: float
    layers: Any


@dataclasses.dataclass
class Run:
    config: Any
    weights: Any
    epoch: int = 0


CLASSES = [Point, Config, Run]


def same(left, right, pairs=None):
    """Compares bit for bit and type for type, including which arrays are shared."""
    pairs = {} if pairs is None else pairs
    if type(left) is not type(right):
        return False
    if isinstance(left, (np.ndarray, np.generic)):
        if left.dtype != right.dtype or left.shape != right.shape or left.tobytes() != right.tobytes():
            return False
        return isinstance(left, np.generic) or left.size == 0 or pairs.setdefault(id(left), id(right)) == id(right)
    if isinstance(left, ckpt.Tensor):
        return (left.dtype, left.shape, bytes(left.raw())) == (right.dtype, right.shape, bytes(right.raw()))
    if isinstance(left, ckpt.Attributed):
        return same(left.value, right.value, pairs) and same(left.attributes, right.attributes, pairs)
    if isinstance(left, collections.OrderedDict) and not same(vars(left), vars(right), pairs):
        return False
    if isinstance(left, dict):
        return list(left) == list(right) and all(same(key, other, pairs) for key, other in zip(left, right)) and all(
            same(left[key], right[key], pairs) for key in left)
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(same(a, b, pairs) for a, b in zip(left, right))
    if dataclasses.is_dataclass(left):
        return same(vars(left), vars(right), pairs)
    if isinstance(left, float):
        return struct.pack(">d", left) == struct.pack(">d", right)
    if isinstance(left, complex):
        return same(left.real, right.real) and same(left.imag, right.imag)
    return left == right


def again(tree, **options):
    """Saves and loads a value through files."""
    with tempfile.TemporaryDirectory() as folder:
        ckpt.save(folder, {"tree": tree, "it": None}, 1)
        return ckpt.load(folder, **options)["tree"]


# ---- Every row of the table in docs/reference/python.md ----

DTYPES = ["bool", "uint8", "int8", "int16", "uint16", "float16", "int32", "uint32", "float32", "int64", "uint64", "float64", "complex64",
          "complex128"]


def random_array(draw, dtype=None, shape=None):
    shape = [draw.randrange(0, 4) for _ in range(draw.randrange(0, 4))] if shape is None else shape
    count = int(np.prod(shape))
    dtype = np.dtype(dtype or draw.choice(DTYPES))
    if dtype == bool:
        return np.array([draw.random() < 0.5 for _ in range(count)], bool).reshape(shape)
    return np.frombuffer(draw.randbytes(count * dtype.itemsize), dtype).reshape(shape)


def random_text(draw):
    return "".join(draw.choice(["a", "b.c", "d/e", "é", "\U0001f40d", "\0", "\ud800", "\udfff", " ", "\\", '"', "\n", "__tree__"])
                   for _ in range(draw.randrange(0, 5)))


def random_key(draw):
    return draw.choice([lambda: random_text(draw), lambda: draw.randrange(-5, 5), lambda: draw.choice([True, None, 0.5, b"k"]),
                        lambda: (draw.randrange(3), random_text(draw))])()


def strided(draw):
    array = random_array(draw, None, [4, 6])
    return draw.choice([array.T, array[::2], array[:, ::-1], np.broadcast_to(array[0, 0], (3, 2)), np.asfortranarray(array)])


ROWS = {
    "None": lambda draw, inner: None,
    "bool": lambda draw, inner: draw.random() < 0.5,
    "int": lambda draw, inner: draw.choice([draw.randrange(-9, 9), (1 << 63) - 1, -(1 << 63)]),
    "int beyond 64 bits": lambda draw, inner: draw.choice([1 << 63, -(1 << 63) - 1, 1 << 20000, -draw.getrandbits(200) - (1 << 64)]),
    "float": lambda draw, inner: draw.choice([draw.gauss(0, 1), -0.0, 5e-324, 1e308, 1e22, 3.0]),
    "NaN and infinity": lambda draw, inner: draw.choice(
        [math.inf, -math.inf, math.nan, struct.unpack(">d", bytes.fromhex("fff8000000000123"))[0]]),
    "complex": lambda draw, inner: complex(draw.gauss(0, 1), draw.choice([math.nan, -0.0, 2.5])),
    "str": lambda draw, inner: random_text(draw),
    "bytes": lambda draw, inner: draw.randbytes(draw.randrange(0, 9)),
    "bytearray": lambda draw, inner: bytearray(draw.randbytes(draw.randrange(0, 9))),
    "path": lambda draw, inner: draw.choice([pathlib.Path("a/b"), pathlib.PureWindowsPath("C:\\x"), pathlib.PurePosixPath("/"),
                                             pathlib.Path(os.fsdecode(b"\xff"))]),
    "list": lambda draw, inner: [inner() for _ in range(draw.randrange(0, 4))],
    "tuple": lambda draw, inner: tuple(inner() for _ in range(draw.randrange(0, 4))),
    "dict": lambda draw, inner: {random_text(draw): inner() for _ in range(draw.randrange(0, 4))},
    "dict with other keys": lambda draw, inner: {random_key(draw): inner() for _ in range(draw.randrange(0, 4))},
    "OrderedDict": lambda draw, inner: collections.OrderedDict((random_text(draw), inner()) for _ in range(2)),
    "OrderedDict with attributes": lambda draw, inner: with_metadata(collections.OrderedDict(a=inner()), inner()),
    "Attributed": lambda draw, inner: ckpt.Attributed(draw.choice([[inner()], 7, random_array(draw)]), {"a": inner(), "\u00e9": 1}),
    "named tuple": lambda draw, inner: Point(inner(), inner()),
    "dataclass": lambda draw, inner: Run(Config(draw.random(), inner()), inner(), draw.randrange(9)),
    "numpy array": lambda draw, inner: random_array(draw),
    "numpy array, strided": lambda draw, inner: strided(draw),
    "numpy array, big-endian": lambda draw, inner: random_array(draw, draw.choice([">f4", ">i8", ">c16", ">u2"])),
    "numpy scalar": lambda draw, inner: random_array(draw, None, [])[()],
    "numpy array twice": lambda draw, inner: [random_array(draw, "float32", [2, 3])] * 2,
    "Tensor": lambda draw, inner: draw.choice(
        [ckpt.Tensor.borrow(np.frombuffer(draw.randbytes(8), np.uint16), ckpt.DType.BF16), ckpt.Tensor.borrow(draw.randbytes(3), ckpt.DType.F8_E4M3)]),
    "state of Python's generator": lambda draw, inner: random.Random(draw.randrange(99)).getstate(),
    "state of numpy's generator": lambda draw, inner: draw.choice(
        [np.random.PCG64(draw.randrange(99)), np.random.MT19937(draw.randrange(99))]).state,
}


def with_metadata(created, metadata):
    created._metadata = metadata
    return created


def random_tree(draw, seen, depth=0):
    row = draw.choice(list(ROWS))
    seen[row] += 1
    inner = (lambda: random_tree(draw, seen, depth + 1)) if depth < 4 else (lambda: draw.randrange(9))
    return ROWS[row](draw, inner)


class Trees(unittest.TestCase):
    def test_two_thousand_random_trees(self):
        draw, seen, trees = random.Random(16), collections.Counter(), []
        for _ in range(2000):
            trees.append(random_tree(draw, seen))
        with ckpt.Storage.memory() as storage, ckpt.CheckpointManager(storage, keep_last=1) as checkpoints:
            for begin in range(0, 2000, 100):
                with ckpt.State() as state:
                    for i, tree in enumerate(trees[begin:begin + 100]):
                        state.add_tree(f"tree{i}", tree)
                    checkpoints.save(state, begin)
                with checkpoints.reader() as reader:
                    for i, tree in enumerate(trees[begin:begin + 100]):
                        loaded = reader.tree(f"tree{i}", types=CLASSES)
                        if not same(tree, loaded):
                            sys.set_int_max_str_digits(0)
                            self.fail(f"tree {begin + i}: {tree!r}\n{loaded!r}")
        print("rows drawn: " + ", ".join(f"{row} {seen[row]}" for row in ROWS))
        self.assertEqual([row for row in ROWS if seen[row] < 20], [])

    def test_in_a_new_process_without_these_classes(self):
        tree = {"run": Run(Config(0.1, [3]), np.arange(3.0), 2), "at": Point(1, 2), 7: b"\0", "lost": "\ud800"}
        with tempfile.TemporaryDirectory() as folder:
            ckpt.save(folder, tree, 5)
            code = ("import ckpt, sys\nt = ckpt.load(sys.argv[1])\nassert t.step == 5, t.step\nr = t['run']\nassert type(r) is ckpt.Record\n"
                    "assert r.class_name.endswith('.Run') and r.config.layers == [3] and r.epoch == 2\nassert list(r.weights) == [0, 1, 2]\n"
                    "assert t['at'].fields == {'x': 1, 'y': 2} and t[7] == b'\\0' and t['lost'] == '\\ud800'\n"
                    "assert 'pickle' not in sys.modules or 'numpy' in sys.modules\nprint('the same')")
            done = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True)
            self.assertEqual((done.stdout, done.returncode), ("the same\n", 0), done.stderr)

    def test_every_dtype_at_each_shape(self):
        for dtype in ckpt.DType:
            for shape in ((0,), (), (3,)) if dtype.bits % 8 == 0 else ((0,), (4,)):
                tensor = ckpt.Tensor(dtype, shape)
                tensor.raw()[:] = bytes([1] * tensor.nbytes)
                with self.subTest(dtype=dtype, shape=shape):
                    self.assertTrue(same(tensor, again(tensor)))
        draw = random.Random(1)
        for dtype in DTYPES + [">u2", ">c16"]:
            for shape in ((0,), (), (3,)):
                array = random_array(draw, dtype, shape)
                with self.subTest(dtype=dtype, shape=shape):
                    self.assertTrue(same(array, again(array)))

    def test_any_root(self):
        for tree in [[1, np.zeros(2)], None, np.float32(1.5), "text", Point(1, [2]), {"w": np.zeros((4, 4)).T}, {"w": np.zeros(2, ">f4")},
                     {"model": {"w": np.ones(2)}}, {"w": np.ones(1), "lr": 0.1}, {"model": {"w": np.ones(1)}, "optimizer": {}},
                     {3: np.ones(1)}, {3: {"w": np.ones(1)}, 4: {"w": np.ones(1)}}, {"": np.ones(1)}, {"\0": np.ones(2)}, {"\ud800": np.ones(2)},
                     {"__tree__": np.ones(1)}, {"x" * 5000: np.ones(1)}, {"a": {" ": np.ones(1)}, "b": {"w": np.ones(1)}}, {"optimizer": {"state": {0: {"step": np.ones(1)}}, "param_groups": [{"lr": 0.1, "betas": (0.9, 0.99)}]}}]:
            with self.subTest(tree=tree), tempfile.TemporaryDirectory() as folder:
                ckpt.save(folder, tree, 3)
                loaded = ckpt.load(folder, types=CLASSES)
                self.assertTrue(same(tree, dict(loaded) if isinstance(loaded, dict) else loaded), loaded)

    def test_in_the_background(self):
        with tempfile.TemporaryDirectory() as folder:
            ckpt.save_async(folder, {"epoch": 3, "w": np.ones(4)}, 1).result()
            ckpt.finish_saves()
            self.assertEqual(ckpt.load(folder)["epoch"], 3)

    def test_shared_arrays_are_written_once(self):
        weights = np.arange(1000.0)
        tensors, text, _ = _trees.write_tree({"encoder": {"w": weights}, "decoder": {"w": weights}, "other": weights[:10]})
        self.assertEqual(sorted(tensors), ["encoder.w", "other"])
        tree = again({"a": weights, "b": weights})
        self.assertIs(tree["a"], tree["b"])

    def test_names_of_tensors_are_those_of_a_state_dict(self):
        one = lambda: np.ones(1)
        tensors, _, _ = _trees.write_tree({"layers": [{"weight": one()}], "a": {"b": one()}, "a.b": one(), "__tree__": one(), "\ud800": one()})
        self.assertEqual(list(tensors), ["layers.0.weight", "a.b", "a.b~2", ".__tree__", "?"])
        self.assertEqual(list(_trees.write_tree(one())[0]), ["tensor"])

    def test_unsupported_values(self):
        loop = [1]
        loop.append({"loop": loop})
        deep = []
        for _ in range(1000):
            deep = [deep]
        other, record, loaded = collections.OrderedDict(a=1), ckpt.Record("m.C", {"x": 1}), ckpt.Loaded(a=1)
        other.note = record.note = loaded.note = 3

        class Odd(type(pathlib.PurePosixPath())):
            pass

        Odd.__module__, Odd.__qualname__ = "__main__", "Odd"
        for tree, kind, text in [({"a": {1, 2}}, ckpt.UnsupportedError, r"^a: a builtins.set"), ([object()], ckpt.UnsupportedError, r"^0: a builtins.object"),
                                 ({"m": lambda: 0}, ckpt.UnsupportedError, "^m: a builtins.function"), ({"c": Point}, ckpt.UnsupportedError, "^c: a builtins.type"),
                                 (loop, ckpt.InvalidArgumentError, r"^1\.loop: the list contains itself"), (deep, ckpt.InvalidArgumentError, "deeper than 1000"),
                                 ({"x": np.array(["a"])}, ckpt.UnsupportedError, "^x: elements of numpy's <U1"),
                                 ({"x": [np.array([None])]}, ckpt.UnsupportedError, r"^x\.0: elements of numpy's object"),
                                 ({"t": np.datetime64("2020")}, ckpt.UnsupportedError, "^t: elements of numpy's datetime64"),
                                 ({"m": np.ma.zeros(2)}, ckpt.UnsupportedError, "^m: a numpy.ma"), ({frozenset(): 1}, ckpt.UnsupportedError, "a key of type frozenset"),
                                 ({"o": other}, ckpt.UnsupportedError, "^o: a OrderedDict with the attribute 'note', which would be lost"),
                                 ({"r": [record]}, ckpt.UnsupportedError, r"^r\.0: a Record with the attribute 'note'"),
                                 ({"l": loaded}, ckpt.UnsupportedError, "^l: a Loaded with the attribute 'note'"),
                                 ({"a": ckpt.Attributed(1, {})}, ckpt.InvalidArgumentError, "^a: an Attributed needs a value"),
                                 ({"p": Odd("x")}, ckpt.UnsupportedError, "^p: a __main__.Odd cannot be stored"),
                                 ({"e": ckpt.DType.F32}, ckpt.UnsupportedError, "^e: a ckpt"), ({"d": collections.defaultdict(int)}, ckpt.UnsupportedError, "^d: a collections.defaultdict")]:
            with self.subTest(text=text), tempfile.TemporaryDirectory() as folder:
                with self.assertRaisesRegex(kind, text):
                    ckpt.save(os.path.join(folder, "run"), tree)
                with self.assertRaises(ckpt.NotFoundError):
                    ckpt.load(os.path.join(folder, "run"))

    def test_depth_and_breadth(self):
        deep = []
        for _ in range(998):
            deep = [deep]
        tree = again({"deep": deep[0], "wide": list(range(20000))})  # two more around it
        depth = 0
        while tree["deep"]:
            tree["deep"], depth = tree["deep"][0], depth + 1
        self.assertEqual((depth, len(tree["wide"])), (997, 20000))

    def test_templates_are_filled_in_place(self):
        weights = np.arange(6.0).reshape(2, 3)
        tree = {"run": Run(Config(0.1, [1, 2]), weights, 4), "list": [1, {"a": 2}], "pair": (np.ones(2), 3), "at": Point(np.zeros(1), 5)}
        mine = np.zeros((2, 3))
        config, inner, first = Config(0.0, [0, 0]), {"a": 0}, np.zeros(2)
        template = {"run": Run(config, mine, 0), "list": [0, inner], "pair": (first, 0), "at": Point(np.ones(1), 0)}
        with tempfile.TemporaryDirectory() as folder:
            ckpt.save(folder, tree, 1)
            filled = ckpt.load(folder, into=template)
            self.assertIs(filled, template)
            self.assertTrue(same(filled, tree))
            self.assertIs(filled["run"].weights, mine)
            self.assertIs(filled["run"].config, config)
            self.assertIs(filled["list"][1], inner)
            self.assertIs(filled["pair"][0], first)
            for change, text in [({"run": Run(config, np.zeros(6), 0)}, r"run\.weights: the template has a ndarray of float64 \[6\]"),
                                 ({"list": [0]}, "list: the template has a list of 1, the checkpoint a list of 2"),
                                 ({"extra": 1}, "the tree: the template has a dict with the keys"),
                                 ({"pair": (first, "x")}, r"pair\.1: the template has a str, the checkpoint a int")]:
                wrong = {**template, **change}
                mine[:] = -1
                with self.subTest(text=text), self.assertRaisesRegex(ckpt.InvalidArgumentError, text):
                    ckpt.load(folder, into=wrong)
                self.assertTrue((mine == -1).all(), "something was filled")

    def test_tensors_of_templates_are_filled(self):
        with tempfile.TemporaryDirectory() as folder:
            ckpt.save(folder, {"w": ckpt.as_tensor(np.ones(3)), "n": 1})
            mine = np.zeros(3)
            template = {"w": ckpt.as_tensor(mine), "n": 0}
            tensor = template["w"]
            self.assertIs(ckpt.load(folder, into=template)["w"], tensor)
            self.assertEqual(mine.tolist(), [1.0] * 3)
            with self.assertRaisesRegex(ckpt.InvalidArgumentError, "^w: the template has a Tensor"):
                ckpt.load(folder, into={"w": ckpt.as_tensor(np.zeros(4)), "n": 0})
            read_only = np.zeros(3)
            read_only.flags.writeable = False
            with self.assertRaisesRegex(ckpt.InvalidArgumentError, "^w: the template is read-only"):
                ckpt.load(folder, into={"w": ckpt.as_tensor(read_only), "n": 0})

    def test_templates_take_attributes(self):
        saved = with_metadata(collections.OrderedDict(w=np.ones(3)), {"": {"version": 2}})
        template = with_metadata(collections.OrderedDict(w=np.zeros(3)), {"": {"version": 1}})
        with tempfile.TemporaryDirectory() as folder:
            ckpt.save(folder, {"model": saved, "n": 1})
            ckpt.load(folder, into={"model": template, "n": 0})
            self.assertEqual((template._metadata, template["w"].tolist()), ({"": {"version": 2}}, [1.0] * 3))
            with self.assertRaisesRegex(ckpt.InvalidArgumentError, "^model: the template has a dict"):
                ckpt.load(folder, into={"model": {"w": np.zeros(3)}, "n": 0})

    def test_templates_that_cannot_be_written(self):
        before, fixed = np.zeros(2), np.zeros(2)
        fixed.flags.writeable = False
        with tempfile.TemporaryDirectory() as folder:
            ckpt.save(folder, {"a": np.ones(2), "b": np.ones(2), "c": ()}, 1)
            for wrong in (fixed, np.broadcast_to(np.zeros(1), (2,))):
                with self.assertRaisesRegex(ckpt.InvalidArgumentError, "^b: the template repeats elements or is read-only"):
                    ckpt.load(folder, into={"a": before, "b": wrong, "c": ()})
            self.assertFalse(before.any(), "something was filled")

    def test_loaded_values_are_saved_again(self):
        array = np.arange(3.0)
        for tree in ({"w": array, "epoch": 3}, {"v": array, "w": array + 1}, {"a": {"w": array}, "b": {"w": array + 1}},
                     {"p": Point(1, Run(Config(0.5, []), array))}):
            with self.subTest(tree=tree), tempfile.TemporaryDirectory() as folder:
                ckpt.save(folder, tree, 1)
                first = ckpt.load(folder)
                ckpt.save(folder, first, 2)
                ckpt.save(folder, {"before": first, "it": 1}, 3)
                with ckpt.CheckpointManager(folder, read_only=True) as checkpoints:
                    self.assertTrue(same(dict(ckpt.load(folder, checkpoints.find_step(2).name, types=CLASSES)), tree))
                self.assertTrue(same(ckpt.load(folder, types=CLASSES)["before"], tree))

    def test_dicts_of_arrays_come_back_as_they_were(self):
        array = np.arange(3.0)
        with tempfile.TemporaryDirectory() as folder:
            ckpt.save(folder, {"model": {"w": array}, "average": {"w": array}}, 1)
            loaded = ckpt.load(folder)
            self.assertIs(loaded["model"]["w"], loaded["average"]["w"], "tied arrays in two dicts")
            for step, tree in enumerate([{"x" * 65: {"w": array}, "b": {"w": array + 1}}, {"\u00e4" * 40: {"w": array}, "b": {"w": array + 1}},
                                         {f"layer{i}": {"w": array + i, "b": np.zeros(1) + i} for i in range(300)},
                                         {"../x": {"w": array}, "..": {"w": array + 1}, "manifest.json": {"w": array + 2}}], 2):
                result = ckpt.save(folder, tree, step)
                self.assertLessEqual(result.files, 16)
                self.assertTrue(same(dict(ckpt.load(folder)), tree))

    def test_nothing_of_a_record_is_lost(self):
        @dataclasses.dataclass
        class More:
            rate: float

            def __post_init__(self):
                self.cache = 7

        @dataclasses.dataclass
        class Cached:
            rate: float

            @functools.cached_property
            def double(self):
                return 2 * self.rate

        @dataclasses.dataclass
        class Late:
            rate: float
            end: int = dataclasses.field(init=False)

        @dataclasses.dataclass
        class Named(dict):
            rate: float = 0.5

        class Labelled(Point):
            pass

        labelled = Labelled(1, 2)
        labelled.label = "x"
        for value, text in [(More(1.0), "a.0: a .*More that has the attribute 'cache', which is not a field"), (Late(1.0), "a.0: the .*Late has no value for its field 'end'"),
                            (Named(), "a.0: a .*Named that is also a dict"), (labelled, "a.0: a .*Labelled that has the attribute 'label'"),
                            (np.ones(2).view(np.recarray), "a.0: a numpy(.rec)?.recarray")]:
            with self.subTest(text=text), self.assertRaisesRegex(ckpt.CkptError, text):
                again({"a": [value]})
        with self.subTest("outermost"), self.assertRaisesRegex(ckpt.UnsupportedError, "w: a numpy(.rec)?.recarray cannot be stored"), \
                tempfile.TemporaryDirectory() as folder:
            ckpt.save(folder, {"w": np.ones(2).view(np.recarray)}, 1)
        cached = Cached(1.5)
        self.assertEqual((cached.double, again(cached, types=Cached)), (3.0, Cached(1.5)))

    def test_types_are_classes_of_the_right_kind(self):
        for types, text in [({f"{Point.__module__}.Point": Config}, "is not a named tuple"), ({f"{Config.__module__}.Config": Point}, "is not a dataclass"),
                            ([dict], "expected classes of dataclasses or named tuples, found <class 'dict'>"), (["Point"], "named tuples, found 'Point'")]:
            with self.subTest(text=text), self.assertRaisesRegex(ckpt.InvalidArgumentError, text):
                again([Point(1, 2), Config(0.5, 1)], types=types)

    def test_types_must_fit(self):
        @dataclasses.dataclass
        class Other:
            rate: float

        with self.assertRaisesRegex(ckpt.InvalidArgumentError, ".*Other has the fields rate; the checkpoint's has rate, layers"):
            again(Config(1.0, 2), types={f"{Config.__module__}.Config": Other})
        moved = again(Config(1.0, 2), types={f"{Config.__module__}.Config": Config})
        self.assertEqual(moved, Config(1.0, 2))

    def test_next_to_values_and_groups(self):
        with ckpt.Storage.memory() as storage, ckpt.CheckpointManager(storage) as checkpoints, ckpt.State() as state:
            state.add("model", "w", np.ones(3))
            state.add_tree("extra", {"history": [1.5, None]})
            state["epoch"] = 2
            checkpoints.save(state, 1)
            with checkpoints.reader() as reader:
                self.assertEqual(reader.tree("extra"), {"history": [1.5, None]})
                self.assertEqual([reader.has_tree(group) for group in ("extra", "model", "none")], [True, False, False])
                with self.assertRaises(ckpt.NotFoundError):
                    reader.tree("model")


class LoadsIntoAState(unittest.TestCase):
    def test_values_are_replaced_and_arrays_filled(self):
        def run(losses, epoch, value, tied):
            weights = np.full(3, value)
            return {"losses": losses, "epoch": epoch, "w": weights, "again": weights if tied else np.full(3, value), 3: (pathlib.PurePosixPath("x"), 1 << 80)}

        with tempfile.TemporaryDirectory() as folder, ckpt.CheckpointManager(folder) as manager, ckpt.State() as saved:
            saved.add_tree("run", run([0.5, 0.25], 12345, 1.0, True))
            saved.add_tree("text", ["more than before", {}])
            manager.save(saved, step=1)
            mine = run([], 0, 0.0, True)
            with ckpt.State() as state:
                state.add_tree("run", mine)
                state.add_tree("text", [])
                self.assertEqual(state.tree("run")["epoch"], 0)
                manager.load(state)
                loaded = state.tree("run")
                self.assertEqual((loaded["losses"], loaded["epoch"], loaded[3]), ([0.5, 0.25], 12345, (pathlib.PurePosixPath("x"), 1 << 80)))
                self.assertEqual(list(mine["w"]), [1, 1, 1])  # filled in place
                self.assertTrue(np.shares_memory(loaded["w"], mine["w"]))
                self.assertIs(loaded["w"], loaded["again"])
                self.assertEqual(state.tree("text"), ["more than before", {}])
                with self.assertRaises(ckpt.NotFoundError):
                    state.tree("none")
                manager.save(state, step=2)
                with ckpt.AsyncManager(manager) as background:
                    background.load(state).result()
                self.assertEqual(state.tree("run")["epoch"], 12345)
            with ckpt.State() as other:  # one array more than the checkpoint has
                other.add_tree("run", run([7], 7, 7.0, False))
                other.add_tree("text", [7])
                with self.assertRaisesRegex(ckpt.InvalidArgumentError, "of group 'run'"):
                    manager.load(other)
                self.assertEqual((other.tree("run")["epoch"], other.tree("text")), (7, [7]))
            with manager.reader() as reader:  # without a template
                self.assertEqual(reader.tree("text"), ["more than before", {}])


class ComparedWithTheCore(unittest.TestCase):
    """The other languages read and write trees with the core: it must interpret every text in the same way."""

    def test_two_thousand_random_trees(self):
        draw, seen = random.Random(17), collections.Counter()
        for _ in range(2000):
            text = bytes(_trees.write_tree(random_tree(draw, seen))[1].raw())
            tree = _native.ckpt_tree_create_from_text(text)
            try:
                again = _native.ckpt_tree_get_text(tree)
            finally:
                _native.ckpt_tree_release(tree)
            self.assertEqual(repr(json.loads(again)), repr(json.loads(text)))
        self.assertEqual([row for row in ROWS if seen[row] < 20], [])


class Golden(unittest.TestCase):
    """tests/state/golden/trees: the core reads and writes the same files."""

    folder = os.path.join(os.path.dirname(__file__), "../../../tests/state/golden/trees")

    def test_both_formats(self):
        weight = np.ones(3)
        tree = {"epoch": 3, "weights": [weight, weight], "betas": (0.5, math.nan), "order": collections.OrderedDict(a=None)}
        with open(os.path.join(self.folder, "format-1.json"), "rb") as file:
            self.assertEqual(bytes(_trees.write_tree(tree).text.raw()), file.read())
        with open(os.path.join(self.folder, "format-2.json"), "rb") as file:
            text = json.load(file)
        text["nodes"] = [["tensor", node[1], "tensor"] if type(node) is list and node[0] == "tensor" else node for node in text["nodes"]]
        read = _trees.read_tree(ckpt.as_tensor(json.dumps(text).encode()), lambda name: ckpt.Tensor("F32", [1]))  # without torch
        self.assertEqual(read["model"]._metadata, {"": {"version": 1}, "bn": {"version": 2}})
        self.assertEqual((list(read["model"]), type(read["model"])), (["w", "n"], collections.OrderedDict))
        self.assertEqual(read["frozen"].attributes, {"requires_grad": False})
        self.assertTrue(same(read, again(read)))


class Hostile(unittest.TestCase):
    """Invalid trees. The core also refuses them."""

    def read(self, text):
        raw = text if isinstance(text, bytes) else text.encode()
        try:
            _native.ckpt_tree_release(_native.ckpt_tree_create_from_text(raw))
            self.core = None
        except ckpt.CkptError as error:
            self.core = type(error)
        return _trees.read_tree(ckpt.as_tensor(text if isinstance(text, bytes) else text.encode()), lambda name: ckpt.Tensor("F64", [1, 2]))  # which complex128 fits, too

    def nodes(self, *nodes):
        return self.read(json.dumps({"format": "ckpt-tree", "format_version": 1, "nodes": nodes}))

    def test_refused(self):
        for nodes in [(), (1, 2), (["list", 2], 1), (["list", 1], 1, 2), (["list", -1],), (["list", True], 1), (["list", 1 << 62],), (["list"],), (["list", 0, 0],),
                      ([],), (["what", 1],), (["dict", 1], ["list", 0], 1), (["dict", 2], "a", 1, "a", 2), (["dict", 1], {"a": 1}, 2), ({},),
                      (["tuple", "1"], 1), (["bytes", "*"],), (["bytes", "MTME="],), (["bytes", 3],), (["float", "zz"],), (["float", "7ff0"],), (["int", 3],),
                      (["int", "x"],), (["int", "12"],), (["int", " 0x1"],), (["int", "0x1_0"],), (["int", "0X1"],), (["int", "+0x1"],), (1 << 63,),
                      (-(1 << 63) - 1,), (["surrogates", "d8"],), (["surrogates", 1],), (["complex", "7ff0000000000000"],), (["path", 3],),
                      (["path", "a", "vms"],), (["path", ["surrogats", "edb3bf"]],), (["path", ["surrogates"]],), (["tensor"],), (["tensor", 1, "array"],), (["tensor", "w", "soft"],), (["tensor", "w", "array", "x"],),
                      (["tensor", "w", ["array"]],), (["dataclass", "a.B", ["x", "x"]], 1, 2), (["dataclass", "a.B", "xy"], 1, 2),
                      (["named_tuple", 3, []],), (["dict", 1], ["tensor", "w", "array"], 1), tuple([["list", 1]] * 1001 + [1])]:
            with self.subTest(nodes=str(nodes)[:80]):
                with self.assertRaises(ckpt.CorruptError):
                    self.nodes(*nodes)
                self.assertIs(self.core, ckpt.CorruptError)
        begin = '{"format":"ckpt-tree","format_version":'
        for text in [begin + '1,"nodes":[1e999]}', begin + '1,"nodes":[NaN]}', begin + '1,"nodes":[-Infinity]}', begin + '1,"nodes":["\\udead"]}',
                     begin + '1,"nodes":[1],"nodes":[1]}', begin + '1.0,"nodes":[1]}', begin + 'true,"nodes":[1]}', "", "{", "[]", '{"format":"ckpt-tree"}', "[" * 100000, b"\xff", '{"format":"ckpt-tree","format_version":1,"nodes":{}}']:
            with self.subTest(text=text[:20]):
                with self.assertRaises(ckpt.CorruptError):
                    self.read(text)
                self.assertIs(self.core, ckpt.CorruptError)
        for version in (0, 3):
            with self.assertRaisesRegex(ckpt.UnsupportedError, f"version {version}"):
                self.read(f'{{"format":"ckpt-tree","format_version":{version},"nodes":[1]}}')
            self.assertIs(self.core, ckpt.UnsupportedError)
        for nodes in [(["attributes"],), (["attributes"], 1), (["attributes", 2], 1, ["dict", 1], "a", 2), (["attributes"], 1, 2),
                      (["attributes"], 1, ["dict", 0]), (["attributes"], 1, ["ordered_dict", 1], "a", 2), (["attributes"], 1, ["dict", 1], 3, 2),
                      (["attributes"], ["attributes"], 1, ["dict", 1], "a", 2, ["dict", 1], "b", 3),
                      (["dict", 1], ["attributes"], 1, ["dict", 1], "a", 2, 3)]:
            with self.subTest(nodes=str(nodes)):
                with self.assertRaises(ckpt.CorruptError):
                    self.read(json.dumps({"format": "ckpt-tree", "format_version": 2, "nodes": nodes}))
                self.assertIs(self.core, ckpt.CorruptError)

    def test_format_1_has_no_attributes(self):
        for nodes in [(["attributes"], 1, ["dict", 1], "a", 2), (["tensor", "w", "parameter"],)]:
            with self.assertRaisesRegex(ckpt.CorruptError, "format_version 2; the text has 1"):
                self.nodes(*nodes)
            self.assertIs(self.core, ckpt.CorruptError)

    def test_a_missing_tensor(self):
        with ckpt.Storage.memory() as storage, ckpt.CheckpointManager(storage) as checkpoints, ckpt.State() as state:
            text = json.dumps({"format": "ckpt-tree", "format_version": 1, "nodes": [["tensor", "w", "array"]]}).encode()
            state.add("tree", "__tree__", np.frombuffer(text, np.uint8).copy())
            checkpoints.save(state, 1)
            with checkpoints.reader() as reader, self.assertRaisesRegex(ckpt.CorruptError, "group 'tree': .*'w'"):
                reader.tree()

    def test_only_given_classes_are_created(self):
        for name in ("os.system", "builtins.eval", "ckpt.Tensor", "collections.OrderedDict"):
            record = self.nodes(["dataclass", name, ["x"]], 1)
            self.assertEqual((type(record), record.class_name, record.x), (ckpt.Record, name, 1))

    def test_ten_thousand_damaged_texts(self):
        draw = random.Random(7)
        seen = collections.Counter()
        texts = [bytes(_trees.write_tree(random_tree(draw, seen))[1].raw()) for _ in range(50)]
        outcomes, differ = collections.Counter(), []
        for _ in range(10000):
            text = bytearray(draw.choice(texts))
            for _ in range(draw.randrange(1, 4)):
                text[draw.randrange(len(text))] = draw.choice(b'[]{}",:0123456789truefalsn\\u-+e.')
            try:
                self.read(bytes(text))
                outcomes["a tree"] += 1
                mine = None
            except ckpt.CkptError as error:
                outcomes[type(error).__name__] += 1
                mine = type(error)
            if mine is not self.core:
                differ.append((mine, self.core, bytes(text)))
        print(f"damaged trees: {dict(outcomes)}")
        self.assertEqual(differ[:3], [], "the core has another idea of these")
        self.assertGreater(outcomes["CorruptError"], 1000)
        self.assertLessEqual(set(outcomes), {"a tree", "CorruptError", "UnsupportedError"})


if __name__ == "__main__":
    unittest.main()
