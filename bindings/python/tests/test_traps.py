"""Errors of bindings that are hard to notice. Listeners without references, exits inside callables, waiting with the
GIL, and exits during saves are in test_memory, test_async, test_pipeline and test_exit."""

import gc
import threading
import unittest

import ckpt
import numpy as np

SAMPLES, WIDTH = 2, 4


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


class Same(ckpt.CustomLayer):
    def output(self, input):
        return input

    def forward(self, context, input, output, tape, workspace):
        output[:] = input

    def backward(self, context, input, output, tape, grad_output, grad_input, workspace):
        grad_input[:] = grad_output


class Traps(unittest.TestCase):
    def check_flat(self, work, rounds=4, limit=4 << 20):
        """Checks that memory stays flat after two warm-up rounds."""
        for number in range(rounds):
            work()
            gc.collect()
            if number == 1:
                start = resident()
        self.assertLess(resident() - start, limit)

    def test_deep_chains_leave_memory_flat(self):
        depth = 2000
        x = np.ones((SAMPLES, WIDTH), np.float32)
        gradient = np.ones_like(x)

        def work():
            with ckpt.Chain([ckpt.Layer.custom(f"l{i}", Same()) for i in range(depth)]) as chain:
                spec = (np.float32, x.shape)
                profile = chain.profile(spec)
                result = np.zeros_like(x)
                with ckpt.ScheduleExecutor(chain, ckpt.Schedule.create(profile, "periodic:40"), spec) as executor:
                    executor.run(x, output_gradient=gradient, input_gradient=result)
                    self.assertGreater(executor.stats().recomputed_forwards, depth // 2)
                self.assertTrue((result == 1).all())

        self.check_flat(work)

    def test_callables_inside_callables(self):
        strategy = ckpt.Strategy.custom(lambda question: question.layer_index == 7)
        for _ in range(40):  # each calls the previous one: forty nested calls into the library and out of it
            strategy = ckpt.Strategy.custom(
                lambda question, inner=strategy: inner.should_checkpoint(question.layer_name, (question.dtype, question.shape),
                                                                         question.layer_index))
        self.assertTrue(strategy.should_checkpoint("a", ("F32", [4]), 7))
        self.assertFalse(strategy.should_checkpoint("a", ("F32", [4]), 8))

    def test_a_million_callbacks_leave_memory_flat(self):
        answers = [0]

        def decide(question):
            answers[0] += 1
            return True

        strategy, spec = ckpt.Strategy.custom(decide), ("F32", [4])

        def work():
            for i in range(250000):
                strategy.should_checkpoint("layer", spec, i)

        self.check_flat(work)
        self.assertEqual(answers, [1000000])
        with ckpt.WorkerPool(2) as pool:
            self.check_flat(lambda: pool.run(250000, lambda part: None))

    def test_a_million_failures_are_not_kept(self):
        before = ckpt.Strategy.interval(2)
        self.check_flat(lambda: [self.assertRaises(ckpt.CkptError, before.should_checkpoint, "a", ("F32", [-1]), i)
                                 for i in range(20000)])

    def test_threads_of_the_library_keep_their_state(self):
        local, seen = threading.local(), {}

        def part(number):
            local.calls = getattr(local, "calls", 0) + 1
            seen[threading.get_ident()] = local.calls

        with ckpt.WorkerPool(3) as pool:
            for _ in range(50):
                pool.run(30, part)
        self.assertEqual(sum(seen.values()), 1500)  # a new state per callback would lose its values

    def test_numbers_are_64_bits(self):
        tracker = ckpt.MemoryTracker()
        tracker.record_allocation("a", 2**40)
        self.assertEqual(tracker.stats().current_bytes, 2**40)
        with self.assertRaises(OverflowError):
            tracker.record_allocation("a", 2**64)
        with ckpt.Clock(2**62) as clock:
            clock.advance(2**62 - 1)
            self.assertEqual(clock.now(), 2**63 - 1)


if __name__ == "__main__":
    unittest.main()
