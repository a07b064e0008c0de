"""Background saves: results, awaiting, futures, and the usage examples of asynchronous checkpoints."""

import asyncio
import concurrent.futures
import os
import re
import tempfile
import threading
import traceback
import time
import unittest

import ckpt
import numpy as np

from test_base import Silent


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = os.path.join(folder.name, "run")

    def weights(self, size=1000):
        return {"w": np.arange(size, dtype=np.float32)}


class Examples(Folder):
    """The usage examples of the reference for asynchronous checkpoints."""

    def setUp(self):
        super().setUp()
        self.checkpoint = ckpt.CheckpointManager(self.place)
        self.manager = self.checkpoint.create_async_manager(capacity=5)
        self.addCleanup(self.manager.close)

    def test_basic_save(self):
        async def train():
            task = self.manager.save(self.weights(), 1, prefix="async_model")
            return await task

        result = asyncio.run(train())
        self.assertTrue(result.success)
        self.assertTrue(result.name.startswith("async_model"))
        self.assertTrue(os.path.isdir(os.path.join(self.place, result.name)))
        self.assertEqual(result.error, "")
        self.assertGreater(result.bytes, 4000)
        self.assertGreater(result.duration_ns, 0)
        self.manager.wait()  # its callables have also returned
        info = self.manager.ended_tasks()[0]
        self.assertLess(abs(info.queued_utc_ns - time.time_ns()), 60 * 10**9)
        self.assertTrue(info.queued_utc_ns <= info.started_utc_ns + 10**9 and 0 < info.ended_at_ns <= ckpt.monotonic_ns())

    def test_with_timeout(self):
        task = self.manager.save(self.weights(), 1)
        self.assertTrue(task.wait(timeout=600).success)
        gated = self.manager.save(self.weights(), 2, gate_step=2)
        with self.assertRaises(TimeoutError):
            gated.wait(timeout=0)
        self.manager.end_step(2)
        self.assertTrue(gated.wait(timeout=600).success)

    def test_monitor_status(self):
        task = self.manager.save(self.weights(), 1, gate_step=1)
        self.assertEqual(task.state, ckpt.CheckpointTaskState.QUEUED)
        self.manager.end_step(1)
        task.wait()
        if task.state == ckpt.CheckpointTaskState.COMPLETED:
            self.assertEqual(task.wait().name, task.saved().name)
        self.assertEqual(task.state, ckpt.CheckpointTaskState.COMPLETED)

    def test_cancel_pending(self):
        task = self.manager.save(self.weights(), 1, gate_step=1)
        self.assertTrue(task.cancel())
        self.assertEqual(task.wait().state, ckpt.CheckpointTaskState.CANCELLED)
        self.assertFalse(task.cancel())
        self.assertEqual(self.checkpoint.list(), [])

    def test_list_active_tasks(self):
        tasks = [self.manager.save(self.weights(), step, gate_step=9) for step in (1, 2)]
        active = self.manager.active_tasks()
        self.assertEqual([info.id for info in active], [task.id for task in tasks])
        self.assertEqual([info.state for info in active], [ckpt.CheckpointTaskState.QUEUED] * 2)
        self.assertTrue(all(info.queued_at_ns > 0 and info.kind == ckpt.CheckpointTaskKind.SAVE for info in active))
        self.manager.end_step(9)
        for task in tasks:
            task.wait()
        self.assertEqual(self.manager.active_tasks(), [])
        self.assertEqual([info.id for info in self.manager.ended_tasks()], [task.id for task in tasks])


class Waiting(Folder):
    def test_wait_gives_the_result_of_a_failure_and_await_raises_it(self):
        with ckpt.AsyncManager(self.place) as manager:
            with Silent():
                save = manager.save(self.weights(), 1, source=lambda *_: 1 / 0)
            save.wait()
            load = manager.load(ckpt.State(self.weights()), name="none such")
            for task, kind in ((save, ckpt.CallbackError), (load, ckpt.NotFoundError)):
                result = task.wait()
                self.assertFalse(result.success)
                self.assertEqual(result.state, ckpt.CheckpointTaskState.FAILED)
                self.assertIsInstance(result.exception(), kind)

                async def awaited():
                    return await task

                with self.assertRaises(kind):
                    asyncio.run(awaited())
                with self.assertRaises(kind):
                    task.result()
                with self.assertRaises(kind):
                    task.future().result()
                self.assertIsInstance(task.future().exception(), kind)

    def failing(self, manager):
        with Silent():
            task = manager.save(self.weights(), 1, source=lambda *_: 1 / 0, mode=ckpt.StagingMode.DEFERRED, gate_step=0)
            manager.end_step(0)
            manager.wait()
        return task

    def test_an_unretrieved_error_is_raised_by_the_next_save_or_close(self):
        with ckpt.AsyncManager(self.place) as manager:
            self.failing(manager)
            with self.assertRaisesRegex(ckpt.CallbackError, "ZeroDivisionError"):
                manager.save(self.weights(), 2)
            self.assertTrue(manager.save(self.weights(), 3).wait().success)
        manager = ckpt.AsyncManager(self.place)
        self.failing(manager)
        with self.assertRaises(ckpt.CallbackError):
            manager.close()
        self.assertTrue(manager.closed)

    def test_a_retrieved_error_is_not_raised_again(self):
        async def awaited(task):
            return await task

        for look in (lambda task: task.future().exception(), lambda task: asyncio.run(awaited(task)), lambda task: task.wait()):
            with ckpt.AsyncManager(self.place) as manager:
                task = self.failing(manager)
                try:
                    look(task)
                except ckpt.CallbackError:
                    pass
                self.assertTrue(manager.save(self.weights(), 2).wait().success)

    def test_an_exception_of_a_with_block_precedes_an_unretrieved_failure(self):
        with self.assertRaises(KeyError):
            with ckpt.AsyncManager(self.place) as manager:
                self.failing(manager)
                raise KeyError("mine")
        self.assertTrue(manager.closed)

    def failing_together(self, manager, count):
        """Starts this number of saves, which fail once all of them have started."""
        go = threading.Event()

        def source(*_):
            go.wait()
            raise ValueError("no device")

        with Silent():
            tasks = [manager.save(self.weights(), step, source=source, mode=ckpt.StagingMode.DEFERRED) for step in range(1, count + 1)]
            go.set()
            manager.wait()
        return tasks

    def steps_of(self, error):
        """Returns the saves with failures in a traceback of error, the first raised one first."""
        steps = []
        while error is not None:
            steps += re.findall(r"save of step (\d+)\) failed", str(error)) if isinstance(error, ckpt.CkptError) else ["other"]
            error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        return steps

    def test_each_of_several_failures_is_raised_once(self):
        with ckpt.AsyncManager(self.place) as manager:
            self.failing_together(manager, 3)[1].wait()
            with self.assertRaisesRegex(ckpt.CallbackError, "step 1.* failed: .*; 1 more task failed"):
                manager.save(self.weights(), 9)
            with self.assertRaisesRegex(ckpt.CallbackError, "step 3.* failed"):
                manager.load(ckpt.State(self.weights()))
            self.assertTrue(manager.save(self.weights(), 9).wait().success)

    def test_closing_raises_all_remaining_failures(self):
        manager = ckpt.AsyncManager(self.place)
        self.failing_together(manager, 3)
        with self.assertRaises(ckpt.CallbackError) as caught:
            manager.close()
        self.assertEqual(self.steps_of(caught.exception), ["1", "2", "3"])
        self.assertTrue(manager.closed)
        manager = ckpt.AsyncManager(self.place)
        self.failing_together(manager, 2)
        with self.assertRaises(ckpt.CallbackError) as caught:
            try:
                raise KeyError("mine")
            finally:
                manager.close()
        self.assertEqual(self.steps_of(caught.exception), ["1", "2", "other"])

    def test_an_exception_of_a_with_block_shows_the_unretrieved_failures(self):
        def fail():
            raise KeyError("mine")

        def fail_of_another():
            try:
                raise ValueError("cause")
            except ValueError as error:
                raise KeyError("mine") from error

        def fail_without_context():
            try:
                raise ValueError("hidden")
            except ValueError:
                raise KeyError("mine") from None

        for raiser, before in ((fail, 1), (fail_of_another, 2), (fail_without_context, 1)):
            with self.subTest(raiser=raiser.__name__):
                with self.assertRaises(KeyError) as caught:
                    with ckpt.AsyncManager(self.place) as manager:
                        self.failing_together(manager, 2)
                        raiser()
                self.assertEqual(self.steps_of(caught.exception), ["other"] * before + ["1", "2"])
                self.assertIn("save of step 2", "".join(traceback.format_exception(KeyError, caught.exception, None)))
                self.assertTrue(manager.closed)

    def test_closing_inside_a_callback_leaves_the_manager_open(self):
        found = []

        def close(_):
            try:
                manager.close()
            except ckpt.InvalidStateError as error:
                found.append(error)

        with ckpt.AsyncManager(self.place, on_ended=close) as manager:
            manager.save(self.weights(), 1).wait()
            self.assertEqual(len(found), 1)
            self.assertFalse(manager.closed)
            self.assertTrue(manager.save(self.weights(), 2).wait().success)

    def test_await_from_several_loops(self):
        with ckpt.AsyncManager(self.place) as manager:
            task = manager.save(self.weights(), 1, gate_step=1)
            results, ready = [], threading.Barrier(4)

            async def awaited():
                loop = asyncio.get_running_loop()
                loop.call_soon(ready.wait)  # runs when the coroutine below waits
                return await task

            threads = [threading.Thread(target=lambda: results.append(asyncio.run(awaited()))) for _ in range(3)]
            for thread in threads:
                thread.start()
            ready.wait()
            manager.end_step(1)
            for thread in threads:
                thread.join()
            self.assertEqual([result.id for result in results], [task.id] * 3)
            self.assertEqual(task._watchers, [])

    def test_loop_works_while_a_save_is_awaited(self):
        async def main(manager):
            task = manager.save(self.weights(), 1, gate_step=1)
            waiting = asyncio.ensure_future(task)
            await asyncio.sleep(0)
            self.assertFalse(waiting.done())
            manager.end_step(1)
            first, second = await asyncio.gather(waiting, manager.save(self.weights(), 2))
            return first.step, second.step

        with ckpt.AsyncManager(self.place) as manager:
            self.assertEqual(asyncio.run(main(manager)), (1, 2))

    def test_cancelling_the_awaiting_coroutine_ends_the_waiting_only(self):
        async def main(manager):
            task = manager.save(self.weights(), 1, gate_step=1)
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(task, 0.001)
            self.assertEqual(task._watchers, [])
            self.assertEqual(task.state, ckpt.CheckpointTaskState.QUEUED)
            manager.end_step(1)
            return await task

        with ckpt.AsyncManager(self.place) as manager:
            self.assertTrue(asyncio.run(main(manager)).success)

    def test_awaiting_a_cancelled_task(self):
        async def main(manager):
            task = manager.save(self.weights(), 1, gate_step=1)
            waiting = asyncio.ensure_future(task)
            await asyncio.sleep(0)
            self.assertTrue(task.cancel())
            with self.assertRaises(ckpt.CancelledError):
                await waiting

        with ckpt.AsyncManager(self.place) as manager:
            asyncio.run(main(manager))

    def test_a_closed_loop_has_no_effect(self):
        with ckpt.AsyncManager(self.place) as manager, Silent() as seen:
            task = manager.save(self.weights(), 1, gate_step=1)
            loop = asyncio.new_event_loop()
            waiting = task._awaited()
            future = loop.create_task(waiting)
            loop.call_soon(loop.stop)
            loop.run_forever()
            loop.close()
            manager.end_step(1)
            self.assertTrue(task.wait().success)
            future._log_destroy_pending = False
        self.assertEqual(seen, [])


class Futures(Folder):
    def test_futures_of_concurrent(self):
        with ckpt.AsyncManager(self.place) as manager:
            tasks = [manager.save(self.weights(), step) for step in range(3)]
            done = [future.result().step for future in concurrent.futures.as_completed(task.future() for task in tasks)]
            self.assertEqual(sorted(done), [0, 1, 2])
            self.assertIs(tasks[0].future(), tasks[0].future())
            received = []
            tasks[1].future().add_done_callback(received.append)
            self.assertEqual(received, [tasks[1].future()])

    def test_cancelling_the_future_cancels_the_task(self):
        with ckpt.AsyncManager(self.place) as manager:
            task = manager.save(self.weights(), 1, gate_step=1)
            future = task.future()
            self.assertTrue(future.cancel())
            self.assertTrue(future.cancelled())
            self.assertEqual(task.wait().state, ckpt.CheckpointTaskState.CANCELLED)
            done, _ = concurrent.futures.wait([future])
            self.assertEqual(done, {future})
            with self.assertRaises(concurrent.futures.CancelledError):
                future.result()
            finished = manager.save(self.weights(), 2)
            finished.wait()
            self.assertFalse(finished.future().cancel())

    def test_a_cancelled_task_is_a_cancelled_future(self):
        with ckpt.AsyncManager(self.place) as manager:
            task = manager.save(self.weights(), 1, gate_step=1)
            future = task.future()
            task.cancel()
            self.assertTrue(future.cancelled())


if __name__ == "__main__":
    unittest.main()
