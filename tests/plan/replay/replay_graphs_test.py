"""Random schedules on random graphs: the library's verifier, through its C API, and the replayer must agree.

    python3 replay_graphs_test.py LIBRARY [--schedules N] [--seed S]

Valid schedules are those of the planners, with further actions in between; the others are changed at one place. Half of all are
refused.
"""

import argparse
import os
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from chains import Breaker  # noqa: E402
from graphs import GRAPH_RULES, Padder, random_graph  # noqa: E402
from library import Library  # noqa: E402
from replay_test import Tally  # noqa: E402

LEAST_BROKEN = 5


def planner_for(rng, library, handle):
    if rng.random() < 0.5:
        return "store-all"
    smallest = library.smallest_budget(handle, "graph")
    return f"graph:{rng.randrange(smallest, 2 * smallest + 1)}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--schedules", type=int, default=2500)
    parser.add_argument("--seed", type=int, default=19)
    parser.add_argument("--most-shown", type=int, default=3)
    given = parser.parse_args()

    rng = random.Random(given.seed)
    library = Library(given.library)
    tally = Tally(given.most_shown, more_rules=GRAPH_RULES)
    breaker = Breaker(rng, tally.alone)
    while tally.count < given.schedules:
        exact = rng.random() < 0.5
        profile = random_graph(rng, exact)
        handle = library.profile(profile)
        planned = library.planned(handle, planner_for(rng, library, handle))
        padder = Padder(rng, profile)
        for number in range(3):
            actions = padder.padded(planned) if number > 0 else planned
            tally.add(library, handle, profile, actions, exact, must_keep=True)
            for _ in range(2 if number > 0 else 1):
                tally.add(library, handle, profile, breaker.changed(profile, actions), exact)
        library.release_profile(handle)

    tally.print()
    seldom = [name for name in GRAPH_RULES if tally.seen[name] < LEAST_BROKEN]
    if seldom:
        print(f"broken less than {LEAST_BROKEN} times: {', '.join(seldom)}")
    return 1 if tally.different or seldom or tally.kept < given.schedules * 2 // 5 else 0


if __name__ == "__main__":
    sys.exit(main())
