"""Random schedules on random chains: the library's verifier, through its C API, and the replayer must agree.

    python3 replay_test.py LIBRARY [--schedules N] [--seed S]

They must agree on bytes, times and counts of valid schedules; an invalid one is refused by both at the same action.
"""

import argparse
import os
import random
import sys
import time
from collections import Counter
from math import isclose

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from chains import Breaker, huge_profile, keeping, random_profile  # noqa: E402
from library import INVALID_ARGUMENT, INVALID_SCHEDULE, OK, OUT_OF_RANGE, Library, index_of  # noqa: E402
from replayer import (DETERMINISTIC, END, IN_PLACE, INT64_MAX, KEEPS_INPUT, KEEPS_OUTPUT, KIND_NAMES,  # noqa: E402
                      NO_INPUT_GRADIENT, RECEIVE, RULES, SEND, OutOfRange, Refused, replay)

LEAST_SEEN = 20
# A rule that is never broken alone: a transfer in progress has a slot that cannot be dropped before it is awaited.
NEVER_ALONE = {"end_transfer"}
ALL_RULES = RULES | {"out_of_range": "counts more bytes than INT64_MAX"}
SECONDS = {"step_seconds", "recomputed_seconds", "wait_seconds"}


class Different(Exception):
    pass


def must_be_placed(reserved, expected, any_own_peak):
    """Compares the reserved bytes of the placement: exactly for tiers above memory, as a lower bound for memory."""
    # A backward's own peak may exceed the sum of its inputs and outputs; the arena is sized for the sum.
    if not any_own_peak and reserved[0] is not None and reserved[0] < expected.peak_bytes[0]:
        raise Different(f"the library reserves {reserved[0]} bytes of memory; {expected.peak_bytes[0]} are live at once")
    for tier, (given, value) in enumerate(zip(reserved, expected.tier_bytes)):
        if tier > 0 and given != (value if value <= INT64_MAX else None):
            raise Different(f"the library reserves {given} bytes of tier {tier}, the replayer {value}")


def must_be_equal(report, expected, exact):
    """Compares a PlanReport with the replayer's; exact: the chain's seconds add up exactly, so times are equal to the bit."""
    for name, value in vars(expected).items():
        if name == "tier_bytes":  # is not in it
            continue
        given = getattr(report, name)
        given = list(given) if isinstance(value, list) else given
        if name in SECONDS and not exact:
            # Waiting time is a difference of points in time, and has their error.
            close = isclose(given, value, rel_tol=1e-12, abs_tol=1e-12 * expected.step_seconds)
        else:
            close = given == value
        if not close:
            raise Different(f"{name}: {given!r} by the library, {value!r} by the replayer")


def compare(library, handle, profile, actions, exact):
    """Verifies the schedule with both. Returns the broken rules (out_of_range is one), and the report if there are none."""
    status, message, report, reserved = library.verify(handle, len(profile.layers), actions)
    end = next(index for index, action in enumerate(actions) if action.kind == END)
    if end + 1 < len(actions):  # there is no such schedule
        if status != INVALID_ARGUMENT or index_of(message) != end:
            raise Different(f"status {status}, {message!r} of the library; END is action {end}, not the last")
        return {"behind_end"}, None
    try:
        expected = replay(profile, actions)
    except Refused as refused:
        if status != INVALID_SCHEDULE or index_of(message) != refused.index:
            raise Different(f"status {status}, {message!r} of the library; the replayer refuses {refused}") from None
        return refused.rules, None
    except OutOfRange as out:
        if status != OUT_OF_RANGE or index_of(message) != out.index:
            raise Different(f"status {status}, {message!r} of the library; out of range at {out} of the replayer") from None
        return {"out_of_range"}, None
    if status != OK:
        raise Different(f"status {status}, {message!r} of the library; the replayer refuses nothing")
    must_be_equal(report, expected, exact)
    must_be_placed(reserved, expected, MET["a backward's own peak"](profile, expected))
    return set(), expected


MET = {
    "uniform chain": lambda profile, report: profile.uniform,
    "layer in place": lambda profile, report: any(layer.flags & IN_PLACE for layer in profile.layers),
    "no input gradient": lambda profile, report: profile.layers[0].flags & NO_INPUT_GRADIENT,
    "layer that is not deterministic": lambda profile, report: not all(layer.flags & DETERMINISTIC for layer in profile.layers),
    "ambient state": lambda profile, report: any(layer.ambient_bytes for layer in profile.layers),
    "recomputed forwards": lambda profile, report: report.recomputed_forwards > 0,
    "bytes stored": lambda profile, report: any(report.stored_bytes),
    "an input that stays": lambda profile, report: profile.flags & KEEPS_INPUT,
    "an output that stays": lambda profile, report: profile.flags & KEEPS_OUTPUT,
    "a backward's own peak": lambda profile, report: any(o.backward_peak_bytes for layer in profile.layers for o in layer.options),
    "waits for transfers": lambda profile, report: report.wait_seconds > 0,
}


def properties(profile, report):
    return [name for name, is_so in MET.items() if is_so(profile, report)]


def show(profile, actions, error):
    print(f"DIFFERENT: {error}\n  input {profile.input_bytes} uniform {profile.uniform} flags {profile.flags} outputs {profile.outputs}")
    for index, layer in enumerate(profile.layers):
        print(f"  layer {index}: {layer} {profile.reads[index] if profile.reads else ''}")
    for index, tier in enumerate(profile.tiers[1:], 1):
        print(f"  tier {index}: {tier}")
    for index, action in enumerate(actions):
        print(f"  {index}: {action}")


class Tally:
    """Counts of the compared schedules and their results."""

    def __init__(self, most_shown, more_rules=None):
        self.most_shown = most_shown
        self.rules = ALL_RULES | (more_rules or {})
        self.count = self.kept = self.different = 0
        self.seen, self.alone = Counter(), Counter()  # rules that were broken, in total and alone
        self.kinds, self.met = Counter(), Counter()
        self.began = time.monotonic()

    def add(self, library, handle, profile, actions, exact, must_keep=False):
        self.count += 1
        try:
            broken, report = compare(library, handle, profile, actions, exact)
            if must_keep and broken:
                raise Different(f"generated as valid, but refused by both: {broken}")
        except Different as error:
            self.different += 1
            if self.different <= self.most_shown:
                show(profile, actions, error)
            return
        self.seen.update(broken)
        if len(broken) == 1:
            self.alone.update(broken)
        if not broken:
            self.kept += 1
            self.kinds.update(KIND_NAMES[action.kind] for action in actions)
            self.met.update(properties(profile, report))

    def print(self):
        refused = self.count - self.kept - self.different
        print(f"{self.count} schedules: {self.kept} are valid, {refused} are refused, {self.different} differ; "
              f"{time.monotonic() - self.began:.1f} s")
        print(f"actions of valid schedules: {dict(self.kinds)}")
        print(f"properties of valid schedules: {dict(self.met)}")
        print("refused, by rule: alone, with others too")
        for rule, text in self.rules.items():
            print(f"  {self.alone[rule]:6} {self.seen[rule]:6}  {text}")

    def seldom(self):
        """Returns the cases that occurred too rarely for a meaningful test."""
        rules = [rule for rule in ALL_RULES if (self.seen if rule in NEVER_ALONE else self.alone)[rule] < LEAST_SEEN]
        kinds = [name for kind, name in KIND_NAMES.items() if kind not in (SEND, RECEIVE) and self.kinds[name] < LEAST_SEEN]
        return rules + kinds + [name for name in MET if self.met[name] < LEAST_SEEN]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--schedules", type=int, default=24000)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--most-shown", type=int, default=3)
    given = parser.parse_args()

    rng = random.Random(given.seed)
    library = Library(given.library)
    tally = Tally(given.most_shown)
    breaker = Breaker(rng, tally.alone)
    while tally.count < given.schedules:
        exact = rng.random() < 0.5
        if rng.random() < 0.03:
            # If an action breaks a rule and exceeds INT64_MAX, either may be reported, so only valid schedules are used.
            profile = huge_profile(rng)
            handle = library.profile(profile)
            tally.add(library, handle, profile, keeping(rng, profile), exact=True)
        else:
            profile = random_profile(rng, exact)
            handle = library.profile(profile)
            for _ in range(2):
                actions = keeping(rng, profile)
                tally.add(library, handle, profile, actions, exact, must_keep=True)
                for _ in range(2):
                    tally.add(library, handle, profile, breaker.changed(profile, actions), exact)
            planner = rng.choice(["store-all", "recompute-all", f"periodic:{rng.randrange(1, len(profile.layers) + 1)}", "chain", "tapes"])
            if planner in ("chain", "tapes"):
                smallest = library.smallest_budget(handle, planner)
                planner += f":{rng.randrange(smallest, 2 * smallest + 1)}"
            tally.add(library, handle, profile, library.planned(handle, planner), exact)
        library.release_profile(handle)

    tally.print()
    if tally.seldom():
        print(f"seen less than {LEAST_SEEN} times: {', '.join(tally.seldom())}")
    return 1 if tally.different or tally.seldom() else 0


if __name__ == "__main__":
    sys.exit(main())
