"""The conformance runner of Python (bindings/conformance/README.md), through the public package only.

    conformance.py run SCRATCH FILE...     runs the files' scenarios and compares
    conformance.py write DIR | read DIR    writes or checks the checkpoint of the matrix
"""

import re
import sys

import ckpt
from conformance_commands import Misuse, joined, make_tensor
from conformance_durable import Scenario

# ---- Files ----

OPTION = re.compile(r"([a-z_]+)=(.*)", re.DOTALL)


def unescaped(word):
    return "" if word == "-" else re.sub(r"\\(.)", lambda found: " " if found.group(1) == "s" else found.group(1), word)


class Command:
    """One command: its words, the options apart. Arguments are counted from 1."""

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
            raise Misuse(f"{self.name} lacks argument {index}")
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
        """Keyword arguments of the options that are there: given(interval=int)."""
        return {key: self.option(key, kind=kind) for key, kind in kinds.items() if self.option(key) is not None}

    def check_all_used(self):
        for key in self.options:
            if key not in self.used:
                raise Misuse(f"{self.name} has no option {key}")


class Run:
    """Runs files and counts."""

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


def main(words):
    sys.unraisablehook = lambda unraisable: None  # scenarios with callables that raise
    try:
        if len(words) == 2 and words[0] in ("write", "read"):
            return write_matrix(words[1]) if words[0] == "write" else read_matrix(words[1])
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
