"""The planner of graphs next to the optima that an integer program proves.

    python3 optimum_test.py LIBRARY                the planner's steps and those of optima.json
    python3 optimum_test.py LIBRARY --solve        solves the programs of the small graphs again by cbc; they must equal optima.json
    python3 optimum_test.py LIBRARY --write        solves all programs again and writes optima.json (20 minutes)
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), os.fspath(FOLDER.parent / "replay")]

from graphs import ADDS_GRADIENT  # noqa: E402
from integer_program import Graph, solve  # noqa: E402
from library import Library  # noqa: E402
from replayer import DETERMINISTIC, OWN_ALLOCATOR, Layer, NEEDS_INPUT, NEEDS_OUTPUT, Option, Profile, Tier, TIERS  # noqa: E402

OPTIMA = FOLDER / "optima.json"
GRAPHS = 40
SECONDS = 60
MAX_SOLVED_OPERATIONS = 16  # cbc proves these in seconds


def random_graph(number):
    """10 to 30 operations that read one to three of the last seven values."""
    rng = random.Random(number)
    n = 10 + number * 20 // (GRAPHS - 1)
    inputs, needed = [], []
    for i in range(n):
        others = [v for v in range(max(0, i - 6), i) if rng.random() < 0.15]
        inputs.append((*others[:2], i))
        needed.append(tuple(v for v in (*inputs[i], i + 1) if rng.random() < 0.6))

    def numbers(count, low, high, share=1.0):
        return tuple(rng.randrange(low, high) if rng.random() < share else 0 for _ in range(count))

    return Graph(numbers(n + 1, 1, 61), numbers(n, 1, 91, share=0.6), numbers(n, 5, 201), numbers(n, 5, 401), tuple(inputs),
                 tuple(needed), tuple(rng.random() < 0.9 for _ in range(n)))


def profile_of(graph):
    layers = []
    for i in range(graph.n):
        flags = ADDS_GRADIENT | (DETERMINISTIC if graph.deterministic[i] else 0)
        flags |= NEEDS_OUTPUT if i + 1 in graph.needed[i] else 0
        flags |= NEEDS_INPUT if any(v <= i for v in graph.needed[i]) else 0
        option = Option(tape_bytes=graph.tape_bytes[i], forward_seconds=float(graph.forward[i]),
                        backward_seconds=float(graph.backward[i]))
        layers.append(Layer(flags, graph.value_bytes[i + 1], 0, (option,)))
    reads = tuple((graph.inputs[i], tuple(v for v in graph.needed[i] if v <= i)) for i in range(graph.n))
    return Profile(graph.value_bytes[0], tuple(layers), (Tier(),) * TIERS, flags=OWN_ALLOCATOR, reads=reads)


class Planned:
    """The schedules that the library plans for a graph, in live bytes."""

    def __init__(self, library, graph):
        self.library, self.graph, self.handle = library, graph, library.profile(profile_of(graph))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.library.release_profile(self.handle)

    def report(self, planner):
        status, message, report, _ = self.library.verify(self.handle, self.graph.n, self.library.planned(self.handle, planner))
        if status != 0:
            raise AssertionError(message)
        return report

    def budget(self, number):
        """Between the smallest that works and the bytes of store-all."""
        smallest = self.library.smallest_budget(self.handle, "graph")
        largest = self.report("store-all").peak_bytes[0]
        return smallest + (largest - smallest) * (15 + 10 * (number % 6)) // 100

    def time_within(self, budget):
        report = self.report(f"graph:{budget}")
        if report.peak_bytes[0] > budget:
            raise AssertionError(f"{report.peak_bytes[0]} live bytes exceed a budget of {budget}")
        return report.step_seconds


def compare(library, optima):
    """Returns the number of failures. A step that is faster than an optimum, or than a bound, is one."""
    longer, optimal, proven, failures = [], 0, 0, 0
    for number, known in enumerate(optima):
        graph = random_graph(number)
        with Planned(library, graph) as planned:
            time = planned.time_within(known["budget"])
        longer.append(time / known["bound"] - 1)
        proven += known["proven"]
        optimal += known["proven"] and time == known["bound"]
        if time < known["bound"]:
            failures += 1
            print(f"graph {number}: {time} is less than the bound {known['bound']}")
    mean, worst = 100 * sum(longer) / len(longer), 100 * max(longer)
    print(f"{len(longer)} graphs, {proven} of them with a proven optimum, which {optimal} equal; {mean:.3f}% longer than optimum or "
          f"bound on average, at most {worst:.2f}%")
    return failures + (mean > 0.3) + (worst > 3) + (len(longer) != GRAPHS)


def compare_reference(library):
    """The reference graphs, through the planner. Returns the number of failures."""
    path = pathlib.Path(os.environ.get("CKPT_SHARED", "")) / "reference" / "graphs.json"
    if not path.is_file():
        print("SKIP: the reference data (reference/graphs.json) is not on this machine")
        return 0
    longer = []
    for each in json.loads(path.read_text())["graphs"]:
        graph = Graph(each["a"], each["tape"], each["f"], each["b"], each["in"], each["bw"], [True] * each["n"])
        with Planned(library, graph) as planned:
            longer += [planned.time_within(best["budget"]) / best["cost"] - 1 for best in each["best"]]
    mean, worst = 100 * sum(longer) / len(longer), 100 * max(longer)
    print(f"reference graphs, {len(longer)} budgets: {mean:.3f}% longer on average, at most {worst:.2f}%")
    return (mean > 0) + (worst > 1.5)


def solved_again(optima, folder):
    """Returns the number of failures."""
    failures = 0
    for number, known in enumerate(optima):
        graph = random_graph(number)
        if graph.n > MAX_SOLVED_OPERATIONS or not known["proven"]:
            continue
        solution = solve(graph, known["budget"], 10 * SECONDS, folder)
        if solution.time != known["bound"]:
            failures += 1
        print(f"graph {number}: cbc {solution.time}, optima.json {known['bound']}")
    return failures


def write(library, folder):
    optima = []
    for number in range(GRAPHS):
        graph = random_graph(number)
        with Planned(library, graph) as planned:
            budget = planned.budget(number)
            solution = solve(graph, budget, SECONDS, folder)
            proven = solution.time is not None and solution.time - solution.bound < 1  # times are whole numbers
            bound = solution.time if proven else round(solution.bound, 3)
            optima.append({"operations": graph.n, "budget": budget, "bound": bound, "proven": proven})
            print(number, optima[-1], planned.time_within(budget), flush=True)
    lines = ",\n".join("  " + json.dumps(each) for each in optima)
    OPTIMA.write_text(f"[\n{lines}\n]\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--solve", action="store_true")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    library = Library(given.library)
    with tempfile.TemporaryDirectory() as folder:
        if given.write:
            return write(library, pathlib.Path(folder))
        optima = json.loads(OPTIMA.read_text())
        if not given.solve:
            return 1 if compare(library, optima) + compare_reference(library) else 0
        if shutil.which("cbc") is None:
            print("SKIP: cbc (package coinor-cbc) is not installed")
            return 77
        return 1 if solved_again(optima, pathlib.Path(folder)) else 0


if __name__ == "__main__":
    sys.exit(main())
