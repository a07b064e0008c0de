"""Chains, the executor under a budget, custom layers."""

import gc
import os
import platform
import subprocess
import sys
import tempfile
import textwrap
import unittest

import ckpt
import numpy as np

SAMPLES, WIDTH = 4, 6


class Doubling(ckpt.CustomLayer):
    """y = 2 x, with one byte of tape to see that it comes back."""

    def __init__(self):
        self.calls = []

    def output(self, input):
        return input

    def option(self, input, option):
        return (1, 0, 0)

    def forward(self, context, input, output, tape, workspace):
        self.calls.append(context.recomputation)
        x = np.frombuffer(input, np.float32)
        np.frombuffer(output, np.float32)[:] = 2 * x
        if tape is not None:
            tape[0] = 7

    def backward(self, context, input, output, tape, grad_output, grad_input, workspace):
        assert tape[0] == 7
        np.frombuffer(grad_input, np.float32)[:] = 2 * np.frombuffer(grad_output, np.float32)


class Picking(ckpt.CustomLayer):
    """The loss: the mean over the samples of -x[target]. Exact in 32 bits for the numbers of these tests."""

    def __init__(self):
        self.contexts, self.kept, self.threads, self.parts, self.asked = [], [], 0, [], 0

    def output(self, input):
        return ("F32", [1])

    def option(self, input, option):
        self.asked += 1
        return (4, 8, 12)

    def targets(self, context):
        self.contexts.append(context)
        self.kept.append(context.targets.share())
        self.threads = context.pool.thread_count
        context.pool.run(3, self.parts.append)
        context.pool.close()  # has no effect
        return np.asarray(context.targets)

    def forward(self, context, input, output, tape, workspace):
        assert len(workspace) == 8 and (tape is None or len(tape) == 4)
        targets, x = self.targets(context), np.frombuffer(input, np.float32).reshape(context.input[1])
        np.frombuffer(output, np.float32)[0] = -x[np.arange(len(x)), targets].mean()

    def backward(self, context, input, output, tape, grad_output, grad_input, workspace):
        assert len(workspace) == 12 and len(tape) == 4
        targets, dx = self.targets(context), np.frombuffer(grad_input, np.float32).reshape(context.input[1])
        dx[:] = 0
        dx[np.arange(len(dx)), targets] = -np.frombuffer(grad_output, np.float32)[0] / len(dx)


class Twice(ckpt.CustomLayer):
    """y = 2 x."""

    def output(self, input):
        return input

    def forward(self, context, input, output, tape, workspace):
        np.frombuffer(output, np.float32)[:] = 2 * np.frombuffer(input, np.float32)

    def backward(self, context, input, output, tape, grad_output, grad_input, workspace):
        np.frombuffer(grad_input, np.float32)[:] = 2 * np.frombuffer(grad_output, np.float32)


class Nothing(Twice):
    """A layer that gets no targets."""

    def forward(self, context, input, output, tape, workspace):
        assert context.targets is None and context.pool.thread_count >= 1
        super().forward(context, input, output, tape, workspace)


class Recording(ckpt.CustomLayer):
    """y = x^2, with x as the tape."""

    flags = ckpt.LayerFlag.DETERMINISTIC

    def __init__(self):
        self.calls = []

    def output(self, input):
        return input

    def option(self, input, option):
        return (24, 8, 0)

    def forward(self, context, input, output, tape, workspace):
        self.calls.append("forward")
        np.frombuffer(output, np.float32)[:] = np.frombuffer(input, np.float32) ** 2
        if tape is not None:
            tape[:] = input

    def backward(self, context, input, output, tape, grad_output, grad_input, workspace):
        np.frombuffer(grad_input, np.float32)[:] = 2 * np.frombuffer(tape, np.float32) * np.frombuffer(grad_output, np.float32)


class RecordingApart(Recording):
    def record(self, context, input, tape, workspace):
        assert context.recomputation and len(workspace) == 8
        self.calls.append("record")
        tape[:] = input


def make_chain():
    chain = ckpt.Chain([ckpt.Layer("a", "linear", WIDTH, WIDTH), ckpt.Layer("g", "gelu"), ckpt.Layer("b", "linear", WIDTH, WIDTH),
                        ckpt.Layer("r", "relu"), ckpt.Layer("d", "dropout:0.1"), ckpt.Layer("c", "linear", WIDTH, 3),
                        ckpt.Layer("loss", "softmax_cross_entropy")])
    chain.initialize(1)
    return chain


class Training(unittest.TestCase):
    def train(self, planner, steps=5, in_one_pass=False):
        rng = np.random.default_rng(0)
        x = rng.standard_normal((SAMPLES, WIDTH)).astype(np.float32)
        targets = rng.integers(0, 3, SAMPLES).astype(np.int32)
        with make_chain() as chain:
            spec = (np.float32, x.shape)
            profile = chain.profile(spec)
            tracker = ckpt.MemoryTracker()
            with ckpt.ScheduleExecutor(chain, ckpt.Schedule.create(profile, planner), spec, tracker=tracker) as executor:
                optimizer = ckpt.Optimizer.adamw(chain, learning_rate=0.01)
                losses = []
                for step in range(steps):
                    losses.append(executor.run(x, targets, step=step, seed=3, accumulate=in_one_pass))
                    if in_one_pass:
                        self.assertGreater(optimizer.step_and_zero(1.0), 0)
                        self.assertFalse(any(p.gradient.numpy().any() for p in chain.parameters()))
                    else:
                        chain.clip_gradients(1.0)
                        optimizer.step()
                stats = executor.stats()
            self.assertEqual(optimizer.step_count, steps)
            self.assertEqual(len(optimizer.tensors()), 2 * len(chain.parameters()))
            optimizer.step_count = 9
            self.assertEqual(optimizer.step_count, 9)
            return losses, [p.value.numpy().copy() for p in chain.parameters()], stats

    def test_budget_gives_the_same_bits(self):
        losses, stored, stats = self.train("store-all")
        again, recomputed, less = self.train("recompute-all")
        self.assertEqual(losses, again)
        self.assertLess(losses[-1], losses[0])
        for a, b in zip(stored, recomputed):
            self.assertTrue(np.array_equal(a, b))
        self.assertEqual(stats.recomputed_forwards, 0)
        self.assertGreater(less.recomputed_forwards, 0)

    def test_a_graph_gives_the_same_bits_within_a_budget(self):
        rng = np.random.default_rng(1)
        x = rng.standard_normal((SAMPLES, 4)).astype(np.float32)
        targets = rng.integers(0, 3, SAMPLES).astype(np.int32)
        with ckpt.Chain() as chain:
            chain.add(ckpt.Layer("in", "linear", 4, 16)).add(ckpt.Layer("hidden", "linear", 16, 16), [1])
            chain.add(ckpt.Layer("gelu", "gelu")).add(ckpt.Layer("skip", "add"), [3, 1])
            chain.add(ckpt.Layer("both", "concatenate"), (1, 4)).add(ckpt.Layer("out", "linear", 32, 3))
            with self.assertRaisesRegex(ckpt.InvalidArgumentError, r"inputs\[1\] is 7; expected 0 .. 6"):
                chain.add(ckpt.Layer("late", "add"), [6, 7])
            chain.add(ckpt.Layer("loss", "softmax_cross_entropy")).initialize(1)
            self.assertEqual(len(chain), 7)
            spec = (np.float32, x.shape)
            profile = chain.profile(spec)
            most = ckpt.Schedule.create(profile, "store-all").reserved_bytes(profile)
            results = []
            for planner in ("store-all", f"graph:{most * 9 // 10}"):
                with ckpt.ScheduleExecutor(chain, ckpt.Schedule.create(profile, planner), spec) as executor:
                    loss = executor.run(x, targets)
                    gradients = [p.gradient.numpy().tobytes() for p in chain.parameters()]
                    results.append((loss, gradients, executor.stats()))
            self.assertEqual(results[0][:2], results[1][:2])
            self.assertGreater(results[1][2].recomputed_forwards, 0)
            self.assertLessEqual(results[1][2].reserved_bytes, most * 9 // 10)

    def test_one_pass_over_the_parameters_gives_the_same_bits(self):
        losses, apart, _ = self.train("store-all")
        again, at_once, _ = self.train("store-all", in_one_pass=True)
        self.assertEqual(losses, again)
        for a, b in zip(apart, at_once):
            self.assertTrue(np.array_equal(a, b))
        with make_chain() as chain:
            optimizer = ckpt.Optimizer.sgd(chain, 0.1)
            self.assertEqual(optimizer.step_and_zero(), 0)
            with self.assertRaisesRegex(ckpt.InvalidArgumentError, "max_norm is 0"):
                optimizer.step_and_zero(0)
            chain.parameters()[0].gradient.numpy().fill(np.inf)
            with self.assertRaisesRegex(ckpt.OutOfRangeError, "norm of the gradients is inf"):
                optimizer.step_and_zero()

    def test_over_budget(self):
        with make_chain() as chain:
            spec = ("F32", [SAMPLES, WIDTH])
            schedule = ckpt.Schedule.create(chain.profile(spec), "store-all")
            with self.assertRaises(ckpt.OverBudgetError):
                ckpt.ScheduleExecutor(chain, schedule, spec, budget_bytes=1)

    def test_items_go_through_the_storage_of_a_tier(self):
        x = np.ones((2, 2), np.float32)
        profile = ckpt.Profile(16)
        for name in "abcd":
            profile.add_layer(name, [ckpt.OptionProfile(forward_seconds=1.0)], output_bytes=16)
        with ckpt.Chain([ckpt.Layer(name, "relu") for name in "abcd"]) as chain, tempfile.TemporaryDirectory() as folder:
            schedule = ckpt.Schedule.create(profile, "two-level:1,2")
            for storage in (None, ckpt.Storage.memory(), ckpt.Storage(folder)):
                with ckpt.ScheduleExecutor(chain, schedule, ("F32", [2, 2]), tier1_storage=storage) as executor:
                    executor.run(x, output_gradient=x)
                    stats = executor.stats()
                self.assertGreaterEqual(stats.stored_bytes[1], 16)
                self.assertGreaterEqual(stats.loaded_bytes[1], 16)
                self.assertEqual(os.listdir(folder), [])

    def test_wrong_data_is_refused(self):
        with make_chain() as chain, ckpt.WorkerPool(2) as pool:
            spec = ("F32", [SAMPLES, WIDTH])
            schedule = ckpt.Schedule.create(chain.profile(spec, measured_steps=1, pool=pool), "store-all")
            with ckpt.ScheduleExecutor(chain, schedule, spec, pool=pool) as executor:
                with self.assertRaises(ckpt.InvalidArgumentError):
                    executor.run(np.zeros((SAMPLES, WIDTH)), np.zeros(SAMPLES, np.int32))  # float64
                with self.assertRaises(TypeError):
                    executor.run(np.zeros((WIDTH, SAMPLES), np.float32).T, np.zeros(SAMPLES, np.int32))

    def test_profiles_are_measured_refined_and_written(self):
        rng = np.random.default_rng(0)
        x = rng.standard_normal((SAMPLES, WIDTH)).astype(np.float32)
        targets = np.zeros(SAMPLES, np.int32)
        spec = ("F32", [SAMPLES, WIDTH])
        with make_chain() as chain:
            profile = chain.measured_profile(x, targets, measured_steps=2)
            self.assertGreater(profile.option(0, 0).backward_seconds, 0)
            with ckpt.ScheduleExecutor(chain, ckpt.Schedule.create(profile, "periodic:2"), spec) as executor:
                with self.assertRaises(ckpt.InvalidStateError):
                    executor.refine(profile)
                executor.run(x, targets)
                refined = executor.refine(profile)
            again = ckpt.Profile.from_json(refined.json())
            self.assertEqual(again.json(), refined.json())
            self.assertEqual(again.option(5, 0), refined.option(5, 0))
        with self.assertRaisesRegex(ckpt.CorruptError, "layers is missing"):
            ckpt.Profile.from_json('{"format": "ckpt-profile", "version": 1, "input_bytes": 4}')

    def test_optimizer_and_blas(self):
        with make_chain() as chain:
            self.assertEqual(len(chain), 7)
            sgd = ckpt.Optimizer.sgd(chain, 0.1, 0.9)
            self.assertEqual([name for name, _ in sgd.tensors()][0], "a.weight.momentum")
        self.assertTrue(ckpt.blas_info())
        with self.assertRaises(ckpt.CkptError):
            ckpt.set_blas(0, 0)
        ckpt.Layer("e", "embedding:10,2,4").close()
        self.assertTrue(ckpt.known_layer_kinds()[0].startswith("linear:INPUTS,OUTPUTS[,DTYPE] - "))
        with self.assertRaisesRegex(ckpt.InvalidArgumentError, "'dropout:0.5,2'"):
            ckpt.Layer("d", "dropout", 0.5, 2)


class Kernels(unittest.TestCase):
    """Each in a separate process: a BLAS is loaded once."""

    def run_program(self, program):
        environment = {key: value for key, value in os.environ.items() if key != "OPENBLAS_CORETYPE"}
        done = subprocess.run([sys.executable, "-c", "import ckpt, os\n" + textwrap.dedent(program)], env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    @unittest.skipUnless(platform.machine() == "x86_64", "SKIP: the kernels of this processor have no sets")
    def test_are_set_once(self):
        self.run_program("""
            try:
                ckpt.set_blas_kernels("Skylake")
                raise SystemExit("an unknown name was taken")
            except ckpt.InvalidArgumentError as error:
                assert "expected best, " in str(error), error
            ckpt.set_blas_kernels("Prescott")
            assert "OPENBLAS_CORETYPE" not in os.environ
            assert " Prescott " in ckpt.blas_info() and "its kernels are Prescott (SSE3)" in ckpt.blas_info(), ckpt.blas_info()
            try:
                ckpt.set_blas_kernels("best")
                raise SystemExit("it was set again")
            except ckpt.InvalidStateError as error:
                assert "its Prescott kernels" in str(error), error
            """)

    @unittest.skipUnless(platform.machine() == "x86_64", "SKIP: the kernels of this processor have no sets")
    def test_best(self):
        self.run_program("""
            ckpt.set_blas_kernels("best")
            assert ";" not in ckpt.blas_info(), ckpt.blas_info()
            """)


class Watching(Twice):
    """Records for each forward whether it is an evaluation."""

    def __init__(self):
        self.evaluations = []

    def forward(self, context, input, output, tape, workspace):
        self.evaluations.append(context.evaluation)
        super().forward(context, input, output, tape, workspace)


class TiedHeads(unittest.TestCase):
    def test_a_tied_head_learns_and_is_evaluated(self):
        tokens, watching = (np.arange(24) * 5 % 16).astype(np.uint8).reshape(6, 4), Watching()
        embedding = ckpt.Layer("embedding", "token_embedding:16,4,8")
        with ckpt.Chain([embedding, ckpt.Layer("dropout", "dropout", 0.5), ckpt.Layer.custom("watching", watching),
                         ckpt.Layer.tied_head("head", embedding), ckpt.Layer("loss", "softmax_cross_entropy")]) as chain, \
                ckpt.WorkerPool(2) as pool:
            chain.initialize(3)
            chain.set_worker_pool(pool)
            (weight, gradient), spec = chain.parameters()[0][1:], ("U8", tokens.shape)
            schedule = ckpt.Schedule.create(chain.profile(spec), "store-all")
            with ckpt.ScheduleExecutor(chain, schedule, spec, check_finite=True) as executor:
                optimizer = ckpt.Optimizer.sgd(chain, 0.5)
                optimizer.learning_rate = 1.0
                self.assertEqual(optimizer.learning_rate, 1.0)
                first = executor.evaluate(tokens, tokens)
                self.assertEqual(watching.evaluations, [True])
                for step in range(20):
                    executor.run(tokens, tokens, step=step)
                    optimizer.step()
                self.assertIs(watching.evaluations[-1], False)
                before, last = gradient.numpy().copy(), executor.evaluate(tokens, tokens, step=1)
                self.assertLess(last, first)
                self.assertEqual(executor.evaluate(tokens, tokens, layers=5, step=2), last)  # nothing is dropped
                np.testing.assert_array_equal(gradient.numpy(), before)
                embedded = np.zeros((6, 4, 8), np.float32)
                self.assertTrue(np.isnan(executor.evaluate(tokens, layers=2, output=embedded)))
                positions = chain.parameters()[1].value.numpy()
                np.testing.assert_array_equal(embedded, weight.numpy()[tokens] + positions)
                with self.assertRaisesRegex(ckpt.InvalidArgumentError, "layer_count is 6"):
                    executor.evaluate(tokens, tokens, layers=6)
                before, optimizer.learning_rate = weight.numpy().copy(), 0
                optimizer.step()
                np.testing.assert_array_equal(weight.numpy(), before)
                with self.assertRaisesRegex(ckpt.InvalidArgumentError, "learning_rate is -1"):
                    optimizer.learning_rate = -1
                weight.fill(np.inf)
                with self.assertRaisesRegex(ckpt.OutOfRangeError, "embedding"):
                    executor.run(tokens, tokens)
            chain.set_worker_pool(None)
        with self.assertRaisesRegex(ckpt.InvalidArgumentError, "embedding"):
            ckpt.Layer.tied_head("head", ckpt.Layer("relu", "relu"))

    def test_rates_follow_a_schedule(self):
        schedule = {"kind": ckpt.LearningRateKind.COSINE, "peak_rate": 1, "last_rate": 0.25, "warm_up_steps": 3, "step_count": 11}
        rates = [ckpt.learning_rate_at(step, **schedule) for step in (0, 2, 3, 7, 11, 99)]
        np.testing.assert_allclose(rates, [0.25, 0.75, 1, 0.625, 0.25, 0.25], rtol=1e-12)
        self.assertEqual(ckpt.learning_rate_at(5), 1e-3)
        with self.assertRaisesRegex(ckpt.InvalidArgumentError, "peak_rate is -1"):
            ckpt.learning_rate_at(5, peak_rate=-1)

    def test_biases_need_not_decay(self):
        for matrices_only in (False, True):
            with ckpt.Chain([ckpt.Layer("linear", "linear", 2, 2)]) as chain:
                chain.initialize(1)
                weight, bias = [parameter.value for parameter in chain.parameters()]
                weight.fill(1)
                bias.fill(1)
                ckpt.Optimizer.adamw(chain, decay_matrices_only=matrices_only).step()
                self.assertTrue((weight.numpy() < 1).all())
                self.assertEqual((bias.numpy() == 1).all(), matrices_only)


class Following(unittest.TestCase):
    def test_a_follower_queries_again_and_reports(self):
        every, used = [2], []
        functions = ckpt.Strategy.custom(lambda question: question.layer_index % every[0] == 0, on_access=used.append)
        x = np.ones((2, 2), np.float32)
        with ckpt.Chain([ckpt.Layer(f"layer{i}", "relu") for i in range(4)]) as chain:
            spec = ("F32", [2, 2])
            with ckpt.Follower(chain.profile(spec), functions) as follower:
                schedule, changed = follower.next()
                self.assertTrue(changed)
                again, changed = follower.next()
                self.assertFalse(changed)
                self.assertEqual(again.fingerprint, schedule.fingerprint)
                every[0] = 1
                other, changed = follower.next()
                self.assertTrue(changed)
                self.assertNotEqual(other.fingerprint, schedule.fingerprint)
                with ckpt.ScheduleExecutor(chain, schedule, spec) as executor:
                    executor.run(x, output_gradient=np.ones_like(x))
                    self.assertEqual(used, [])
                with ckpt.ScheduleExecutor(chain, schedule, spec, follower=follower) as executor:
                    executor.run(x, output_gradient=np.ones_like(x))
                    self.assertEqual(set(used), {"layer0", "layer1", "layer2", "layer3"})


    def test_memory_aware_adapts_to_the_memory_of_real_steps(self):
        x, spec = np.ones((8, 8), np.float32), ("F32", [8, 8])
        with ckpt.Chain([ckpt.Layer(f"layer{i}", "relu") for i in range(16)]) as chain:
            profile = chain.profile(spec)

            def peak_of(strategy):
                strategy.chosen = ckpt.StrategyChosen.BOUNDARY
                return ckpt.Schedule.from_strategy(profile, strategy).verify(profile).peak_bytes[0]

            least = min(peak_of(ckpt.Strategy.interval(n)) for n in range(1, 11))
            tracker = ckpt.MemoryTracker()
            strategy = ckpt.Strategy.memory_aware(1.0, tracker, 2 * least)
            strategy.chosen = ckpt.StrategyChosen.BOUNDARY
            with ckpt.Follower(profile, strategy) as follower:
                def step():
                    schedule, changed = follower.next()
                    with ckpt.ScheduleExecutor(chain, schedule, spec, follower=follower) as executor:
                        executor.run(x, output_gradient=np.ones_like(x))
                        return executor.stats().peak_live_bytes, changed

                relaxed = [step()[0] for _ in range(12)][-1]
                self.assertGreater(relaxed, least)  # enough memory
                other = tracker.record_allocation("other", least)
                self.assertEqual(step(), (least, True))  # only this fits the remaining memory
                self.assertEqual(step(), (least, False))
                tracker.record_deallocation(other)
                self.assertEqual([step()[0] for _ in range(15)][-1], relaxed)  # enough memory again


class CustomLayers(unittest.TestCase):
    def run_chain(self, layer, planner="store-all"):
        chain = ckpt.Chain([ckpt.Layer.custom(f"own{i}", layer) for i in range(3)])
        spec = ("F32", [2, 2])
        x = np.ones((2, 2), np.float32)
        y, grad = np.zeros_like(x), np.zeros_like(x)
        with ckpt.ScheduleExecutor(chain, ckpt.Schedule.create(chain.profile(spec), planner), spec) as executor:
            executor.run(x, output=y, output_gradient=np.ones_like(x), input_gradient=grad)
        return y, grad

    def test_forward_and_backward(self):
        for planner in ("store-all", "recompute-all"):
            layer = Doubling()
            y, grad = self.run_chain(layer, planner)
            self.assertTrue((y == 8).all() and (grad == 8).all())
            self.assertEqual(1 in layer.calls, planner == "recompute-all")

    def test_a_layer_with_unequal_recomputation_is_detected(self):
        class UnequalRecomputation(Doubling):
            def forward(self, context, input, output, tape, workspace):
                super().forward(context, input, output, tape, workspace)
                if context.recomputation:
                    np.frombuffer(output, np.float32)[3] += 1

        chain = ckpt.Chain([ckpt.Layer.custom(f"own{i}", UnequalRecomputation()) for i in range(3)])
        spec = ("F32", [2, 2])
        x = np.ones((2, 2), np.float32)
        schedule = ckpt.Schedule.create(chain.profile(spec), "recompute-all")
        for check in ckpt.RecomputeCheck:
            with ckpt.ScheduleExecutor(chain, schedule, spec, recompute_check=check, check_writes=True) as executor:
                if check < ckpt.RecomputeCheck.HASH:
                    executor.run(x, output_gradient=x)
                    continue
                with self.assertRaisesRegex(ckpt.CorruptError, "layer 0 'own0', micro-batch 0"):
                    executor.run(x, output_gradient=x)

    def test_failure_names_the_exception(self):
        class Failing(Doubling):
            def forward(self, context, input, output, tape, workspace):
                raise RuntimeError("no forward today")

        before, sys.unraisablehook = sys.unraisablehook, lambda u: None
        try:
            with self.assertRaisesRegex(ckpt.CallbackError, "RuntimeError: no forward today"):
                self.run_chain(Failing())
        finally:
            sys.unraisablehook = before

    def test_view_that_is_kept_is_an_error(self):
        class Keeping(Doubling):
            def forward(self, context, input, output, tape, workspace):
                super().forward(context, input, output, tape, workspace)
                self.kept = np.frombuffer(output, np.float32)

        before, sys.unraisablehook = sys.unraisablehook, lambda u: None
        try:
            with self.assertRaisesRegex(ckpt.CallbackError, "BufferError"):
                self.run_chain(Keeping())
        finally:
            sys.unraisablehook = before

    def test_refused_input(self):
        class Picky(Doubling):
            def output(self, input):
                raise ValueError("four columns only")

        before, sys.unraisablehook = sys.unraisablehook, lambda u: None
        try:
            with self.assertRaisesRegex(ckpt.CallbackError, "four columns only"):
                self.run_chain(Picky())
        finally:
            sys.unraisablehook = before

    def test_ambient_state(self):
        class Ambient(Doubling):
            ambient_bytes = 8
            saved = restored = 0

            def save_ambient(self, state):
                state[:] = b"ambient!"
                Ambient.saved += 1

            def restore_ambient(self, state):
                assert bytes(state) == b"ambient!"
                Ambient.restored += 1

        self.run_chain(Ambient(), "recompute-all")
        self.assertGreater(Ambient.saved, 0)
        self.assertGreater(Ambient.restored, 0)

    def test_targets_and_pool_in_a_chain_and_in_a_pipeline(self):
        x = (np.arange(32, dtype=np.float32).reshape(8, 4) * 5 % 17 - 8) / 4
        targets = (np.arange(8) * 7 % 4).astype(np.int32)
        loss, grad = np.float32(0), np.zeros_like(x)
        for i, target in enumerate(targets):
            loss -= 2 * x[i, target] / 8
            grad[i, target] = -2 / 8
        for micro_batches in (1, 4):
            picking = Picking()
            chain = ckpt.Chain([ckpt.Layer.custom("double", Twice()), ckpt.Layer.custom("pick", picking)])
            spec, got = (np.float32, x.shape), np.ones_like(x)
            step = {"targets": targets, "input_gradient": got, "first_sample": 40}
            if micro_batches == 1:
                profile = chain.profile(spec)
                with ckpt.WorkerPool(2) as pool, ckpt.ScheduleExecutor(chain, ckpt.Schedule.create(profile, "store-all"), spec, pool=pool) as executor:
                    asked = picking.asked
                    losses = [executor.run(x, **step) for _ in range(3)]
                    self.assertEqual(pool.thread_count, 2)
                self.assertEqual(picking.threads, 2)
            else:
                with ckpt.Pipeline(chain, spec, stages=2, micro_batches=micro_batches, measured_steps=0) as pipeline:
                    asked = picking.asked
                    losses = [pipeline.run(x, **step) for _ in range(3)]
            self.assertEqual(picking.asked, asked)  # known since executor and pipeline were created
            self.assertGreater(asked, 0)
            self.assertEqual(losses, [float(loss)] * 3)
            self.assertTrue((got == grad).all())
            self.assertEqual(len(picking.parts), 3 * 2 * 3 * micro_batches)
            samples = 8 // micro_batches
            for context, kept in zip(picking.contexts, picking.kept):
                begin = context.micro_batch * samples
                self.assertEqual(context.first_sample, 40 + begin)
                self.assertTrue((np.asarray(kept) == targets[begin:begin + samples]).all())
                self.assertTrue(context.targets.closed and context.pool.closed)
                self.assertRaisesRegex(ckpt.InvalidStateError, "WorkerPool is closed", context.pool.run, 1, print)
            self.assertEqual({context.micro_batch for context in picking.contexts}, set(range(micro_batches)))

    def test_kept_targets_outlive_the_step(self):
        class Keeping(Twice):
            def forward(self, context, input, output, tape, workspace):
                super().forward(context, input, output, tape, workspace)
                self.kept = np.asarray(context.targets)

        layer = Keeping()
        chain = ckpt.Chain([ckpt.Layer.custom("keep", layer)])
        spec, x = ("F32", [4, 2]), np.ones((4, 2), np.float32)
        with ckpt.Pipeline(chain, spec, micro_batches=2, measured_steps=0) as pipeline:
            pipeline.run(x, np.arange(4, dtype=np.int32), output_gradient=x)
        del chain, pipeline
        gc.collect()
        self.assertEqual(layer.kept.tolist(), [2, 3])
        chain = ckpt.Chain([ckpt.Layer.custom("keep", Nothing())])
        with ckpt.ScheduleExecutor(chain, ckpt.Schedule.create(chain.profile(spec), "store-all"), spec) as executor:
            executor.run(x, output_gradient=x)

    def test_record(self):
        a, k, i = ckpt.ScheduleAction, ckpt.ActionKind, ckpt.Item
        schedule = ckpt.Schedule(2, [
            a(k.FORWARD, first=0, last=1), a(k.FORWARD_TAPE, first=1, last=2), a(k.DROP, first=1, item=i.INPUT), a(k.TURN, last=1),
            a(k.DROP, first=2, item=i.INPUT), a(k.BACKWARD, first=1, last=2), a(k.RECORD, first=0, last=1),
            a(k.DROP, first=0, item=i.INPUT), a(k.BACKWARD, first=0, last=1), a(k.END, last=1)])
        spec, x = ("F32", [2, 3]), np.array([[1, 2, 3], [4, 5, 6]], np.float32) / 3
        grads = []

        class ByInstance(Recording):
            def __init__(self):
                super().__init__()
                self.record = lambda context, input, tape, workspace: RecordingApart.record(self, context, input, tape, workspace)

        for kind in (Recording, RecordingApart, ByInstance):
            layers, grad = [kind(), kind()], np.zeros_like(x)
            chain = ckpt.Chain([ckpt.Layer.custom(f"square{n}", layer) for n, layer in enumerate(layers)])
            option = chain.profile(spec).option(0)
            self.assertEqual((option.has_record, option.record_workspace_bytes), (kind is not Recording, 8 * (kind is not Recording)))
            with ckpt.ScheduleExecutor(chain, schedule, spec, recompute_check=ckpt.RecomputeCheck.BITWISE, check_writes=True) as executor:
                executor.run(x, output_gradient=x, input_gradient=grad)
            self.assertEqual(layers[0].calls, ["forward", "forward" if kind is Recording else "record"])
            self.assertEqual(layers[1].calls, ["forward"])
            grads.append(grad)
        self.assertTrue((grads[0] == grads[1]).all() and (grads[0] == grads[2]).all() and grads[0].any())

    def test_a_record_that_fails(self):
        class Failing(RecordingApart):
            def record(self, context, input, tape, workspace):
                raise RuntimeError("no ink")

        before, sys.unraisablehook = sys.unraisablehook, lambda u: None
        try:
            chain = ckpt.Chain([ckpt.Layer.custom("square", Failing())])
            with self.assertRaisesRegex(ckpt.CallbackError, "layer 'square' record.*RuntimeError: no ink"):
                chain.profile(("F32", [2, 3]), measured_steps=1)
        finally:
            sys.unraisablehook = before

    def test_each_input_and_option_is_queried_once(self):
        class Asked(Doubling):
            options = 2

            def __init__(self):
                super().__init__()
                self.asked = []

            def option(self, input, option):
                self.asked.append((input[1][0], option))
                return (input[1][0] + option, 0, 0)

            def forward(self, context, input, output, tape, workspace):
                assert tape is None or len(tape) == context.input[1][0] + context.option
                super().forward(context, input, output, tape, workspace)

        layer = Asked()
        chain = ckpt.Chain([ckpt.Layer.custom("asked", layer)])
        executors = []
        for samples in (2, 5):
            spec = ("F32", [samples, 3])
            schedule = ckpt.Schedule.create(chain.profile(spec), "store-all")
            executors.append(ckpt.ScheduleExecutor(chain, schedule, spec))
            self.assertEqual(layer.asked, 2 * [(samples, 0), (samples, 1)])
            layer.asked.clear()
        for samples, executor in list(zip((2, 5), executors)) * 3:
            x = np.ones((samples, 3), np.float32)
            executor.run(x, output_gradient=x)
        self.assertEqual(layer.asked, [])

    def test_a_layer_with_varying_requirements(self):
        class Changing(Doubling):
            size, seen = 5, ()

            def option(self, input, option):
                return (self.size, 0, 0)

            def forward(self, context, input, output, tape, workspace):
                super().forward(context, input, output, tape, workspace)
                self.seen += (len(tape),)

        layer, spec, x = Changing(), ("F32", [1, 2]), np.ones((1, 2), np.float32)
        chain = ckpt.Chain([ckpt.Layer.custom("changing", layer)])
        executors = {}
        for size in (5, 9):
            layer.size = size
            executors[size] = ckpt.ScheduleExecutor(chain, ckpt.Schedule.create(chain.profile(spec), "store-all"), spec)
        for layer.size in (9, 5, 9):
            executors[layer.size].run(x, output_gradient=x)
        self.assertEqual(layer.seen, (9, 5, 9))


if __name__ == "__main__":
    unittest.main()
