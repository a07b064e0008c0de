"""When to save: formulas, the threshold rule, the controller with custom policies, the simulator."""

import json
import math
import os
import tempfile
import threading
import unittest

import ckpt
import numpy as np

from test_base import Silent


class Formulas(unittest.TestCase):
    def test_values(self):
        self.assertAlmostEqual(ckpt.young_interval(30, 3600), math.sqrt(2 * 30 * 3600))
        ratio = 30 / (2 * 3600)
        daly = math.sqrt(2 * 30 * 3600) * (1 + math.sqrt(ratio) / 3 + ratio / 9) - 30
        self.assertAlmostEqual(ckpt.daly_interval(30, 3600), daly)
        work = ckpt.expected_value_interval(30, 3600)
        failure = 1 - math.exp(-work / 3600)
        self.assertAlmostEqual(failure * work, (1 - failure) * 30, places=3)
        self.assertAlmostEqual(ckpt.weibull_interval(30, 1, 3600, 500), math.sqrt(2 * 30 * 3600))
        with self.assertRaisesRegex(ckpt.InvalidArgumentError, "cost_seconds"):
            ckpt.young_interval(0, 3600)

    def test_fit(self):
        gaps = np.random.default_rng(1).weibull(0.7, 4000) * 1000
        law = ckpt.fit_weibull(gaps)
        self.assertAlmostEqual(law.shape, 0.7, delta=0.05)
        self.assertAlmostEqual(law.scale_seconds, 1000, delta=100)
        censored = ckpt.fit_weibull([10, 20, 500], [True, True, False])
        self.assertGreater(censored.scale_seconds, ckpt.fit_weibull([10, 20, 500]).scale_seconds)
        with self.assertRaises(ckpt.InvalidArgumentError):
            ckpt.fit_weibull([1, 2, 3], [True])
        with self.assertRaises(ckpt.InvalidArgumentError):
            ckpt.fit_weibull([1, 2], [True, False])


class Rule(unittest.TestCase):
    def test_observe_ask_adjust(self):
        rule = ckpt.Threshold(threshold=0.5, learning_rate=0.2, budget=2)
        rule.observe_task("long", 10)
        rule.observe_task("short", 1)
        rule.observe_failure("broken", 99)
        self.assertTrue(rule.should_checkpoint("long", 6))
        self.assertFalse(rule.should_checkpoint("short", 1))
        self.assertTrue(rule.should_checkpoint("long", 10))
        self.assertFalse(rule.should_checkpoint("long", 10))  # no slot left
        before = rule.info()
        self.assertEqual((before.longest_seconds, before.used, before.budget), (10, 2, 2))
        rule.adjust_policy(4, 1)  # more time saved than spent
        self.assertAlmostEqual(rule.info().threshold, 0.5 - 0.2 * 3 / 4)
        rule.begin_run()
        self.assertEqual(rule.info().used, 0)
        self.assertEqual([(task.name, task.duration_seconds) for task in rule.tasks()], [("long", 10), ("short", 1), ("broken", 99)])
        self.assertEqual([task.failed for task in rule.tasks()], [False, False, True])


class Decides(unittest.TestCase):
    def test_a_run(self):
        controller = ckpt.Controller(ckpt.Policy.FIXED, interval_seconds=100, initial_cost_seconds=5)
        controller.begin_run(0)
        early = controller.should_checkpoint(50)
        self.assertFalse(early)
        self.assertEqual((early.reason, early.policy, early.interval_seconds), (ckpt.Reason.NOT_DUE, ckpt.Policy.FIXED, 100))
        due = controller.should_checkpoint(100)
        self.assertTrue(due)
        self.assertEqual(due.reason, ckpt.Reason.DUE)
        controller.begin(100)
        self.assertEqual(controller.should_checkpoint(300).reason, ckpt.Reason.SAVE_IN_FLIGHT)
        controller.abort(300)
        controller.begin(301)
        controller.commit(stall_seconds=2, durable_seconds=4, now=305)
        info = controller.info()
        self.assertEqual((info.saves, info.cost_seconds, info.durable_seconds, info.running), (1, 2, 4, True))
        controller.record_failure(350)
        controller.record_recovery(saved_seconds=300, overhead_seconds=2, now=360)
        self.assertEqual(controller.info().failures, 1)
        controller.notify_preemption(30, now=370)
        self.assertEqual(controller.should_checkpoint(371).reason, ckpt.Reason.PREEMPTION)
        self.assertEqual(controller.should_checkpoint(399).reason, ckpt.Reason.PREEMPTION_SHORT)
        controller.observe_task("epoch", 3)
        self.assertEqual(controller.tasks(), [ckpt.TaskObservation(False, 3.0, False, "epoch")])
        controller.record_clean_exit(400)
        with self.assertRaises(ckpt.InvalidStateError):
            controller.should_checkpoint(401)
        with self.assertRaisesRegex(ckpt.InvalidArgumentError, "mtbf_seconds"):
            ckpt.Controller(ckpt.Policy.DALY)

    def test_budget_and_own_clock(self):
        clock = ckpt.Clock(0)
        controller = ckpt.Controller(ckpt.Policy.FIXED, interval_seconds=10, initial_cost_seconds=1, budget_saves=1, clock=clock)
        controller.begin_run()
        clock.advance(10 * 10**9)
        self.assertEqual(controller.now(), 10)
        self.assertTrue(controller.should_checkpoint())
        controller.begin()
        controller.commit(1, 1)
        clock.advance(10 * 10**9)
        self.assertEqual(controller.should_checkpoint().reason, ckpt.Reason.BUDGET_IS_SPENT)

    def test_state_survives_a_restart(self):
        first = ckpt.Controller()
        first.begin_run(0)
        for time in range(1, 6):
            first.begin(time * 100)
            first.commit(3, 5, now=time * 100 + 10)
        text = first.json()
        second = ckpt.Controller()
        second.restore(json.loads(text))
        self.assertEqual(second.json(), text)
        second.resume(7)  # another clock
        info = second.info()
        self.assertEqual((info.failures, info.saves, info.cost_seconds), (1, 5, 3))
        with self.assertRaises(ckpt.CorruptError):
            second.restore("[]")

    def test_decide_all(self):
        controller = ckpt.Controller(ckpt.Policy.FIXED, interval_seconds=10, initial_cost_seconds=1)
        controller.begin_run(0)
        with ckpt.Coordinator() as single:
            self.assertTrue(controller.decide_all(single, 10))
            self.assertEqual(controller.decide_all(single, 5), controller.should_checkpoint(5))


class Own(unittest.TestCase):
    """Policies that are callables."""

    def test_its_arguments(self):
        questions = []

        def every_minute(question):
            questions.append(question)
            return question.since_last_seconds >= 60

        controller = ckpt.Controller(every_minute, initial_cost_seconds=2)
        controller.begin_run(0)
        self.assertFalse(controller.should_checkpoint(59))
        self.assertEqual(controller.should_checkpoint(59).reason, ckpt.Reason.NOT_DUE)
        decision = controller.should_checkpoint(60)
        self.assertTrue(decision)
        self.assertEqual(decision.reason, ckpt.Reason.DUE)
        self.assertEqual((questions[-1].now_seconds, questions[-1].since_last_seconds, questions[-1].cost_seconds), (60, 60, 2))
        controller.begin(60)
        asked = len(questions)
        self.assertEqual(controller.should_checkpoint(500).reason, ckpt.Reason.SAVE_IN_FLIGHT)
        controller.commit(3, 3, now=500)
        self.assertEqual(len(questions), asked)  # the limits decided
        controller.should_checkpoint(501)
        self.assertEqual((questions[-1].saves, questions[-1].cost_seconds), (1, 3))

    def test_limits_precede_it(self):
        controller = ckpt.Controller(lambda question: True, initial_cost_seconds=1, min_interval_seconds=50, budget_saves=1)
        controller.begin_run(0)
        self.assertFalse(controller.should_checkpoint(20))
        self.assertTrue(controller.should_checkpoint(60))
        controller.begin(60)
        controller.commit(1, 1, now=61)
        self.assertEqual(controller.should_checkpoint(200).reason, ckpt.Reason.BUDGET_IS_SPENT)
        never = ckpt.Controller(lambda question: False, initial_cost_seconds=1, max_interval_seconds=100)
        never.begin_run(0)
        self.assertFalse(never.should_checkpoint(99))
        self.assertTrue(never.should_checkpoint(100))
        never.notify_preemption(30, now=101)
        self.assertEqual(never.should_checkpoint(102).reason, ckpt.Reason.PREEMPTION)

    def test_its_exceptions_propagate(self):
        controller = ckpt.Controller(lambda question: {}["key"])
        controller.begin_run(0)
        with self.assertRaises(KeyError):
            controller.should_checkpoint(1)

    def test_rank_0_decides_for_all(self):
        class Group(ckpt.CustomCoordinator):
            """Two ranks in one process."""

            rank_group = threading.Barrier(2)
            data = {}

            def __init__(self, rank):
                self.rank = rank

            def barrier(self, timeout_ns):
                self.rank_group.wait()

            def broadcast(self, data, root, timeout_ns):
                if self.rank == root:
                    Group.data["sent"] = bytes(data)
                self.rank_group.wait()
                data[:] = Group.data["sent"]
                self.rank_group.wait()

            def all_gather(self, sent, received, timeout_ns):
                Group.data[self.rank] = bytes(sent)
                self.rank_group.wait()
                received[:] = Group.data[0] + Group.data[1]
                self.rank_group.wait()

            def gather(self, sent, received, root, timeout_ns):
                Group.data[self.rank] = bytes(sent)
                self.rank_group.wait()
                if self.rank == root:
                    received[:] = Group.data[0] + Group.data[1]
                self.rank_group.wait()

        answers, failures = {}, {}

        def rank(number, policy):
            controller = ckpt.Controller(policy, initial_cost_seconds=1)
            controller.begin_run(0)
            controller.begin(1)
            controller.commit(2 + 5 * number, 9, now=1)
            try:
                answers[number] = controller.decide_all(ckpt.Coordinator.custom(number, 2, Group(number)), 50)
            except Exception as error:
                failures[number] = type(error)

        def both(policy):
            threads = [threading.Thread(target=rank, args=(number, policy)) for number in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        both(lambda question: question.since_last_seconds == 49 and question.cost_seconds == 7)  # the longest stall
        self.assertEqual(answers[0], answers[1])
        self.assertTrue(answers[1])
        self.assertIs(type(answers[1].reason), ckpt.Reason)
        both(lambda question: 1 / 0)
        self.assertEqual(failures, {0: ZeroDivisionError, 1: ckpt.CallbackError})


class Background(unittest.TestCase):
    def test_save_commits_by_itself(self):
        with tempfile.TemporaryDirectory() as folder:
            place = os.path.join(folder, "run")
            controller = ckpt.Controller()
            controller.begin_run(0)
            with ckpt.AsyncManager(place) as manager:
                received = []
                task = controller.save_async(manager, {"w": np.arange(10)}, 4, now=1.0, values={"epoch": 2},
                                             on_ended=lambda result: received.append(result.step), gate_step=4)
                self.assertTrue(controller.info().save_in_flight)
                with self.assertRaises(ckpt.InvalidStateError):
                    controller.save_async(manager, {"w": np.arange(10)}, 5, now=2.0)
                manager.end_step(4)
                self.assertTrue(task.wait().success)
                self.assertEqual(received, [4])
                info = controller.info()
                self.assertEqual((info.saves, info.save_in_flight), (1, False))
                self.assertGreater(info.cost_seconds, 0)
                with Silent():
                    failed = controller.save_async(manager, {"w": np.arange(10)}, 5, now=3.0, source=lambda *_: 1 / 0)
                    self.assertFalse(failed.wait().success)
                self.assertEqual((controller.info().saves, controller.info().save_in_flight), (1, False))
            state = ckpt.State({"w": np.zeros(10, np.int64)})
            with ckpt.CheckpointManager(place, read_only=True) as checkpoint:
                checkpoint.load(state)
            after = ckpt.Controller()
            after.restore(state[ckpt.CONTROLLER])
            after.resume(10)
            self.assertEqual((after.info().failures, state["epoch"]), (1, 2))


class Simulator(unittest.TestCase):
    def test_law(self):
        options = dict(law="exponential:3600", policies=["daly", "fixed:100000"], failures=50, replicas=4, seed=3)
        with ckpt.Simulation(**options) as simulation:
            results = simulation.results()
        self.assertIn("daly", json.dumps(results))
        self.assertEqual([curve["policy"] for curve in results["extra_wall_curves"]], ["daly", "fixed:100000"])
        with ckpt.Simulation(**options) as again:
            self.assertEqual(again.results(), results)

    def test_trace(self):
        with ckpt.Simulation(trace="# gaps\n3600\n7200\n1800\n", policies="young") as simulation:
            self.assertIn("young", json.dumps(simulation.results()))
        with self.assertRaisesRegex(ckpt.InvalidArgumentError, "2"):
            ckpt.Simulation(trace="3600\nnonsense\n")
        with self.assertRaises(ckpt.InvalidArgumentError):
            ckpt.Simulation()


if __name__ == "__main__":
    unittest.main()
