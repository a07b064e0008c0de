"""Fails on include cycles of more than two files (a source file counts as its header), and on folders that include each other
and are not in FOLDERS.

include_cycles.py SOURCES
"""

import os
import re
import sys

LARGEST = 2
FOLDERS = {("base", "base/os"), ("plan", "plan/planners")}  # pairs that include each other


def units(sources):
    """Returns the includes of each unit, by its path without extension."""
    found = {}
    for folder, _, names in os.walk(sources):
        for name in names:
            if name.endswith((".h", ".cpp")):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    included = re.findall(r'^#include "([^"]+)\.h"', file.read(), re.MULTILINE)
                found.setdefault(os.path.splitext(os.path.relpath(path, sources))[0], set()).update(included)
    return {unit: {other for other in included if other in found and other != unit} for unit, included in found.items()}


def reached(graph, start):
    seen, left = set(), [start]
    while left:
        for other in graph[left.pop()] - seen:
            seen.add(other)
            left.append(other)
    return seen


def circles(graph):
    """Returns the strongly connected components of the graph."""
    reach = {node: reached(graph, node) for node in graph}
    return sorted({tuple(sorted({node} | {other for other in reach[node] if node in reach[other]})) for node in graph
                   if node in reach[node]})


def folders(graph):
    pairs = {(os.path.dirname(unit), os.path.dirname(other)) for unit, included in graph.items() for other in included}
    return {(a, b) for a, b in pairs if a < b and (b, a) in pairs}


def problems(graph):
    return [f"{len(circle)} files include each other: {', '.join(circle)}" for circle in circles(graph) if len(circle) > LARGEST] + \
        [f"{a} and {b} include each other" for a, b in sorted(folders(graph) - FOLDERS)]


def main(sources):
    seen = problems({"a/x": {"a/y"}, "a/y": {"b/z"}, "b/z": {"a/x"}, "b/w": set()})
    assert len(seen) == 2 and seen[0].startswith("3 files") and seen[1] == "a and b include each other", seen
    graph = units(sources)
    assert len(graph) > 200, len(graph)
    found = problems(graph)
    print(f"{len(graph)} files, {len(circles(graph))} cycles of two")
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
