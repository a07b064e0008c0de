"""Pipelines: the same bits under every schedule, the splitter, timelines; activation managers with every policy."""

import gc
import sys
import threading
import time
import unittest
import weakref

import ckpt
import numpy as np

from test_base import Silent

SAMPLES, WIDTH, BLOCKS = 16, 8, 6


class Slow(ckpt.CustomLayer):
    """y = x; calls a function of the test in its forward."""

    def __init__(self, call=lambda context: None):
        self.call = call

    def output(self, input):
        return input

    def forward(self, context, input, output, tape, workspace):
        self.call(context)
        output[:] = input

    def backward(self, context, input, output, tape, grad_output, grad_input, workspace):
        if grad_input is not None:
            grad_input[:] = grad_output


def make_chain(custom=None):
    chain = ckpt.Chain([ckpt.Layer("in", "linear", WIDTH, WIDTH)])
    for i in range(BLOCKS):
        chain.add(ckpt.Layer(f"g{i}", "gelu"))
        if custom is not None and i == BLOCKS // 2:
            chain.add(ckpt.Layer.custom("custom", custom))
        chain.add(ckpt.Layer(f"l{i}", "linear", WIDTH, WIDTH))
    chain.add(ckpt.Layer("loss", "softmax_cross_entropy"))
    chain.initialize(1)
    return chain


def batch():
    rng = np.random.default_rng(0)
    return rng.standard_normal((SAMPLES, WIDTH)).astype(np.float32), rng.integers(0, WIDTH, SAMPLES).astype(np.int32)


SPEC = (np.float32, (SAMPLES, WIDTH))


class Pipelines(unittest.TestCase):
    def train(self, stages, custom=None, **options):
        x, targets = batch()
        with make_chain(custom) as chain, ckpt.Pipeline(chain, SPEC, stages=stages, micro_batches=4, measured_steps=0, **options) as pipeline:
            optimizer = ckpt.Optimizer.sgd(chain, 0.1)
            losses = []
            for step in range(3):
                losses.append(pipeline.run_losses(x, targets, step=step, seed=5))
                optimizer.step()
            stats = [pipeline.stats(stage) for stage in range(stages)]
            return losses, np.concatenate([p.value.numpy().ravel() for p in chain.parameters()]), stats

    def test_every_schedule_gives_the_same_bits(self):
        losses, parameters, _ = self.train(1)
        self.assertEqual(len(losses[0][1]), 4)
        self.assertAlmostEqual(losses[0][0], sum(losses[0][1]) / 4, places=6)
        for options in (dict(stages=2, order="gpipe"), dict(stages=3, order=ckpt.PipelineOrder.ONE_F_ONE_B),
                        dict(stages=2, order="interleaved", chunks=2), dict(stages=3, begins=[0, 2, 9]),
                        dict(stages=2, policy=ckpt.ActivationPolicy.recompute_all()),
                        dict(stages=2, policy=ckpt.ActivationPolicy.by_strategy(lambda question: question.layer_index % 2 == 0)),
                        dict(stages=2, strategy=ckpt.Strategy.interval(2)), dict(stages=2, threads_per_stage=2, queue_places=1)):
            again, same, stats = self.train(**options)
            self.assertEqual(again, losses, options)
            self.assertTrue(np.array_equal(parameters, same), options)
            self.assertEqual([stage.steps for stage in stats], [3] * options["stages"])

    def test_policy_is_asked(self):
        _, _, stored = self.train(2)
        _, _, recomputed = self.train(2, policy=ckpt.ActivationPolicy.recompute_all())
        self.assertEqual([(s.kept_micro_batches, s.recomputed_micro_batches) for s in stored], [(12, 0)] * 2)
        self.assertEqual([s.recomputed_micro_batches for s in recomputed], [12] * 2)
        self.assertLess(recomputed[0].peak_live_bytes, stored[0].peak_live_bytes)

    def test_check_of_outputs_names_the_layer_where_it_began(self):
        x, targets = batch()
        with make_chain() as chain, ckpt.Pipeline(chain, SPEC, stages=2, micro_batches=4, measured_steps=0, check_finite=True) as pipeline:
            loss, bias = pipeline.run(x, targets), chain.parameters()[3].value.numpy()
            self.assertEqual(chain.parameters()[3].name, "l0.bias")
            bias[1] = np.nan
            with self.assertRaisesRegex(ckpt.OutOfRangeError, "layer 'l0': element 1 of its output for micro-batch 0 is nan"):
                pipeline.run(x, targets)
            bias[1] = 0
            self.assertEqual(pipeline.run(x, targets), loss)

    def test_timeline_and_plans(self):
        x, targets = batch()
        with make_chain() as chain, ckpt.Pipeline(chain, SPEC, stages=2, micro_batches=4, measured_steps=1) as pipeline:
            pipeline.run(x, targets)
            intervals, step_ns = pipeline.timeline()
            kinds = {interval.kind for interval in intervals}
            self.assertLessEqual({ckpt.IntervalKind.FORWARD, ckpt.IntervalKind.BACKWARD}, kinds)
            forwards = {interval.micro_batch for interval in intervals if interval.kind == ckpt.IntervalKind.FORWARD}
            self.assertEqual(forwards, {0, 1, 2, 3})
            self.assertTrue(all(0 <= interval.begin_at_ns <= interval.end_at_ns <= step_ns for interval in intervals))
            self.assertIsInstance(pipeline.trace(), (dict, list))
            begins = pipeline.begins()
            self.assertEqual(begins[0], 0)
            self.assertEqual(len(begins), 2)
            for stage in range(2):
                report = pipeline.schedule(stage).verify(pipeline.profile(stage))
                self.assertEqual(sum(report.peak_bytes), pipeline.stats(stage).peak_live_bytes)
            manager = pipeline.manager(1)
        self.assertEqual(len(manager), 0)  # outlives the pipeline

    def test_splitter(self):
        profile = ckpt.Profile(100)
        for i, seconds in enumerate((4, 1, 1, 1, 1)):
            profile.add_layer(f"l{i}", [ckpt.OptionProfile(forward_seconds=seconds, backward_seconds=seconds)], output_bytes=100)
        self.assertEqual(ckpt.pipeline_split(profile, stages=2), [0, 1])
        self.assertEqual([ckpt.pipeline_in_flight(piece, stages=4, micro_batches=8) for piece in range(4)], [4, 3, 2, 1])
        self.assertEqual([ckpt.pipeline_in_flight(piece, stages=4, micro_batches=8, order="gpipe") for piece in range(4)], [8] * 4)
        with self.assertRaises(ValueError):
            ckpt.pipeline_split(profile, stages=2, order="none")
        with self.assertRaises(ckpt.InvalidArgumentError):
            ckpt.pipeline_split(profile, stages=6)

    def test_errors(self):
        with make_chain() as chain:
            with self.assertRaises(ckpt.OverBudgetError):
                ckpt.Pipeline(chain, SPEC, stages=2, micro_batches=4, budget_bytes=1, measured_steps=0)
            with self.assertRaisesRegex(ckpt.InvalidArgumentError, "micro_batches"):
                ckpt.Pipeline(chain, SPEC, stages=2, micro_batches=5)
            with ckpt.Pipeline(chain, SPEC, stages=2, micro_batches=4, measured_steps=0) as pipeline, self.assertRaises(ckpt.OutOfRangeError):
                pipeline.stats(2)

    def test_a_layer_that_raises_ends_the_step_only(self):
        x, targets = batch()
        fails = [True]

        def call(context):
            if fails[0] and context.micro_batch == 2:
                raise KeyError("two") if fails[0] is True else SystemExit(3)

        with make_chain(Slow(call)) as chain, ckpt.Pipeline(chain, SPEC, stages=3, micro_batches=4, measured_steps=0) as pipeline, Silent() as seen:
            with self.assertRaisesRegex(ckpt.CallbackError, "KeyError: 'two'"):
                pipeline.run(x, targets)
            fails[0] = "exit"
            with self.assertRaisesRegex(ckpt.CallbackError, "SystemExit"):
                pipeline.run(x, targets)
            fails[0] = False
            self.assertGreater(pipeline.run(x, targets), 0)
            self.assertEqual(seen, ["KeyError", "SystemExit"])

    def test_cancel_and_busy_and_the_interpreters_lock(self):
        x, targets = batch()
        entered, go_on = threading.Event(), threading.Event()

        def call(context):
            entered.set()
            go_on.wait()  # set by another thread: run must not hold the GIL

        with make_chain(Slow(call)) as chain, ckpt.Pipeline(chain, SPEC, stages=2, micro_batches=4, measured_steps=0) as pipeline:
            failures = []

            def run():
                try:
                    pipeline.run(x, targets)
                except ckpt.CkptError as error:
                    failures.append(type(error))

            thread = threading.Thread(target=run)
            thread.start()
            entered.wait()
            with self.assertRaises(ckpt.BusyError):
                pipeline.run(x, targets)
            pipeline.cancel()
            go_on.set()
            thread.join()
            self.assertEqual(failures, [ckpt.CancelledError])
            for _ in range(100):  # a step may end before its timeout is checked
                entered.clear()
                go_on.clear()
                timer = threading.Thread(target=lambda: (entered.wait(), go_on.set()))
                timer.start()
                try:
                    pipeline.run(x, targets, timeout=0)
                    timed_out = False
                except TimeoutError:
                    timed_out = True
                entered.set()  # the step may have ended before it reached the layer
                timer.join()
                if timed_out:
                    break
            self.assertTrue(timed_out)
            self.assertGreater(pipeline.run(x, targets), 0)


class Managers(unittest.TestCase):
    def array(self, value, size=100):
        return np.full(size, value, np.float32)

    def test_store_and_get(self):
        clock = ckpt.Clock(7)
        tracker = ckpt.MemoryTracker()
        with ckpt.ActivationManager(name="first", tracker=tracker, clock=clock) as manager:
            manager.begin_step(3)
            array = self.array(1)
            self.assertTrue(manager.store(0, array))
            array[:] = 9  # a copy was kept
            self.assertTrue(manager.store_moved(1, self.array(2)))
            given = ckpt.as_tensor(self.array(3))
            self.assertTrue(manager.store_moved(2, given))
            self.assertTrue(given.closed)
            self.assertEqual(manager.micro_batches(), [0, 1, 2])
            self.assertEqual((manager.memory_usage(), len(manager), 1 in manager, 3 in manager), (1200, 3, True, False))
            self.assertEqual(tracker.stats().current_bytes, 1200)
            kept = manager.get(0)
            self.assertTrue(kept.read_only)
            metadata = manager.metadata(0)
            self.assertEqual(metadata[:6], (0, ckpt.DType.F32, (100,), 400, 1, 7))
            self.assertLess(abs(metadata.stored_utc_ns - time.time_ns()), 60 * 10**9)
            with self.assertRaises(ckpt.NotFoundError):
                manager.metadata(9)
            manager.clear()
            self.assertIsNone(manager.get(0))
            self.assertEqual((len(manager), tracker.stats().current_bytes), (0, 0))
            self.assertTrue(manager)
            self.assertTrue((kept.numpy() == 1).all())

    def test_policies(self):
        kept = {}
        for name, policy in (("store all", ckpt.ActivationPolicy.store_all()),
                             ("recompute all", ckpt.ActivationPolicy.recompute_all()),
                             ("selective", ckpt.ActivationPolicy.selective(3)),
                             ("memory", ckpt.ActivationPolicy.memory_based(1600)),
                             ("strategy", ckpt.ActivationPolicy.by_strategy(lambda question: question.layer_index in (2, 4))),
                             ("automatic", ckpt.ActivationPolicy.automatic())):
            with ckpt.ActivationManager(policy) as manager:
                manager.begin_step(8)
                for micro_batch in range(8):
                    manager.store(micro_batch, self.array(micro_batch))
                kept[name] = manager.micro_batches()
                if name == "automatic":
                    self.assertEqual(manager.policy.kind, ckpt.ActivationPolicyKind.STORE_ALL)
        self.assertEqual(kept, {"store all": list(range(8)), "recompute all": [], "selective": [0, 3, 6, 7],
                                "memory": [0, 5, 6, 7], "strategy": [2, 4], "automatic": list(range(8))})

    def test_policy_changes(self):
        with ckpt.ActivationManager() as manager:
            manager.policy = ckpt.ActivationPolicy.selective(4)
            self.assertEqual((manager.policy.kind, manager.policy.interval), (ckpt.ActivationPolicyKind.SELECTIVE, 4))
            manager.begin_step(6)
            self.assertEqual([manager.should_checkpoint(i) for i in range(6)], [True, False, False, False, True, True])
            with self.assertRaises(ckpt.OutOfRangeError):
                manager.should_checkpoint(6)

    def test_recompute(self):
        calls = []

        def forward(input, micro_batch):
            calls.append(micro_batch)
            return 2 * input.numpy()

        with ckpt.ActivationManager(ckpt.ActivationPolicy.recompute_all(), forward) as manager:
            self.assertFalse(manager.store(0, self.array(1)))
            again = manager.get_or_compute(self.array(4), 0)
            self.assertTrue((again.numpy() == 8).all())
            self.assertTrue((manager.recompute(self.array(5), 1).numpy() == 10).all())
            self.assertEqual(calls, [0, 1])
        with ckpt.ActivationManager() as manager, self.assertRaises(ckpt.InvalidStateError):
            manager.recompute(self.array(1), 0)

    def test_forward_that_fails(self):
        for failure, text in ((lambda input, i: 1 / 0, "ZeroDivisionError"), (lambda input, i: sys.exit(3), "SystemExit"),
                              (lambda input, i: None, "TypeError")):
            with ckpt.ActivationManager(forward=failure) as manager, Silent():
                with self.assertRaisesRegex(ckpt.CallbackError, text):
                    manager.recompute(self.array(1), 0)

    def test_forward_stays_when_every_reference_is_dropped(self):
        class Forward:
            def __call__(self, input, micro_batch):
                return input

        forward = Forward()
        alive = weakref.ref(forward)
        manager = ckpt.ActivationManager(forward=forward)
        del forward
        gc.collect()
        array = self.array(3)
        for i in range(1000):
            self.assertEqual(manager.recompute(array, i).nbytes, 400)
        manager.close()
        gc.collect()
        self.assertIsNone(alive())


if __name__ == "__main__":
    unittest.main()
