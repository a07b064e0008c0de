#!/usr/bin/env python3
"""Prints where the time of ./dev goes: its phases, and of each build the slowest targets and tests.

    tools/times.py [--most N] [BUILD]...     build/release, build/asan and build/tsan when none is named

Reads build/times.tsv (phases, written by ./dev), .ninja_log (seconds of each build step, added up by target; the steps of a target run
in parallel) and tests.xml (ctest --output-junit).
"""

import argparse
import collections
import os
import re
import xml.etree.ElementTree as ElementTree


def target_of(output):
    """The target that an output of ninja belongs to."""
    within = re.search(r"CMakeFiles/([^/]+)\.dir/", output)
    return within[1] if within else os.path.basename(output)


def build_seconds(build):
    """Seconds by target, from the newest entry of each output."""
    newest = {}
    with open(os.path.join(build, ".ninja_log"), encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                start, end, _, output, _ = line.rstrip("\n").split("\t")
                newest[output] = (int(end) - int(start)) / 1000
    seconds = collections.Counter()
    for output, spent in newest.items():
        seconds[target_of(output)] += spent
    return seconds


def test_seconds(build):
    """Seconds by test, of the newest run."""
    tests = ElementTree.parse(os.path.join(build, "tests.xml")).getroot().iter("testcase")
    return collections.Counter({test.get("name"): float(test.get("time")) for test in tests})


def table(title, seconds, most):
    print(f"\n{title}: {sum(seconds.values()):.0f} s in {len(seconds)}")
    for name, spent in seconds.most_common(most):
        print(f"  {spent:8.1f}  {name}")


def phases(path):
    print("phases of the last ./dev test:")
    total = 0
    with open(path, encoding="utf-8") as file:
        for line in file:
            name, spent = line.rstrip("\n").split("\t")
            total += int(spent)
            print(f"  {int(spent) // 60:4d} min {int(spent) % 60:02d} s  {name}")
    print(f"  {total // 60:4d} min {total % 60:02d} s  total")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=20)
    parser.add_argument("builds", nargs="*", metavar="BUILD")
    options = parser.parse_args()
    if os.path.exists("build/times.tsv"):
        phases("build/times.tsv")
    for build in options.builds or [f"build/{preset}" for preset in ("release", "asan", "tsan")]:
        if os.path.exists(os.path.join(build, ".ninja_log")):
            table(f"{build}: build targets", build_seconds(build), options.most)
        if os.path.exists(os.path.join(build, "tests.xml")):
            table(f"{build}: tests", test_seconds(build), options.most)


if __name__ == "__main__":
    main()
