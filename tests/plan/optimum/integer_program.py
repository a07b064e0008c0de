"""The least time of a graph's step within a byte budget as an integer program, and its solution by cbc.

The program has one stage per main operation of a step: the forwards 0 .. n-1, the turn, and the backwards n-1 .. 0. Before each
main operation, operations may run again in index order. This is the formulation by stages of Jain et al., "Checkmate: Breaking the
Memory Wall with Optimal Tensor Rematerialization" (MLSys 2020), with separate variables for tapes.

    run(k, i)      operation i runs again in stage k
    value(k, v)    value v is in memory when stage k begins
    tape(k, i)     the tape of operation i is in memory when stage k begins
    used(k, v, j)  value v is in memory at moment j of stage k; between 0 and 1
"""

import re
import subprocess
import textwrap
from typing import NamedTuple


class Graph(NamedTuple):
    """Operation i reads inputs[i] and makes value i + 1; its backward reads needed[i], and adds to gradients in place."""

    value_bytes: tuple  # n + 1, the input first
    tape_bytes: tuple
    forward: tuple  # whole numbers
    backward: tuple
    inputs: tuple
    needed: tuple
    deterministic: tuple

    @property
    def n(self):
        return len(self.inputs)


class Solution(NamedTuple):
    time: int  # of the fastest step found; None if none was
    bound: float  # every step takes at least this time


class IntegerProgram:
    def __init__(self, graph, budget):
        self.graph, self.budget, self.n = graph, budget, graph.n
        self.stages = 2 * graph.n + 1
        self.readers = [[i for i in range(self.n) if v in graph.inputs[i]] for v in range(self.n + 1)]
        self.binary, self.continuous, self.rows = [], [], []
        for k in range(self.stages):
            self._add_stage(k)
        for v in range(1, self.n + 1):
            self._fix(self._value(0, v), 0)
        for i in range(self.n):
            self._fix(self._tape(0, i), 0)

    def text(self):
        terms = [f"{self.graph.forward[i]} {self._run(k, i)}" for k in range(self.stages) for i in range(self.n) if self._may_run(k, i)]
        lines = ["Minimize", *_wrapped("time", terms, ""), "Subject To"]
        for number, (terms, relation) in enumerate(self.rows):
            lines += _wrapped(f"c{number}", terms, relation)
        lines += ["Bounds", *(f"0 <= {name} <= 1" for name in self.continuous)]
        lines += ["Binaries", *self.binary, "End", ""]
        return "\n".join(lines)

    def main_time(self):
        """The time of the main operations, which the program leaves out."""
        return sum(self.graph.forward) + sum(self.graph.backward)

    # ---- Variables ----

    def _may_run(self, k, i):
        return i < k <= 2 * self.n - i and self.graph.deterministic[i]

    def _run(self, k, i):
        return f"run_{k}_{i}" if self._may_run(k, i) else None

    def _remade(self, k, v):
        """The run of stage k that makes the value again; None if none can."""
        return self._run(k, v - 1) if v > 0 else None

    def _value(self, k, v):
        return f"value_{k}_{v}"

    def _tape(self, k, i):
        return f"tape_{k}_{i}"

    # ---- Rows ----

    def _fix(self, name, number):
        self.rows.append(([name], f"= {number}"))

    def _row(self, plus, minus, relation):
        """Sum of the names in plus, less those in minus; None is a variable that is always 0."""
        terms = [name for name in plus if name] + [f"- {name}" for name in minus if name]
        if terms:
            self.rows.append((terms, relation))

    def _main_reads(self, k):
        if k < self.n:
            return self.graph.inputs[k]
        return (self.n,) if k == self.n else self.graph.needed[2 * self.n - k]

    def _add_stage(self, k):
        n, graph = self.n, self.graph
        for v in range(n + 1):
            self.binary.append(self._value(k, v))
            makes = v == k + 1 and k < n
            if k + 1 < self.stages:
                self._row([self._value(k + 1, v)], [self._value(k, v), self._remade(k, v)], f"<= {int(makes)}")
            if v > 0:
                self._row([self._value(k, v), self._remade(k, v)], [], "<= 1")
        for i in range(n):
            self.binary.append(self._tape(k, i))
            if k + 1 < self.stages:
                self._row([self._tape(k + 1, i)], [self._tape(k, i), self._run(k, i)], f"<= {int(k == i)}")
            if k == 2 * n - i:
                self._row([self._tape(k, i), self._run(k, i)], [], ">= 1")
        for i in range(n):
            if not self._may_run(k, i):
                continue
            self.binary.append(self._run(k, i))
            for v in graph.inputs[i]:
                self._row([self._run(k, i)], [self._value(k, v), self._remade(k, v)], "<= 0")
        for v in self._main_reads(k):
            self._row([self._value(k, v), self._remade(k, v)], [], ">= 1")
        self._add_memory(k)

    def _used_from(self, k, v):
        """Returns pairs by ascending moment: the last moment to which a name, or a constant 0 or 1, of used(k, v, j) applies."""
        n = self.n
        last = 1 if v in self._main_reads(k) or (v == k + 1 and k < n) else self._value(k + 1, v) if k + 1 < self.stages else 0
        steps = [(n, last)]  # at the main operation
        makers = [v - 1] if v > 0 else []
        for i in reversed(makers + self.readers[v]):
            if self._may_run(k, i):
                steps.append((i, self._used(k, v, i, self._run(k, i), steps[-1][1])))
        return list(reversed(steps))

    def _used(self, k, v, moment, *at_least):
        if 1 in at_least:
            return 1
        name = f"used_{k}_{v}_{moment}"
        self.continuous.append(name)
        for other in at_least:
            if other:
                self._row([name], [other], ">= 0")
        return name

    def _add_memory(self, k):
        graph, n = self.graph, self.n
        used = [self._used_from(k, v) for v in range(n + 1)]
        for moment in [i for i in range(n) if self._may_run(k, i)] + [n]:
            items = [(graph.value_bytes[v], self._value_at(k, v, moment, used[v])) for v in range(n + 1)]
            items += [(graph.tape_bytes[i], self._tape_at(k, i, moment)) for i in range(n)]
            constant = self._gradient_bytes(k, moment == n) + sum(size for size, name in items if name == 1)
            terms = [f"{size} {name}" for size, name in items if size > 0 and name not in (0, 1)]
            if terms:
                self.rows.append((terms, f"<= {self.budget - constant}"))
            elif constant > self.budget:
                self.rows.append(([self._value(0, 0)], ">= 2"))  # no step fits

    def _value_at(self, k, v, moment, used):
        """Whether the value is in memory: a variable, or 0 or 1."""
        if v > k + (moment == self.n and k < self.n):
            return 0  # not made yet
        if v > 0 and moment < v - 1:
            return self._value(k, v)
        return next(name for last, name in used if last >= moment)

    def _tape_at(self, k, i, moment):
        end = 2 * self.n - i
        if k < i or (k == i and moment < self.n) or k > end:
            return 0
        if moment < i:
            return self._tape(k, i)
        return 1 if k == end else self._tape(k + 1, i)

    def _gradient_bytes(self, k, is_main):
        total = 0
        for v in range(self.n + 1):
            created = self.n if v == self.n else 2 * self.n - self.readers[v][-1]
            end = 2 * self.n if v == 0 else 2 * self.n - (v - 1)
            if (created <= k if is_main else created < k) and k <= end:
                total += self.graph.value_bytes[v]
        return total


def _wrapped(name, terms, relation):
    """A row in lines of a length that cbc reads."""
    signed = [term if term.startswith("- ") else f"+ {term}" for term in terms]
    return [f" {name}:", *textwrap.wrap(" ".join(signed), 200, initial_indent="  ", subsequent_indent="  "), f"  {relation}"]


def solve(graph, budget, seconds, folder):
    """Runs cbc, for at most these seconds."""
    program = IntegerProgram(graph, budget)
    problem = folder / "graph.lp"
    problem.write_text(program.text())
    command = ["cbc", str(problem), "-sec", str(seconds), "-solve"]
    log = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    main = program.main_time()
    found = re.search(r"^Objective value:\s+(\S+)", log, re.M)
    is_optimal = "Result - Optimal solution found" in log
    time = main + round(float(found.group(1))) if found else None
    if is_optimal:
        return Solution(time, time)
    bound = re.search(r"^Lower bound:\s+(\S+)", log, re.M)
    return Solution(time, main + float(bound.group(1)) if bound else float(main))
