"""A driver in Python over custom objects: layers that add and multiply, so that every use of a stale or wrong object is detected,
and callbacks that count every object that they create, take and drop."""

import gc
import math
import random
import sys
import threading
import unittest
import weakref

import ckpt
from ckpt import ActionKind as A, DriveFlag, Item, LayerFlag, ScheduleAction


class Thing:
    """An item; alive until it is dropped or taken."""

    def __init__(self, framework, value):
        self.framework, self.value, self.ended = framework, value, False
        framework.alive.append(self)

    def end(self, how):
        if self.ended:
            raise AssertionError(f"{self.value} ends twice: {how}")
        self.ended = True
        self.framework.alive.remove(self)
        self.framework.ends[how] = self.framework.ends.get(how, 0) + 1


class Framework:
    """Layer k: x -> 3x + k + noise(k) mod p, where a layer's noise must be the same as in its first run; gradient g -> 3g + x or
    y."""

    P = 1_000_003

    def __init__(self, needs=(), fail_at=None):
        self.alive, self.ends, self.calls = [], {}, []
        self.needs = dict(needs)  # layer -> "input", "output"
        self.fail_at = fail_at
        self.slots, self.transfers, self.waited = {}, {}, []
        self.ran, self.order = set(), []

    def count(self, call):
        self.calls.append(call)
        if self.fail_at == len(self.calls) - 1:
            raise KeyError(f"call {self.fail_at}")

    def layers(self, call, value):
        for layer in range(call.first, call.last):
            again = layer in self.ran
            if again != bool(call.flags & DriveFlag.AGAIN):
                raise AssertionError(f"layer {layer}: AGAIN is {call.flags}")
            self.ran.add(layer)
            value = (3 * value + layer + 1) % self.P
        return value

    def forward(self, call, x):
        value = x.value
        if call.flags & DriveFlag.TAKE_INPUT:
            x.end("taken")
        self.count(call)
        return Thing(self, self.layers(call, value))

    def record(self, call, x):
        assert call.last == call.first + 1
        value = x.value
        if call.flags & DriveFlag.TAKE_INPUT:
            x.end("taken")
        self.count(call)
        y = self.layers(call, value)
        gives = not call.flags & DriveFlag.NO_OUTPUT or self.needs.get(call.first) == "output"
        return Thing(self, y) if gives else None, Thing(self, ("tape", call.first, value))

    def backward(self, call, x, y, tape, grad):
        tape.end("taken")
        grad.end("taken")
        if call.flags & DriveFlag.TAKE_INPUT:
            x.end("taken")
        if call.flags & DriveFlag.TAKE_OUTPUT:
            y.end("taken")
        self.count(call)
        need = self.needs.get(call.first)
        assert tape.value[:2] == ("tape", call.first)
        read = tape.value[2]
        if need == "input":
            assert x.value == read
        if need == "output":
            assert y.value == (3 * read + call.first + 1) % self.P
        return Thing(self, (3 * grad.value + read) % self.P)

    def turn(self, call, y):
        self.count(call)
        return Thing(self, y.value)

    def store(self, call, item):
        self.count(call)
        assert (call.tier, call.slot) not in self.slots
        self.slots[call.tier, call.slot] = item.value
        self.transfers[call.transfer] = item

    def load(self, call):
        self.count(call)
        created = Thing(self, self.slots[call.tier, call.slot])
        self.transfers[call.transfer] = created
        return created

    def wait(self, call):
        item = self.transfers.pop(call.transfer)  # exactly once
        assert not item.ended, "a source under copy ended before its AWAIT"
        self.count(call)

    def drop(self, call, item):
        self.order.append(call)
        if item is None:
            assert call.tier >= 1
            del self.slots[call.tier, call.slot]
        else:
            assert call.tier == 0
            item.end("dropped")


def plain(n, x, p=Framework.P):
    xs = [x]
    for layer in range(n):
        xs.append((3 * xs[-1] + layer + 1) % p)
    grad = xs[-1]
    for layer in reversed(range(n)):
        grad = (3 * grad + xs[layer]) % p
    return xs[-1], grad


def schedules(seed=1):
    """Yields (name, schedule, needs) for chains with every kind of need, by every planner, also with tiers."""
    rng = random.Random(seed)
    for n in (1, 2, 3, 5, 9, 14):
        needs = {layer: rng.choice(["input", "output", None]) for layer in range(n)}
        profile = ckpt.Profile(64)
        for layer in range(n):
            flags = {"input": LayerFlag.NEEDS_INPUT, "output": LayerFlag.NEEDS_OUTPUT, None: LayerFlag(0)}[needs[layer]]
            profile.add_layer(f"l{layer}", [ckpt.OptionProfile(tape_bytes=rng.choice([0, 64, 640]), forward_seconds=1e-3,
                                                               backward_seconds=2e-3) for _ in range(rng.choice([1, 2]))],
                              flags=flags | LayerFlag.DETERMINISTIC, output_bytes=64 * rng.randint(1, 4))
        points = [point.reserved_bytes for name in ("chain", "tapes") for point in profile.frontier(name)]
        planners = ["store-all", "recompute-all", "sqrt", f"periodic:{(n + 1) // 2}"]
        planners += [f"{name}:{budget}" for name in ("chain", "tapes") for budget in points if budget >= max(min(points), 1)][:12]
        for planner in planners:
            try:
                yield f"{planner} of {n}", ckpt.Schedule.create(profile, planner), needs
            except ckpt.OverBudgetError:
                pass
        like = ckpt.Profile.uniform(n, ckpt.OptionProfile(64, forward_seconds=1.0, backward_seconds=2.0), output_bytes=64, flags=4)
        like.set_tier(1, write_bytes_per_second=32.0, read_bytes_per_second=32.0)
        for planner in ("revolve:2", "revolve:1", "mixed:2", "two-level:1,3", "two-level:2"):
            yield f"{planner} of {n}", ckpt.Schedule.create(like, planner), {}


def step(kind, first=0, last=0, **fields):
    return ScheduleAction(kind, first=first, last=last, **fields)


def tiers():
    """Returns a schedule of three layers; the tape of layer 0 and its input are stored in tier 1 and loaded, and dropped during the
    copy."""
    return ckpt.Schedule(3, [
        step(A.FORWARD_TAPE, 0, 1),
        step(A.STORE_BEGIN, 0, item=Item.TAPE, tier=1, slot=0, transfer=7),
        step(A.STORE_BEGIN, 0, item=Item.INPUT, tier=1, slot=1, transfer=8),
        step(A.DROP, 0, item=Item.TAPE), step(A.DROP, 0, item=Item.INPUT),
        step(A.FORWARD, 1, 2), step(A.AWAIT, transfer=7), step(A.FORWARD_TAPE, 2, 3),
        step(A.TURN),
        step(A.BACKWARD, 2, 3), step(A.DROP, 3, item=Item.INPUT), step(A.DROP, 2, item=Item.INPUT), step(A.AWAIT, transfer=8),
        step(A.LOAD_BEGIN, 0, item=Item.INPUT, tier=1, slot=1, transfer=8),
        step(A.LOAD_BEGIN, 0, item=Item.TAPE, tier=1, slot=0, transfer=9),
        step(A.RECORD, 1, 2), step(A.STORE_BEGIN, 2, item=Item.GRAD, tier=2, slot=0, transfer=3),
        step(A.BACKWARD, 1, 2), step(A.DROP, 1, item=Item.INPUT), step(A.AWAIT, transfer=3),
        step(A.AWAIT, transfer=9), step(A.AWAIT, transfer=8),
        step(A.DROP, tier=1, slot=0), step(A.DROP, tier=1, slot=1), step(A.DROP, tier=2, slot=0),
        step(A.BACKWARD, 0, 1), step(A.DROP, 0, item=Item.INPUT), step(A.END)])


class Steps(unittest.TestCase):
    def check(self, schedule, needs, n, whole):
        framework = Framework(needs)
        driver = ckpt.Driver(schedule, framework)
        for x in (5, 7):  # the list is read once and driven twice
            framework.ran.clear()
            if whole:
                g0 = driver.run(Thing(framework, x))
            else:
                xn = driver.forward(Thing(framework, x))
                self.assertEqual(xn.value, plain(n, x)[0])
                g0 = driver.backward(Thing(framework, xn.value))
            self.assertEqual(g0.value, plain(n, x)[1])
            self.assertEqual(framework.alive, [g0])
            self.assertEqual((framework.slots, framework.transfers), ({}, {}))
            g0.end("given")
        return framework

    def test_every_planner_gives_the_gradient(self):
        takes = 0
        for name, schedule, needs in schedules():
            with self.subTest(name):
                for whole in (False, True):
                    framework = self.check(schedule, needs, schedule.layer_count, whole)
                takes += sum(bool(call.flags & DriveFlag.TAKE_INPUT) for call in framework.calls)
        self.assertGreater(takes, 100)

    def test_tiers(self):
        framework = self.check(tiers(), {}, 3, False)
        waits = [(call.transfer, call.item) for call in framework.calls if call.kind == A.AWAIT][:5]
        self.assertEqual(waits, [(7, Item.TAPE), (8, Item.INPUT), (3, Item.GRAD), (9, Item.TAPE), (8, Item.INPUT)])
        early = next(at for at, call in enumerate(framework.calls) if call.kind == A.AWAIT and call.transfer == 3)
        self.assertEqual(framework.calls[early + 1].kind, A.BACKWARD)  # it owns what was copied

    def test_calls(self):
        schedule = ckpt.Schedule(4, [
            step(A.FORWARD, 0, 2, slot=5), step(A.FORWARD, 0, 4), step(A.DROP, 2, item=Item.INPUT), step(A.TURN),
            step(A.DROP, 4, item=Item.INPUT), step(A.FORWARD, 0, 3), step(A.RECORD, 3, 4),
            step(A.DROP, 3, item=Item.INPUT), step(A.BACKWARD, 3, 4),
            step(A.FORWARD_TAPE, 0, 3), step(A.DROP, 2, item=Item.INPUT), step(A.BACKWARD, 0, 3), step(A.DROP, 1, item=Item.INPUT),
            step(A.DROP, 3, item=Item.INPUT), step(A.DROP, 0, item=Item.INPUT), step(A.END)])
        framework = self.check(schedule, {}, 4, False)
        seen = [(call.kind, call.first, call.last, int(call.flags), call.action) for call in framework.calls][:11]
        again, silent, take, take_y = 1, 2, 4, 8
        self.assertEqual(seen, [
            (A.FORWARD, 0, 2, 0, 0), (A.FORWARD, 0, 2, again, 1), (A.FORWARD, 2, 4, take, 1), (A.FORWARD, 0, 3, again, 5),
            (A.RECORD, 3, 4, again | silent | take, 6), (A.BACKWARD, 3, 4, 0, 8),
            (A.RECORD, 0, 1, again, 9), (A.RECORD, 1, 2, again, 9), (A.RECORD, 2, 3, again | take, 9),
            (A.BACKWARD, 2, 3, 0, 11), (A.BACKWARD, 1, 2, 0, 11)])
        self.assertEqual(int(framework.calls[11].flags), take | take_y)
        self.assertEqual((framework.calls[0].slot, framework.calls[0].layers), (5, 4))

    def test_open_ended(self):
        for period in (0, 1, 3):
            schedule = ckpt.Schedule.open_ended(period, LayerFlag.NEEDS_INPUT | LayerFlag.DETERMINISTIC)
            framework = Framework()
            driver = ckpt.Driver(schedule, framework)
            for n in (1, 4, 7):
                framework.ran.clear()
                reached = lambda call, x: driver.finalize(n) if call.last == n and not call.flags & DriveFlag.AGAIN else None
                callbacks = {name: (lambda call, x, name=name: (reached(call, x), getattr(framework, name)(call, x))[1])
                             for name in ("forward", "record")}
                driver = ckpt.Driver(schedule, framework, **callbacks)
                xn = driver.forward(Thing(framework, 9))
                with self.assertRaises(ckpt.InvalidStateError):
                    driver.finalize(n)
                g0 = driver.backward(Thing(framework, xn.value))
                self.assertEqual(g0.value, plain(n, 9)[1])
                framework.ran.clear()
                g0.end("given")
                plainly = ckpt.Driver(schedule, framework)
                plainly.finalize(n)
                with self.assertRaises(ckpt.InvalidStateError):
                    plainly.finalize(n)
                g0 = plainly.run(Thing(framework, 9))
                self.assertEqual((g0.value, framework.alive), (plain(n, 9)[1], [g0]))
                g0.end("given")
        with self.assertRaises(ckpt.InvalidStateError):
            ckpt.Driver(tiers(), Framework()).finalize(3)
        with self.assertRaises(ckpt.InvalidArgumentError):
            plainly.finalize(0)

    def test_taken_items_are_not_referenced(self):
        class Big:
            pass

        seen = []

        def forward(call, x):
            alive = weakref.ref(x)
            taken = bool(call.flags & DriveFlag.TAKE_INPUT)
            del x
            seen.append((taken, alive() is None))
            return Big()

        schedule = ckpt.Schedule(3, [step(A.FORWARD, 0, 1), step(A.FORWARD, 1, 2), step(A.DROP, 1, item=Item.INPUT),
                                     step(A.ADVANCE, 2, 3), step(A.TURN), step(A.END)])
        driver = ckpt.Driver(schedule, forward=forward)
        driver.forward(Big())
        driver.cancel()
        if sys.version_info >= (3, 11):
            self.assertEqual(seen, [(False, False), (True, True), (True, True)])


class Failures(unittest.TestCase):
    def test_each_callback_fails_once_at_each_call(self):
        cases = [*list(schedules(2))[::5], ("tiers", tiers(), {})]
        for name, schedule, needs in cases:
            good = Framework(needs)
            ckpt.Driver(schedule, good).run(Thing(good, 5))
            for at in range(len(good.calls)):
                framework = Framework(needs, fail_at=at)
                driver = ckpt.Driver(schedule, framework)
                with self.subTest(name, at=at), self.assertRaisesRegex(KeyError, f"call {at}"):
                    driver.run(Thing(framework, 5))
                self.assertEqual((framework.alive, framework.slots, framework.transfers), ([], {}, {}))
                self.assertEqual(driver.failure.call, framework.calls[at])
                self.assertIsInstance(driver.failure.error, KeyError)
                framework.fail_at = None
                framework.ran.clear()
                self.assertEqual(driver.run(Thing(framework, 5)).value, plain(schedule.layer_count, 5)[1])
                self.assertIsNone(driver.failure)

    def test_the_newest_item_is_dropped_first(self):
        framework = Framework(fail_at=3)
        schedule = ckpt.Schedule(4, [step(A.FORWARD_TAPE, 0, 4), step(A.TURN), step(A.BACKWARD, 0, 4), step(A.END)])
        with self.assertRaises(KeyError):
            ckpt.Driver(schedule, framework).forward(Thing(framework, 1))
        self.assertEqual([(call.item, call.first) for call in framework.order],
                         [(Item.TAPE, 2), (Item.INPUT, 3), (Item.TAPE, 1), (Item.INPUT, 2), (Item.TAPE, 0),
                          (Item.INPUT, 1), (Item.INPUT, 0)])

    def check_invalid(self, message, layers=3, **callbacks):
        framework = Framework()
        schedule = ckpt.Schedule.create(ckpt.Profile.uniform(layers, output_bytes=64), "store-all")
        driver = ckpt.Driver(schedule, framework, **callbacks)
        with self.assertRaisesRegex(ckpt.CallbackError, message):
            driver.run(Thing(framework, 3))
        self.assertIsNone(driver.failure.error)
        return framework, driver.failure.call

    def test_invalid_results(self):
        created = Thing(Framework(), 3)
        _, call = self.check_invalid(r"RECORD of layer 0\): returned no handle for INPUT\(1\)", record=lambda call, x: (None, None))
        self.assertEqual((call.kind, call.first), (A.RECORD, 0))
        self.check_invalid(r"returned the handle of the live INPUT\(0\) for INPUT\(1\)", record=lambda call, x: (x, None))
        self.check_invalid(r"returned the handle of the live TAPE\(0, option 0\) for INPUT\(1\)", record=lambda call, x: (created, created))
        self.check_invalid("expected a tuple of output and tape, returned a NoneType", record=lambda call, x: None)
        live = []
        self.check_invalid(r"returned the handle of the live INPUT\(0\) for GRAD\(2\)", backward=lambda *call: live[0],
                 record=lambda call, x: (live.append(x), (Thing(x.framework, 0), Thing(x.framework, 0)))[1])
        for name in ("record", "backward", "turn"):
            class Lacks(Framework):
                pass
            setattr(Lacks, name, None)
            framework = Lacks()
            driver = ckpt.Driver(ckpt.Schedule.create(ckpt.Profile.uniform(2, output_bytes=64), "store-all"), framework)
            with self.assertRaisesRegex(ckpt.CallbackError, f"the callback for it is missing"):
                driver.run(Thing(framework, 1))
            self.assertEqual(framework.alive, [])
        with self.assertRaisesRegex(TypeError, "forward: expected a callable, found 3"):
            ckpt.Driver(tiers(), forward=3)

    def test_a_live_gradient(self):
        framework = Framework()
        schedule = ckpt.Schedule.create(ckpt.Profile.uniform(2, output_bytes=64), "store-all")
        driver = ckpt.Driver(schedule, framework)
        xn = driver.forward(Thing(framework, 1))
        with self.assertRaisesRegex(ckpt.InvalidArgumentError, "gn is the handle of another live item"):
            driver.backward(xn)
        driver.backward(Thing(framework, 1)).end("given")
        self.assertEqual(framework.alive, [])
        driver = ckpt.Driver(schedule, framework, turn=lambda call, y: y)
        framework.ran.clear()
        with self.assertRaisesRegex(ckpt.CallbackError, "returned a live handle"):
            driver.run(Thing(framework, 1))
        self.assertEqual(framework.alive, [])

    def test_absent_gradients_and_tapes(self):
        schedule = ckpt.Schedule.create(ckpt.Profile.uniform(2, output_bytes=64), "store-all")
        seen = []
        driver = ckpt.Driver(schedule, record=lambda call, x: (object(), None),
                             backward=lambda call, *rest: seen.append(rest[2:]),
                             drop=lambda call, item: self.assertIsNotNone(item))
        driver.forward(object())
        self.assertIsNone(driver.backward(None))
        self.assertEqual(seen, [(None, None)] * 2)

    def test_broken_schedules(self):
        end, turn = step(A.END), step(A.TURN)
        for actions, message in (
                ([step(A.FORWARD, 1, 2), turn, end], r"action 0 \(FORWARD\): INPUT\(1\) does not exist"),
                ([step(A.FORWARD, 0, 9), turn, end], r"layers \[0, 9\): expected a range within the chain"),
                ([step(A.FORWARD, 0, 2), step(A.FORWARD, 0, 2), turn, end], r"action 1 .*INPUT\(2\) exists already"),
                ([step(A.FORWARD, 0, 2), turn, end], "layer 0 has not run backward"),
                ([step(A.FORWARD_TAPE, 0, 2), turn, step(A.BACKWARD, 0, 2), end], r"INPUT\(2\) still exists at END"),
                ([step(A.FORWARD, 0, 1), turn, end], r"TURN\): INPUT\(2\) does not exist"),
                ([end], "the step ends without a TURN"),
                ([step(A.RECORD, 0, 2), turn, end], r"layers \[0, 2\): expected one layer"),
                ([step(A.FORWARD, 0, 2), turn, turn, end], r"action 2 \(TURN\): the step contains a second TURN"),
                ([step(A.AWAIT, transfer=3), end], "transfer 3 is not in progress"),
                ([step(A.STORE_BEGIN, 0, item=Item.INPUT, tier=1), step(A.ADVANCE, 0, 2), end], "would be overwritten"),
                ([step(A.STORE_BEGIN, 0, item=Item.INPUT, tier=1), step(A.STORE_BEGIN, 0, item=Item.INPUT, tier=1, transfer=1),
                  end], "slot 0 of tier 1 is occupied"),
                ([step(A.STORE_BEGIN, 0, item=Item.INPUT, tier=1), step(A.LOAD_BEGIN, 0, item=Item.INPUT, tier=1, transfer=1),
                  end], "is being stored"),
                ([step(A.STORE_BEGIN, 0, item=Item.INPUT, tier=1), step(A.DROP, tier=1), end], "has a transfer in progress"),
                ([step(A.STORE_BEGIN, 0, item=Item.INPUT, tier=4), end], "tier is 4; expected 1 .. 3"),
                ([step(A.STORE_BEGIN, 0, item=Item.INPUT, tier=1), step(A.FORWARD, 0, 2), turn, end],
                 "transfer 0 was not awaited")):
            framework = Framework()
            with self.subTest(message), self.assertRaisesRegex(ckpt.InvalidScheduleError, message):
                ckpt.Driver(ckpt.Schedule(2, actions), framework).run(Thing(framework, 1))
            self.assertEqual((framework.alive, framework.slots, framework.transfers), ([], {}, {}))

    def test_cancel_and_states(self):
        framework = Framework()
        driver = ckpt.Driver(tiers(), framework)
        driver.cancel()
        with self.assertRaises(ckpt.InvalidStateError):
            driver.backward(Thing(Framework(), 1))
        with self.assertRaises(ckpt.InvalidArgumentError):
            driver.forward(None)
        driver.forward(Thing(framework, 1))
        with self.assertRaises(ckpt.InvalidStateError):
            driver.forward(Thing(Framework(), 1))
        other = threading.Thread(target=driver.cancel)
        other.start()
        other.join()
        self.assertEqual((framework.alive, framework.slots, framework.transfers), ([], {}, {}))
        framework.ran.clear()
        within = []

        def forward(call, x):
            for method in (driver.forward, driver.backward, driver.run):
                with self.assertRaisesRegex(ckpt.InvalidStateError, "within it"):
                    method(x)
            driver.cancel()
            within.append(call)
            return framework.forward(call, x)

        driver = ckpt.Driver(tiers(), framework, forward=forward)
        with self.assertRaises(ckpt.CancelledError):
            driver.run(Thing(framework, 1))
        self.assertEqual((len(within), framework.alive, framework.slots, framework.transfers), (1, [], {}, {}))
        self.assertIsNone(driver.failure)
        framework.ran.clear()
        with ckpt.Driver(tiers(), framework) as driver:
            driver.forward(Thing(framework, 1))
        self.assertEqual(framework.alive, [])
        framework.ran.clear()
        driver = ckpt.Driver(tiers(), framework)
        driver.forward(Thing(framework, 1))
        del driver
        gc.collect()
        self.assertEqual(framework.alive, [])

    def test_a_graph(self):
        class Box:
            def __init__(self, value):
                self.value = value
                live.add(self)

        class Sums:
            """Layer i computes the sine of its first input, plus the others."""

            def __init__(self):
                self.calls, self.most = 0, 0

            def forward_n(self, call, inputs):
                self.calls += 1
                first, *others = [box.value for box in inputs]
                inputs.clear()
                output = Box(math.sin(first) + sum(others))
                self.most = max(self.most, len(live))
                return output

            def record_n(self, call, inputs):
                cosine = math.cos(inputs[0].value)
                return self.forward_n(call, inputs), Box(cosine)

            def backward_n(self, call, inputs, output, tape, grad_output, sums):
                parts = [grad_output.value * tape.value] + [grad_output.value] * (len(sums) - 1)
                for number, part in enumerate(parts):
                    if sums[number] is None:
                        sums[number] = Box(part)
                    else:
                        sums[number].value += part
                return self.gradients(sums)

            def gradients(self, sums):
                return sums

            def turn(self, call, output):
                return Box(1.0)

        live = weakref.WeakSet()
        profile = ckpt.Profile(64)
        for layer in range(12):
            profile.add_layer(f"layer{layer}", [ckpt.OptionProfile(tape_bytes=640, forward_seconds=1, backward_seconds=1)],
                              flags=ckpt.LayerFlag.DETERMINISTIC, output_bytes=64)
        for layer in range(2, 12):
            profile.set_inputs(layer, [layer, layer - 2], [])
        store_all = ckpt.Schedule.create(profile, "store-all")
        results = []
        for planner in ("store-all", f"graph:{store_all.reserved_bytes(profile) * 6 // 10}"):
            framework = Sums()
            with ckpt.Driver(ckpt.Schedule.create(profile, planner), framework) as driver:
                results.append((driver.run(Box(0.5)).value, framework.calls, framework.most))
            self.assertEqual(len(live), 0)
        self.assertEqual(results[0][0], results[1][0])
        self.assertGreater(results[1][1], results[0][1])
        self.assertLess(results[1][2], results[0][2])

        class Short(Sums):
            def gradients(self, sums):
                return sums[1:]

        class Failing(Sums):
            def gradients(self, sums):
                raise LookupError("no gradients")

        for framework, error, message in ((Short(), ckpt.CallbackError, "expected 2 gradients, returned 1"),
                                      (Failing(), LookupError, "no gradients")):
            with ckpt.Driver(store_all, framework) as driver:
                with self.assertRaisesRegex(error, message):
                    driver.run(Box(0.5))
            self.assertEqual(len(live), 0)

    def test_a_callback_closes_its_driver(self):
        framework = Framework()

        def turn(call, y):
            driver.close()
            return framework.turn(call, y)

        driver = ckpt.Driver(tiers(), framework, turn=turn)
        try:
            driver.run(Thing(framework, 1)).end("given")
        except ckpt.CkptError:
            pass
        self.assertEqual((framework.alive, framework.slots, framework.transfers), ([], {}, {}))
        with self.assertRaisesRegex(ckpt.InvalidStateError, "the Driver is closed"):
            driver.run(Thing(Framework(), 1))

        def record(call, x):
            driver.close()
            raise KeyError("closed")

        framework = Framework()
        driver = ckpt.Driver(ckpt.Schedule.create(ckpt.Profile.uniform(2, output_bytes=64), "store-all"), framework, record=record)
        with self.assertRaisesRegex(KeyError, "closed"):
            driver.forward(Thing(framework, 1))
        self.assertEqual(framework.alive, [])

    def test_a_drop_that_raises_is_reported(self):
        reported = []
        before, sys.unraisablehook = sys.unraisablehook, lambda what: reported.append(what.exc_value)
        try:
            framework = Framework()

            def drop(call, item):
                framework.drop(call, item)
                raise ValueError("drop")

            g0 = ckpt.Driver(tiers(), framework, drop=drop).run(Thing(framework, 1))
        finally:
            sys.unraisablehook = before
        self.assertEqual(framework.alive, [g0])
        self.assertGreater(len(reported), 3)


if __name__ == "__main__":
    unittest.main()
