"""The Python driver makes the same calls as the library's driver: runs the same schedules, valid and broken, through both, with
callbacks that fail at any call. Compares every call and every item."""

import ctypes
import random
import unittest

import ckpt
from ckpt import DriveFlag, LayerFlag, ScheduleAction


def library():
    """Returns the library that the package has loaded."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        path = next(line.split()[-1] for line in maps if "/libckpt.so" in line)
    return ctypes.CDLL(path)


C = library()
POINTER = ctypes.c_void_p
PLACE = ctypes.POINTER(POINTER)


class Action(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("micro_batch", ctypes.c_int32), ("first", ctypes.c_int64), ("last", ctypes.c_int64),
                ("option", ctypes.c_int32), ("item", ctypes.c_int32), ("tier", ctypes.c_int32), ("slot", ctypes.c_int32),
                ("transfer", ctypes.c_int64), ("reserved", ctypes.c_int64 * 2)]


class Call(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("flags", ctypes.c_uint32), ("first", ctypes.c_int64), ("last", ctypes.c_int64),
                ("option", ctypes.c_int32), ("micro_batch", ctypes.c_int32), ("item", ctypes.c_int32), ("tier", ctypes.c_int32),
                ("slot", ctypes.c_int32), ("reserved", ctypes.c_int32), ("transfer", ctypes.c_int64), ("action", ctypes.c_int64),
                ("layers", ctypes.c_int64), ("reserved2", ctypes.c_int64)]


FIELDS = [name for name, _ in Call._fields_ if not name.startswith("reserved")]
CALL = ctypes.POINTER(Call)
TYPES = {"forward": (POINTER, PLACE), "record": (POINTER, PLACE, PLACE), "backward": (POINTER, POINTER, POINTER, POINTER, PLACE),
         "turn": (POINTER, PLACE), "store": (POINTER,), "load": (PLACE,), "wait": (), "drop": (POINTER,)}
FUNCTIONS = {name: ctypes.CFUNCTYPE(None if name == "drop" else ctypes.c_int32, CALL, *types, POINTER) for name, types in TYPES.items()}


class Callbacks(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("reserved", ctypes.c_uint32)] + list(FUNCTIONS.items())


class Failed(Exception):
    pass


class Log:
    """Records the calls and their items, numbered in the order of creation."""

    def __init__(self, fail_at, needs_output):
        self.lines, self.created, self.fail_at, self.needs_output = [], 0, fail_at, needs_output

    def enter(self, name, call, *items):
        number = sum(line[0] != "drop" for line in self.lines)
        self.lines.append((name, *(int(getattr(call, field)) for field in FIELDS), *items))
        if name != "drop" and number == self.fail_at:
            raise Failed

    def fresh(self):
        self.created += 1
        return self.created

    def gives_output(self, call):
        return not int(call.flags) & DriveFlag.NO_OUTPUT or call.first in self.needs_output


class Item:
    def __init__(self, log):
        self.number = log.fresh()


def number_of(item):
    return 0 if item is None else item.number


class InPython:
    def __init__(self, log):
        self.log = log

    def forward(self, call, x):
        self.log.enter("forward", call, number_of(x))
        return Item(self.log)

    def record(self, call, x):
        self.log.enter("record", call, number_of(x))
        return Item(self.log) if self.log.gives_output(call) else None, Item(self.log)

    def backward(self, call, x, y, tape, grad):
        self.log.enter("backward", call, *map(number_of, (x, y, tape, grad)))
        return Item(self.log)

    def turn(self, call, y):
        self.log.enter("turn", call, number_of(y))
        return Item(self.log)

    def store(self, call, item):
        self.log.enter("store", call, number_of(item))

    def load(self, call):
        self.log.enter("load", call)
        return Item(self.log)

    def wait(self, call):
        self.log.enter("wait", call)

    def drop(self, call, item):
        self.log.enter("drop", call, number_of(item))


def in_c(log):
    """The same callbacks as functions of C; an item is a number."""
    def guarded(name, run):
        def called(call, *arguments):
            given, places = [value or 0 for value in arguments[:-1] if not isinstance(value, PLACE)], [
                place for place in arguments[:-1] if isinstance(place, PLACE)]
            try:
                log.enter(name, call.contents, *given)
                run(call.contents, *places)
            except Failed:
                return 1
            return 0

        return FUNCTIONS[name]((lambda *arguments: called(*arguments) and None) if name == "drop" else called)

    def one(call, place):
        place[0] = log.fresh()

    def record(call, output, tape):
        if log.gives_output(call):
            output[0] = log.fresh()
        tape[0] = log.fresh()

    nothing = lambda call: None
    return {"forward": guarded("forward", one), "record": guarded("record", record), "backward": guarded("backward", one),
            "turn": guarded("turn", one), "store": guarded("store", nothing), "load": guarded("load", one),
            "wait": guarded("wait", nothing), "drop": guarded("drop", nothing)}


def by_c(layers, actions, fail_at, needs_output):
    log = Log(fail_at, needs_output)
    rows = (Action * len(actions))()
    for row, action in zip(rows, actions):
        for name, _ in Action._fields_[:-1]:
            setattr(row, name, int(getattr(action, name)))
    functions = in_c(log)
    table = Callbacks(ctypes.sizeof(Callbacks), 0, *(functions[name] for name in FUNCTIONS))
    schedule, driver, grad = POINTER(), POINTER(), POINTER()
    assert C.ckpt_schedule_create_list(ctypes.c_int64(layers), rows, ctypes.c_int64(len(actions)), ctypes.byref(schedule)) == 0
    assert C.ckpt_driver_create(schedule, ctypes.byref(table), None, None, ctypes.byref(driver)) == 0
    status = C.ckpt_driver_run(driver, POINTER(log.fresh()), ctypes.byref(grad))
    C.ckpt_driver_release(driver)
    C.ckpt_schedule_release(schedule)
    return status, grad.value or 0, log.lines


def by_python(layers, actions, fail_at, needs_output):
    log = Log(fail_at, needs_output)
    grad, status = None, 0
    try:
        driver = ckpt.Driver(ckpt.Schedule(layers, actions), InPython(log))
        grad = driver.run(Item(log))
    except Failed:
        status = -10
    except ckpt.CkptError as error:
        status = int(error.status)
    return status, number_of(grad), log.lines


def actions_of(planner, layers, needs_output):
    flags = LayerFlag.DETERMINISTIC
    profile = ckpt.Profile(100)
    uniform = planner.split(":")[0] in ("revolve", "mixed", "two-level")
    option = ckpt.OptionProfile(tape_bytes=70, forward_seconds=1, backward_seconds=2, has_record=True)
    if uniform:
        profile = ckpt.Profile.uniform(layers, option, flags=flags, output_bytes=100)
    else:
        for layer in range(layers):
            needs = LayerFlag.NEEDS_OUTPUT if layer in needs_output else LayerFlag.NEEDS_INPUT
            profile.add_layer(f"layer{layer}", [option], flags=flags | needs, output_bytes=60 + 37 * layer % 101)
    return list(ckpt.Schedule.create(profile, planner))


class TheSameCalls(unittest.TestCase):
    def compare(self, layers, actions, fail_at, needs_output, what):
        expected = by_c(layers, actions, fail_at, needs_output)
        got = by_python(layers, actions, fail_at, needs_output)
        for number, (a, b) in enumerate(zip(expected[2], got[2])):
            self.assertEqual(a, b, f"{what}: call {number}")
        self.assertEqual(expected, got, what)
        return expected

    def test_planners_and_failures(self):
        needs_output = {2, 5}
        for planner in ("store-all", "recompute-all", "sqrt", "periodic:3", "chain:900", "tapes:900", "chain:1200", "revolve:2",
                        "mixed:3", "two-level:1,3", "two-level:2"):
            uniform = planner.split(":")[0] in ("revolve", "mixed", "two-level")
            needs = set() if uniform else needs_output
            actions = actions_of(planner, 9, needs)
            status, _, lines = self.compare(9, actions, None, needs, planner)
            self.assertEqual(status, 0, planner)
            for fail_at in range(sum(line[0] != "drop" for line in lines)):
                self.assertEqual(self.compare(9, actions, fail_at, needs, f"{planner}, fails at {fail_at}")[0], -10)

    def test_broken_schedules(self):
        random.seed(5)
        seen = {}
        sources = [actions_of(planner, 6, set()) for planner in ("sqrt", "two-level:1,2", "two-level:2", "mixed:2", "store-all")]
        for number in range(3000):
            actions = list(random.choice(sources))
            for _ in range(random.randint(1, 3)):
                at = random.randrange(len(actions) - 1)
                kind = random.randrange(4)
                if kind == 0:
                    del actions[at]
                elif kind == 1:
                    actions.insert(at, random.choice(actions[:-1]))
                elif kind == 2:
                    other = random.randrange(len(actions) - 1)
                    actions[at], actions[other] = actions[other], actions[at]
                else:
                    actions[at] = actions[at]._replace(first=actions[at].first + random.choice((-1, 1)))
                if len(actions) < 3:
                    break
            fail_at = random.choice((None, None, random.randrange(20)))
            status = self.compare(6, actions, fail_at, set(), f"broken schedule {number}")[0]
            seen[status] = seen.get(status, 0) + 1
        self.assertGreater(seen.get(-20, 0), 500, seen)
        self.assertGreater(seen.get(-10, 0), 100, seen)
        self.assertGreater(seen.get(0, 0), 20, seen)


if __name__ == "__main__":
    unittest.main()
