"""Strategies of the library and of callables, schedules, cursors."""

import gc
import json
import unittest
import weakref

import ckpt
import numpy as np

ACTIVATION = ("F32", [4, 4])


class Strategies(unittest.TestCase):
    def answers(self, strategy, count=6):
        return [strategy.should_checkpoint(f"layer{i}", ACTIVATION, i) for i in range(count)]

    def test_kinds(self):
        self.assertEqual(self.answers(ckpt.Strategy.interval(3)), [True, False, False] * 2)
        self.assertEqual(self.answers(ckpt.Strategy.selective(["layer*"], ["layer0"]), 2), [False, True])
        self.assertEqual(self.answers(ckpt.Strategy.size_based(64), 1), [True])
        self.assertEqual(self.answers(ckpt.Strategy.size_based(65), 1), [False])
        self.assertEqual(self.answers(ckpt.Strategy.smart(), 3), [False] * 3)
        tracker = ckpt.MemoryTracker()
        self.assertEqual(self.answers(ckpt.Strategy.memory_aware(0.8, tracker, 1000, ckpt.Clock())), [True, False] * 3)
        self.assertEqual(ckpt.Strategy.size_based(1 << 20).name, "SizeBased(1MB)")
        with self.assertRaises(ckpt.InvalidArgumentError):
            ckpt.Strategy.interval(0)

    def test_parts(self):
        selective = ckpt.Strategy.selective(["a*", "b"], ["ab"])
        self.assertEqual((selective.info().kind, selective.info().names_count), ("selective", 2))
        self.assertEqual(selective.patterns(ckpt.StrategyList.NAMES), ["a*", "b"])
        self.assertEqual(selective.patterns(ckpt.StrategyList.EXCLUDED), ["ab"])
        self.assertEqual(selective.patterns(ckpt.StrategyList.RULES), [])
        with self.assertRaises(ckpt.InvalidArgumentError):
            selective.patterns(99)
        first = ckpt.Strategy.first_of([("layer5", selective), ("#0..2", "interval:3")], ckpt.Strategy.size_based(64))
        self.assertEqual(first.patterns(ckpt.StrategyList.RULES), ["layer5", "#0..2"])
        kinds = [child.info().kind for child in first.children()]
        self.assertEqual(kinds[:2], ["selective", "interval"])
        self.assertEqual(first.children()[1].info().interval, 3)
        again = ckpt.Strategy(first.text)
        self.assertEqual(again.text, first.text)
        self.assertEqual(self.answers(again), self.answers(first))
        smart = ckpt.Strategy.smart(["x"], large_factor=3.0, rare_accesses=7).info()
        self.assertEqual((smart.large_factor, smart.rare_accesses, smart.late_share, smart.excluded_count), (3.0, 7, 0.7, 1))
        self.assertTrue(ckpt.Strategy.memory_aware(tracker=ckpt.MemoryTracker()).info().has_tracker)
        with self.assertRaises(ckpt.UnsupportedError):
            ckpt.Strategy.custom(lambda question: True).text
        with self.assertRaisesRegex(TypeError, "unexpected keyword argument 'larg_factor'"):
            ckpt.Strategy.smart(larg_factor=3.0)

    def test_custom_strategies_are_accepted(self):
        class Odd(ckpt.CustomStrategy):
            def should_checkpoint(self, question):
                return question.layer_index % 2 == 1

        self.assertEqual(self.answers(ckpt.Strategy.any_of([Odd(), "interval:3"])), [True, True, False, True, False, True])
        self.assertEqual(self.answers(ckpt.Strategy.all_of([Odd(), lambda question: question.layer_index > 2])),
                         [False, False, False, True, False, True])
        self.assertEqual(self.answers(ckpt.Strategy.not_of(Odd())), [True, False] * 3)
        self.assertEqual(self.answers(ckpt.Strategy.first_of([("layer0", lambda question: True)], Odd()), 3), [True, True, False])
        ckpt.register_strategy("odd", lambda text: Odd())
        try:
            self.assertEqual(self.answers(ckpt.Strategy("odd")), [False, True] * 3)
        finally:
            ckpt.unregister_strategy("odd")
        profile = ckpt.Profile(8)
        for i in range(4):
            profile.add_layer(f"layer{i}", output_bytes=8, dtype="F32", shape=[2])
        by_class, by_call = (
            ckpt.Schedule.from_strategy(profile, given)
            for given in (Odd(), ckpt.Strategy.custom(lambda q: q.layer_index % 2 == 1, "Odd")))
        self.assertEqual(by_class.fingerprint, by_call.fingerprint)
        schedule, changed = ckpt.Follower(profile, Odd()).next()
        self.assertEqual((schedule.fingerprint, changed), (by_class.fingerprint, True))
        manager = ckpt.ActivationManager(ckpt.ActivationPolicy.by_strategy(Odd()))
        self.assertEqual([manager.store(i, bytearray(4)) for i in range(4)], [False, True, False, True])

    def test_composites_and_text(self):
        two, three = ckpt.Strategy.interval(2), ckpt.Strategy.interval(3)
        self.assertEqual(self.answers(ckpt.Strategy.any_of([two, three])), [True, False, True, True, True, False])
        self.assertEqual(self.answers(ckpt.Strategy.all_of([two, three])), [True] + [False] * 5)
        self.assertEqual(self.answers(ckpt.Strategy.not_of(two), 2), [False, True])
        first = ckpt.Strategy.first_of([("layer5", ckpt.Strategy.interval(1))], three)
        self.assertEqual(self.answers(first), [True, False, False, True, False, True])
        self.assertEqual(ckpt.Strategy("any(interval:2,interval:3)").name, "Any(Interval(2), Interval(3))")
        with self.assertRaises(TypeError):
            ckpt.Strategy.any_of([two, ckpt.Clock(1)])
        self.assertIn("memory-aware", ckpt.known_strategies())

    def test_tensor_array_and_reset(self):
        strategy = ckpt.Strategy.interval(2)
        self.assertTrue(strategy.should_checkpoint("x", ckpt.Tensor("F32", [2]), 0))
        self.assertFalse(strategy.should_checkpoint("x", np.zeros(3), 1))
        strategy.observe_access("x")
        self.assertEqual(strategy.counters(), (2, 1, 8))
        strategy.chosen = ckpt.StrategyChosen.RECOMPUTE
        self.assertEqual(strategy.chosen, ckpt.StrategyChosen.RECOMPUTE)
        shared = strategy.share()
        strategy.close()
        shared.reset()
        self.assertEqual(shared.counters().asked_layers, 0)

    def test_callable(self):
        asked = []

        def decide(question):
            asked.append(question)
            return question.layer_index == 1

        strategy = ckpt.Strategy.custom(decide, "Mine")
        self.assertEqual(self.answers(strategy, 3), [False, True, False])
        self.assertEqual(strategy.name, "Mine")
        self.assertEqual(asked[1], (ckpt.DType.F32, "layer1", (4, 4), 64, 1))

    def test_a_custom_class_lives_as_long_as_the_strategy(self):
        class Mine(ckpt.CustomStrategy):  # test_names_of_custom_strategies tests its default name
            resets = 0
            seen = []

            def should_checkpoint(self, question):
                return question.bytes > 10

            def reset(self):
                Mine.resets += 1

            def observe_access(self, layer_name):
                Mine.seen.append(layer_name)

        mine = Mine()
        alive = weakref.ref(mine)
        strategy = ckpt.Strategy.custom(mine)
        del mine
        gc.collect()
        self.assertTrue(strategy.should_checkpoint("a", ACTIVATION, 0))
        strategy.observe_access("a")
        strategy.reset()
        self.assertEqual((Mine.resets, Mine.seen), (1, ["a"]))
        strategy.close()
        gc.collect()
        self.assertIsNone(alive())

    def test_names_of_custom_strategies(self):
        class Mine(ckpt.CustomStrategy):
            def should_checkpoint(self, question):
                return True

        class Named(Mine):
            name = "Every layer"

        class Counted(Mine):
            def __init__(self, count):
                self.name = f"Counted({count})"

        class Computed(Mine):
            @property
            def name(self):
                return "Computed"

        def largest(question):
            return True

        class Callable:
            def __call__(self, question):
                return True

        names = {Mine(): "Mine", Named(): "Every layer", Counted(3): "Counted(3)", Computed(): "Computed", largest: "largest",
                 Callable(): "Callable", (lambda question: True): "Custom"}
        profile = ckpt.Profile(8)
        profile.add_layer("layer0", output_bytes=8, dtype="F32", shape=[2])
        for given, name in names.items():
            with self.subTest(name=name):
                self.assertEqual(ckpt.Strategy.custom(given).name, name)
                self.assertEqual(ckpt.Strategy.custom(given, "Another").name, "Another")
                self.assertEqual(ckpt.Strategy.any_of([given, "interval:2"]).name, f"Any({name}, Interval(2))")
                self.assertIn(name, ckpt.Schedule.from_strategy(profile, given).name)
                self.assertEqual([child.name for child in ckpt.Strategy.any_of([given, "interval:2"]).children()][0], name)
        self.assertEqual(Mine.name, "Mine")
        ckpt.register_strategy("mine", lambda text: Counted(int(text)))
        try:
            self.assertEqual(ckpt.Strategy("mine:5").name, "Counted(5)")
        finally:
            ckpt.unregister_strategy("mine")

    def test_failing_callable(self):
        import sys

        before, sys.unraisablehook = sys.unraisablehook, lambda u: None
        try:
            strategy = ckpt.Strategy.custom(lambda question: [][question.layer_index])
            with self.assertRaisesRegex(ckpt.CallbackError, "IndexError: list index out of range"):
                strategy.should_checkpoint("a", ACTIVATION, 0)
            self.assertEqual(strategy.counters().asked_layers, 0)
        finally:
            sys.unraisablehook = before

    def test_registered_kind(self):
        ckpt.register_strategy("every", lambda text: ckpt.Strategy.interval(int(text)))
        try:
            self.assertEqual(self.answers(ckpt.Strategy("every:2"), 3), [True, False, True])
            with self.assertRaises(ckpt.AlreadyExistsError):
                ckpt.register_strategy("every", lambda text: None)
        finally:
            ckpt.unregister_strategy("every")
        with self.assertRaises(ckpt.NotFoundError):
            ckpt.Strategy("every:2")


class Schedules(unittest.TestCase):
    def profile(self, layers=8):
        profile = ckpt.Profile(100)
        for i in range(layers):
            option = ckpt.OptionProfile(tape_bytes=1000, forward_seconds=1.0, backward_seconds=2.0)
            profile.add_layer(f"l{i}", [option], output_bytes=100, dtype="F32", shape=[5, 5])
        return profile

    def test_profile(self):
        profile = self.profile()
        self.assertEqual((profile.layer_count, profile.input_bytes), (8, 100))
        flags = ckpt.LayerFlag.NEEDS_INPUT | ckpt.LayerFlag.DETERMINISTIC
        self.assertEqual(profile.layer(2), (flags, 100, 0, ckpt.DType.F32, (5, 5)))
        self.assertEqual((profile.layer_name(2), profile.option_count(2)), ("l2", 1))
        self.assertEqual(profile.option(2).tape_bytes, 1000)
        with self.assertRaises(ckpt.OutOfRangeError):
            profile.layer(8)

    def test_frameworks_profile(self):
        profile = self.profile()
        self.assertEqual(profile.flags, 0)
        schedule = ckpt.Schedule.create(profile, "store-all")
        before = schedule.verify(profile).peak_bytes[0]
        profile.flags = ckpt.ProfileFlag.KEEPS_OUTPUT | ckpt.ProfileFlag.OWN_ALLOCATOR
        self.assertEqual(profile.flags, ckpt.ProfileFlag.KEEPS_OUTPUT | ckpt.ProfileFlag.OWN_ALLOCATOR)
        self.assertEqual(schedule.verify(profile).peak_bytes[0], before + 100)
        self.assertEqual(ckpt.Profile.from_json(profile.json()).flags, profile.flags)
        with self.assertRaisesRegex(ckpt.InvalidArgumentError, "flags is 8; unknown bits"):
            profile.flags = 8
        profile.add_layer("last", [ckpt.OptionProfile(backward_peak_bytes=70)], output_bytes=10)
        self.assertEqual(profile.option(8).backward_peak_bytes, 70)

    def test_graph(self):
        profile = ckpt.Profile(10)
        for i, (output_bytes, tape_bytes) in enumerate([(100, 0), (30, 40), (30, 40), (20, 0)]):
            option = ckpt.OptionProfile(tape_bytes=tape_bytes, forward_seconds=1.0, backward_seconds=2.0)
            flags = ckpt.LayerFlag.NEEDS_INPUT | ckpt.LayerFlag.DETERMINISTIC | ckpt.LayerFlag.ADDS_GRADIENT
            profile.add_layer(f"l{i}", [option], output_bytes=output_bytes, flags=flags)
        profile.set_inputs(3, [3, 1], [3])
        profile.set_outputs([4])
        profile.flags = ckpt.ProfileFlag.OWN_ALLOCATOR
        self.assertIn('"inputs":[3,1],"needed_inputs":[3]', profile.json())
        stored = ckpt.Schedule.create(profile, "store-all").verify(profile)
        planned = ckpt.Schedule.create(profile, f"graph:{stored.peak_bytes[0] - 1}").verify(profile)
        self.assertLess(planned.peak_bytes[0], stored.peak_bytes[0])
        self.assertEqual((stored.recomputed_forwards, planned.recomputed_forwards), (0, 1))
        with self.assertRaisesRegex(ckpt.UnsupportedError, "graph:BYTES"):
            ckpt.Schedule.create(profile, "sqrt")
        with self.assertRaisesRegex(ckpt.InvalidArgumentError, r"inputs\[0\] is 3; expected 0 .. 2"):
            profile.set_inputs(2, [3], [])

    def test_program(self):
        profile = self.profile()
        schedule = ckpt.Schedule.create(profile, "recompute-all")
        program = ckpt.Program(schedule, profile)
        self.assertEqual(program.arena_bytes(), schedule.reserved_bytes(profile))
        buffers, operations = program.buffers(), program.operations()
        again = [o for o in operations if o.flags & ckpt.OperationFlag.AGAIN]
        self.assertEqual(len(again), schedule.verify(profile).recomputed_forwards)
        turn = next(o for o in operations if o.kind == ckpt.ActionKind.TURN)
        self.assertEqual((buffers[turn.input].item, buffers[turn.input].index), (ckpt.Item.INPUT, 8))
        self.assertEqual((buffers[0].first, buffers[0].bytes), (-1, 100))
        self.assertEqual(json.loads(program.json())["operations"][0]["kind"], "FORWARD")
        with self.assertRaisesRegex(ckpt.InvalidArgumentError, "tier is 4"):
            program.arena_bytes(4)

    def test_kinds(self):
        profile = self.profile()
        everything = ckpt.Schedule.create(profile, "store-all")
        self.assertEqual(everything.verify(profile).recomputed_forwards, 0)
        nothing = ckpt.Schedule.create(profile, "recompute-all")
        self.assertEqual(nothing.verify(profile).recomputed_forwards, 28)
        cut = ckpt.Schedule.create(profile, "periodic:4")
        same = ckpt.Schedule.segments(profile, [0, 2, 4, 6])
        self.assertEqual(cut.verify(profile).peak_bytes, same.verify(profile).peak_bytes)
        self.assertEqual(ckpt.Schedule.from_strategy(profile, ckpt.Strategy.interval(2)).verify(profile).recomputed_forwards, 6)
        budget = (everything.reserved_bytes(profile) + nothing.reserved_bytes(profile)) // 2
        self.assertLessEqual(ckpt.Schedule.create(profile, f"auto:{budget}").reserved_bytes(profile), budget)
        with self.assertRaises(ckpt.OverBudgetError):
            ckpt.Schedule.create(profile, "auto:1")
        with self.assertRaisesRegex(ckpt.NotFoundError, "known: store-all, recompute-all, periodic:SEGMENTS, sqrt, auto:BYTES"):
            ckpt.Schedule.create(profile, "best")
        self.assertIn("periodic:SEGMENTS", [line.split(" - ")[0] for line in ckpt.known_planners()])
        self.assertEqual(cut.name, "periodic(4)")
        self.assertEqual(cut.layer_count, 8)

    def test_frontier(self):
        profile = self.profile()
        everything = ckpt.Schedule.create(profile, "store-all").verify(profile)
        for planner in "chain", "tapes":
            points = profile.frontier(planner)
            self.assertGreater(len(points), 3)
            self.assertEqual(points, sorted(points, key=lambda point: -point.step_seconds))
            self.assertEqual((points[-1].step_seconds, points[-1].recomputed_forwards), (everything.step_seconds, 0))
            smallest = min(point.reserved_bytes for point in points)
            fitting = ckpt.Schedule.create(profile, f"{planner}:{smallest}")
            self.assertLessEqual(fitting.reserved_bytes(profile), smallest)
            with self.assertRaisesRegex(ckpt.OverBudgetError, f"the smallest that works for this chain is {smallest}"):
                ckpt.Schedule.create(profile, f"{planner}:{smallest - 1}")
        with self.assertRaises(ckpt.NotFoundError):
            profile.frontier("periodic")

    def test_actions_round_trip(self):
        profile = self.profile(3)
        schedule = ckpt.Schedule.create(profile, "periodic:2")
        actions = list(schedule)
        self.assertEqual(actions[-1].kind, ckpt.ActionKind.END)
        self.assertEqual(ckpt.ActionKind.END.text, "END")
        copy = ckpt.Schedule(3, actions)
        self.assertEqual(copy.verify(profile), schedule.verify(profile))
        self.assertEqual(schedule.share().fingerprint, schedule.fingerprint)
        with self.assertRaisesRegex(ckpt.InvalidScheduleError, "0"):
            ckpt.Schedule(3, [ckpt.ScheduleAction(ckpt.ActionKind.BACKWARD, first=0, last=3),
                              ckpt.ScheduleAction(ckpt.ActionKind.END)]).verify(profile)

    def test_cursor(self):
        with ckpt.Schedule.open_ended(2) as schedule:
            self.assertIsNone(schedule.layer_count)
            cursor = schedule.cursor()
        first = cursor.next()
        place = cursor.save()
        second = cursor.next()
        cursor.restore(place)
        self.assertEqual(cursor.next(), second)
        self.assertNotEqual(first, second)
        cursor.finalize(5)
        self.assertEqual(cursor.next_many(10000)[-1].kind, ckpt.ActionKind.END)
        with self.assertRaises(ckpt.CorruptError):
            cursor.restore(b"nonsense")


if __name__ == "__main__":
    unittest.main()
