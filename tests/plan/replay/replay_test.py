"""Random schedules on random chains: the library's verifier, by its C API, and the replayer say the same.

    python3 replay_test.py LIBRARY [--schedules N] [--seed S]

Same bytes, times and counts of what keeps the rules; what breaks one is refused by both at the same action.
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
from replayer import DETERMINISTIC, END, IN_PLACE, NO_INPUT_GRADIENT, RULES, OutOfRange, Refused, replay  # noqa: E402

LEAST_SEEN = 20
# A rule that cannot be broken alone: a transfer under way has a slot that cannot be dropped before it is awaited.
NEVER_ALONE = {"end_transfer"}
ALL_RULES = RULES | {"out_of_range": "counts more bytes than INT64_MAX"}
SECONDS = {"step_seconds", "recomputed_seconds", "wait_seconds"}


class Different(Exception):
    pass


def must_be_equal(report, expected, exact):
    """Compares a PlanReport with the replayer's; exact: the chain's seconds add up exactly, so times are equal to the bit."""
    for name, value in vars(expected).items():
        given = getattr(report, name)
        given = list(given) if isinstance(value, list) else given
        if name in SECONDS and not exact:
            # What is waited is a difference of points in time: its error is theirs.
            close = isclose(given, value, rel_tol=1e-12, abs_tol=1e-12 * expected.step_seconds)
        else:
            close = given == value
        if not close:
            raise Different(f"{name} is {given!r} of the library, {value!r} of the replayer")


def compare(library, handle, profile, actions, exact):
    """Both verify the schedule. Returns the rules that it breaks (out_of_range is one), and the report when there are none."""
    status, message, report = library.verify(handle, len(profile.layers), actions)
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
    return set(), expected


def what_was_met(profile, report):
    """What a schedule that keeps the rules had, for the summary."""
    flags = 0
    for layer in profile.layers:
        flags |= layer.flags
    return [name for name, is_so in {
        "uniform chain": profile.uniform,
        "layer in place": flags & IN_PLACE,
        "no input gradient": flags & NO_INPUT_GRADIENT,
        "layer that is not deterministic": any(not layer.flags & DETERMINISTIC for layer in profile.layers),
        "ambient state": any(layer.ambient_bytes for layer in profile.layers),
        "recomputed forwards": report.recomputed_forwards > 0,
        "bytes stored": any(report.stored_bytes),
        "waited for a transfer": report.wait_seconds > 0,
    }.items() if is_so]


def show(profile, actions, error):
    print(f"DIFFERENT: {error}\n  input {profile.input_bytes} uniform {profile.uniform}")
    for index, layer in enumerate(profile.layers):
        print(f"  layer {index}: {layer}")
    for index, tier in enumerate(profile.tiers[1:], 1):
        print(f"  tier {index}: {tier}")
    for index, action in enumerate(actions):
        print(f"  {index}: {action}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--schedules", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--most-shown", type=int, default=3)
    given = parser.parse_args()

    rng = random.Random(given.seed)
    library = Library(given.library)
    seen, alone, kept, different, count = Counter(), Counter(), 0, 0, 0
    kinds, met = Counter(), Counter()
    breaker = Breaker(rng, alone)
    began = time.monotonic()
    while count < given.schedules:
        exact = rng.random() < 0.5
        # Where an action breaks a rule and passes INT64_MAX, either may be said: huge chains have schedules that keep the rules only.
        huge = rng.random() < 0.03
        profile = huge_profile(rng) if huge else random_profile(rng, exact)
        handle = library.profile(profile)
        for _ in range(2):
            valid = keeping(rng, profile)
            for actions in [valid] + [breaker.changed(profile, valid) for _ in range(0 if huge else 2)]:
                count += 1
                try:
                    broken, report = compare(library, handle, profile, actions, exact)
                    if actions is valid and broken and not huge:
                        raise Different(f"made to keep the rules, but refused by both: {broken}")
                except Different as error:
                    different += 1
                    if different <= given.most_shown:
                        show(profile, actions, error)
                    continue
                seen.update(broken)
                if len(broken) == 1:
                    alone.update(broken)
                if not broken:
                    kept += 1
                    kinds.update(action.kind for action in actions)
                    met.update(what_was_met(profile, report))
        library.release_profile(handle)

    print(f"{count} schedules: {kept} keep the rules, {count - kept - different} are refused, {different} differ; "
          f"{time.monotonic() - began:.1f} s")
    print(f"actions of those that keep the rules, by kind: {dict(sorted(kinds.items()))}")
    print(f"had: {dict(met)}")
    print("refused, by rule: alone, with others too")
    for rule, text in ALL_RULES.items():
        print(f"  {alone[rule]:6} {seen[rule]:6}  {text}")
    few = [rule for rule in ALL_RULES if (seen if rule in NEVER_ALONE else alone)[rule] < LEAST_SEEN]
    if few:
        print(f"seen less than {LEAST_SEEN} times: {', '.join(few)}")
    return 1 if different or few else 0


if __name__ == "__main__":
    sys.exit(main())
