"""The conformance runner of Python (bindings/conformance/README.md), which uses only the public package.

    conformance.py run SCRATCH FILE...     runs the files' scenarios and compares
    conformance.py write DIR | read DIR    writes or checks the checkpoint of the matrix
"""

import collections
import re
import sys

import numpy

import ckpt
from conformance_commands import Misuse, joined, make_tensor
from conformance_durable import Scenario

# ---- Files ----

OPTION = re.compile(r"([a-z_]+)=(.*)", re.DOTALL)


def unescaped(word):
    return "" if word == "-" else re.sub(r"\\(.)", lambda found: " " if found.group(1) == "s" else found.group(1), word)


class Command:
    """One command: its words, without the options. Arguments are counted from 1."""

    def __init__(self, line):
        self.words, self.options, self.used = [], {}, set()
        for word in line.split(" "):
            option = OPTION.fullmatch(word)
            if option:
                self.options[option.group(1)] = unescaped(option.group(2))
            elif word:
                self.words.append(unescaped(word))
        self.name = self.words[0]

    def __len__(self):
        return len(self.words) - 1

    def text(self, index):
        if index >= len(self.words):
            raise Misuse(f"{self.name}: missing argument {index}")
        return self.words[index]

    def integer(self, index):
        return int(self.text(index))

    def number(self, index):
        return float(self.text(index))

    def option(self, key, otherwise=None, kind=str):
        self.used.add(key)
        return kind(self.options[key]) if key in self.options else otherwise

    def names(self, key):
        return [name for name in self.option(key, "").split(",") if name]

    def given(self, **kinds):
        """Returns keyword arguments of the options present: given(interval=int)."""
        return {key: self.option(key, kind=kind) for key, kind in kinds.items() if self.option(key) is not None}

    def check_all_used(self):
        for key in self.options:
            if key not in self.used:
                raise Misuse(f"{self.name}: unknown option {key}")


class Run:
    """Runs files and counts scenarios, commands and failures."""

    def __init__(self, scratch):
        self.scratch = scratch
        self.scenario = None
        self.scenarios = self.commands = self.wrong = 0
        self.printed, self.detail, self.where = [], "", ""

    def file(self, path):
        expected = []
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file.read().split("\n"), 1):
                if not line or line.startswith("#"):
                    continue
                if line == "=" or line.startswith("= "):
                    expected.append(line[2:])
                    continue
                self.compare(expected)
                expected = []
                print(line)
                self.where = f"{path}:{number}: "
                if line.startswith("== "):
                    self.end_scenario()
                    self.scenarios += 1
                    self.scenario = Scenario(f"{self.scratch}/{self.scenarios}")
                else:
                    self.run(line)
        self.compare(expected)
        self.end_scenario()

    def end_scenario(self):
        scenario, self.scenario = self.scenario, None
        if scenario is not None:
            scenario.close()

    def run(self, line):
        self.commands += 1
        if self.scenario is None:
            raise Misuse(f"{self.where}a command before the first scenario")
        command = Command(line)
        try:
            self.printed = list(self.scenario.run(command) or [])
            command.check_all_used()
        except ckpt.CkptError as error:
            self.printed, self.detail = [f"error {error.status_name}"], str(error)
        except (Misuse, ValueError, LookupError) as error:
            raise Misuse(f"{self.where}{error!r}") from error
        for text in self.printed:
            print(f"= {text}")

    def compare(self, expected):
        if self.printed != expected:
            self.wrong += 1
            print(joined([f"{self.where}wrong. Expected:", *(f"\n  = {text}" for text in expected), "\nprinted:",
                          *(f"\n  = {text}" for text in self.printed), f"\n  ({self.detail})"]), file=sys.stderr)
        self.printed, self.detail = [], ""

    def report(self):
        print(f"{self.scenarios} scenarios, {self.commands} commands, {self.wrong} wrong")
        return self.wrong == 0 and self.commands > 0


# ---- The matrix ----

GROUP = "modèle"
TENSORS = [("dtypes", dtype.safetensors_name, dtype, (3, 8), int(dtype)) for dtype in sorted(ckpt.DType)] + [
    (GROUP, "gewicht/ß ☃ 漢字 🙂", ckpt.DType.F32, (2, 3, 4), 30),
    (GROUP, "empty", ckpt.DType.F64, (0, 5), 31),
    (GROUP, "scalar", ckpt.DType.I64, (), 32),
    (GROUP, "long", ckpt.DType.U8, (100003,), 33),
]
VALUES = {
    "step": 42,
    "data_position": {"byte": 4096},
    "größe ☃": {"list": [1, -2, 9007199254740993, True, None], "text": '漢字 🙂 "quoted" \\ line\nend'},
}
SEED = 18446744073709551615


def make_state(seed_of):
    state, tensors = ckpt.State(), []
    for group, name, dtype, shape, seed in TENSORS:
        tensors.append(make_tensor(dtype, shape, seed_of(seed)))
        state.add(group, name, tensors[-1])
    return state, tensors


def write_matrix(folder):
    state, tensors = make_state(lambda seed: seed)
    for key, value in VALUES.items():
        state[key] = value
    with ckpt.CheckpointManager(folder) as checkpoint:
        checkpoint.save(state, 7, seed=SEED, prefix="matrix")
    print(f"wrote {len(tensors)} tensors and {len(VALUES)} values")
    return 0


def read_matrix(folder):
    state, tensors = make_state(lambda seed: 99)
    with ckpt.CheckpointManager(folder, read_only=True) as checkpoint:
        loaded = checkpoint.load(state)
    unequal = [] if (loaded.step, loaded.seed) == (7, SEED) else [f"checkpoint {loaded.name}"]
    _, written = make_state(lambda seed: seed)
    unequal += [f"tensor {row[1]}" for row, a, b in zip(TENSORS, tensors, written) if not a.is_bit_equal(b)]
    unequal += [f"value {key}" for key, value in VALUES.items() if state[key] != value]
    if unequal:
        print(f"not as written: {', '.join(unequal)}", file=sys.stderr)
        return 1
    print(f"read {len(tensors)} tensors and {len(VALUES)} values, all equal")
    return 0


# ---- Values of any shape ----

TREE = {
    "nothing": None,
    "truths": [True, False],
    "integers": [0, -7, (1 << 63) - 1, -(1 << 63)],
    "big": (1 << 64) - 1,
    "numbers": [0.1, -0.0, 1e300, 5e-324, 3.0, float("inf")],
    "text": 'größe ☃ 漢字 🙂 "quoted" \\ line\nend\0.',
    "surrogate": "a\ud800",
    "bytes": b"\0\xff\x7f",
    "empty": [[], {}, "", b""],
    "keys": {7: "seven", "a.b/c": 1, True: 2, None: 3},
    "deep": [[{"x": [1]}]],
    "doubles": numpy.array([1.5, -2.5]),
    "floats": numpy.array([0.5], numpy.float32),
    "ints": numpy.array([1, -2, 3], numpy.int32),
    "longs": numpy.array([-9007199254740993]),
    "none": numpy.zeros(0),
    "module": collections.OrderedDict(w=1.5, n=2),
    "seconds": ckpt.Attributed(0.25, {"unit": "s"}),
}
TREE["module"]._metadata = {"": {"version": 1}}


def same(left, right):
    """Compares by what the languages have in common: arrays are equal regardless of the library they came from."""
    if isinstance(left, (numpy.ndarray, ckpt.Tensor)):
        left, right = ckpt.as_tensor(left), ckpt.as_tensor(right)
        return left.shape == right.shape and left.dtype == right.dtype and left.is_bit_equal(right)
    if isinstance(left, ckpt.Attributed):
        return type(right) is ckpt.Attributed and same(left.value, right.value) and same(left.attributes, right.attributes)
    if isinstance(left, dict):
        return set(left) == set(right) and getattr(left, "__dict__", {}) == getattr(right, "__dict__", {}) and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    return type(left) is type(right) and repr(left) == repr(right)


def write_trees(folder):
    tensor = make_tensor("BF16", [2, 3], 5)
    with ckpt.CheckpointManager(folder) as checkpoint, ckpt.State() as state:
        state.add_tree("values", TREE)
        state.add_tree("tensors", [tensor, tensor])
        checkpoint.save(state, 1)
    print(f"wrote {len(TREE)} values")
    return 0


def read_trees(folder):
    with ckpt.CheckpointManager(folder, read_only=True) as checkpoint, checkpoint.reader() as reader:
        values, tensors = reader.tree("values"), reader.tree("tensors")
    unequal = [key for key in TREE if key not in values or not same(TREE[key], values[key])]
    if len(tensors) != 2 or tensors[0] is not tensors[1] or not tensors[0].is_bit_equal(make_tensor("BF16", [2, 3], 5)):
        unequal.append("tensors")
    if unequal:
        print(f"not as written: {', '.join(unequal)}", file=sys.stderr)
        return 1
    print(f"read {len(values)} values, all equal")
    return 0


def random_trees(folder, read):
    """Writes a hundred trees with every row of Python's table, or checks that they are equal, type for type and bit for bit."""
    import random

    import test_trees

    draw, seen = random.Random(16), collections.Counter()
    trees = [test_trees.random_tree(draw, seen) for _ in range(400)]
    missing = [row for row in test_trees.ROWS if seen[row] == 0]
    if missing:
        raise Misuse(f"rows that were not drawn: {missing}")
    with ckpt.CheckpointManager(folder, read_only=read) as checkpoint:
        if not read:
            with ckpt.State() as state:
                for i, tree in enumerate(trees):
                    state.add_tree(f"tree{i}", tree)
                checkpoint.save(state, 1)
            print(f"wrote {len(trees)} trees")
            return 0
        with checkpoint.reader() as reader:
            unequal = [i for i, tree in enumerate(trees) if not test_trees.same(tree, reader.tree(f"tree{i}", types=test_trees.CLASSES))]
    if unequal:
        print(f"not as written: {[(i, trees[i]) for i in unequal]}"[:2000], file=sys.stderr)
        return 1
    print(f"read {len(trees)} trees, all equal")
    return 0


TREE_COMMANDS = {"write-trees": write_trees, "read-trees": read_trees, "write-random-trees": lambda folder: random_trees(folder, False),
                 "read-random-trees": lambda folder: random_trees(folder, True)}


def main(words):
    sys.unraisablehook = lambda unraisable: None  # scenarios with callables that raise
    try:
        if len(words) == 2 and words[0] in ("write", "read"):
            return write_matrix(words[1]) if words[0] == "write" else read_matrix(words[1])
        if len(words) == 2 and words[0] in TREE_COMMANDS:
            return TREE_COMMANDS[words[0]](words[1])
        if len(words) < 3 or words[0] != "run":
            raise Misuse("usage: conformance.py run SCRATCH FILE... | write DIR | read DIR")
        run = Run(words[1])
        for path in words[2:]:
            run.file(path)
        return 0 if run.report() else 1
    except (Misuse, OSError) as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
