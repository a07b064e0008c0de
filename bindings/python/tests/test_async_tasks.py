"""Background saves: staging, reports, the queue, the GIL, the one-line form, memory."""

import asyncio
import gc
import os
import sys
import threading
import unittest
import weakref

import ckpt
import numpy as np

from test_async import Folder
from test_base import Silent


class Bar:
    """A progress bar with the members of tqdm's that are used."""

    def __init__(self):
        self.total, self.n, self.updates = None, 0, 0

    def update(self, n=1):
        self.n += n
        self.updates += 1


class Staging(Folder):
    def test_modes_keep_the_arrays_alive(self):
        for mode in ckpt.StagingMode:
            with self.subTest(mode=mode), ckpt.AsyncManager(f"{self.place}{mode}") as manager:
                array = np.arange(100000, dtype=np.float32)
                alive = weakref.ref(array)
                task = manager.save({"w": array}, 1, mode=mode, gate_step=1)
                del array
                gc.collect()
                if mode == ckpt.StagingMode.BORROW:
                    self.assertIsNotNone(alive())
                    self.assertFalse(task.staged)
                else:
                    task.wait_staged()
                    self.assertTrue(task.staged)
                manager.end_step(1)
                self.assertTrue(task.wait().success)
                self.assertTrue(task.staged)
                self.assertTrue(np.array_equal(ckpt.load(f"{self.place}{mode}")["w"], np.arange(100000, dtype=np.float32)))
            gc.collect()
            self.assertIsNone(alive())

    def test_a_copied_array_may_change(self):
        with ckpt.AsyncManager(self.place) as manager:
            array = np.zeros(1000)
            task = manager.save({"w": array}, 1, gate_step=1)
            array[:] = 7
            manager.end_step(1)
            task.wait()
        self.assertEqual(ckpt.load(self.place)["w"].sum(), 0)

    def test_a_borrowed_array_that_changes_fails_the_save(self):
        with ckpt.AsyncManager(self.place) as manager:
            array = np.zeros(1 << 20)

            def change(done, total):
                array[:] += 1

            task = manager.save({"w": array}, 1, mode=ckpt.StagingMode.BORROW, progress=change)
            if task.wait().state == ckpt.CheckpointTaskState.FAILED:  # whether detected or not, an existing checkpoint is complete
                self.assertEqual(task.wait().status, ckpt.InvalidStateError.status)
            else:
                ckpt.CheckpointManager(self.place, read_only=True).verify()

    def test_source(self):
        with ckpt.AsyncManager(self.place) as manager:
            asked = []

            def read(group, name, address, offset, buffer):
                asked.append((group, name, offset))
                buffer[:] = bytes([3]) * len(buffer)

            task = manager.save({"w": np.zeros(100, np.uint8)}, 1, source=read)
            self.assertTrue(task.wait().success)
        self.assertIn(("model", "w", 0), asked)
        self.assertTrue((ckpt.load(self.place)["w"] == 3).all())

    def test_load(self):
        with ckpt.AsyncManager(self.place) as manager:
            manager.save(self.weights(), 3, values={"epoch": 2}, seed=5).wait()
            into = np.zeros(1000, np.float32)
            state = ckpt.State({"w": into})
            task = manager.load(state)
            self.assertTrue(task.wait().success)
            self.assertEqual((task.loaded().step, task.loaded().seed, state["epoch"]), (3, 5, 2))
            self.assertTrue(np.array_equal(into, self.weights()["w"]))
            with self.assertRaises(ckpt.InvalidStateError):
                task.saved()


class Reports(Folder):
    def test_progress_and_events_in_order(self):
        received = []
        with ckpt.AsyncManager(self.place, on_staged=lambda id, stall: received.append("all staged"),
                               on_progress=lambda id, done, total: None,
                               on_ended=lambda result: received.append("all ended")) as manager:
            task = manager.save({"w": np.zeros(3 << 20, np.uint8)}, 1,
                                on_staged=lambda stall: received.append(("staged", stall >= 0)),
                                progress=lambda done, total: received.append((done, total)),
                                on_ended=lambda result: received.append(result.state))
            task.wait()
        self.assertEqual(received, ["all staged", ("staged", True), (3 << 20, 3 << 20), "all ended",
                                    ckpt.CheckpointTaskState.COMPLETED])

    def test_progress_bar(self):
        bar = Bar()
        with ckpt.AsyncManager(self.place) as manager:
            manager.save({"w": np.zeros(9 << 20, np.uint8)}, 1, progress=bar).wait()
        self.assertEqual((bar.n, bar.total), (9 << 20, 9 << 20))
        self.assertGreaterEqual(bar.updates, 1)  # fewer than pieces written if the bar is slower than the disk

    def test_progress_bar_of_tqdm(self):
        try:
            import tqdm
        except ImportError:
            self.skipTest("tqdm is not installed: test_progress_bar has a stand-in")
        with ckpt.AsyncManager(self.place) as manager, tqdm.tqdm(file=open(os.devnull, "w")) as bar:
            manager.save({"w": np.zeros(9 << 20, np.uint8)}, 1, progress=bar).wait()
            self.assertEqual((bar.n, bar.total), (9 << 20, 9 << 20))

    def test_exceptions_in_callables_end_nothing(self):
        with Silent() as seen, ckpt.AsyncManager(self.place) as manager:
            task = manager.save(self.weights(), 1, on_staged=lambda stall: 1 / 0, progress=lambda done, total: sys.exit(3),
                                on_ended=lambda result: {}["none"])
            self.assertTrue(task.wait().success)
            self.assertTrue(task.result().success)
        self.assertEqual(seen, ["ZeroDivisionError", "SystemExit", "KeyError"])

    def test_sys_exit_in_ended_ends_nothing(self):
        with Silent() as seen, ckpt.AsyncManager(self.place, on_ended=lambda result: sys.exit(4)) as manager:
            self.assertTrue(manager.save(self.weights(), 1).wait().success)
        self.assertEqual(seen, ["SystemExit"])

    def test_inside_a_callable(self):
        received = []
        with ckpt.AsyncManager(self.place) as manager:
            def ended(result):
                received.append(manager.info(result.id).state)
                received.append(manager.stats().completed_tasks)
                for call in (lambda: manager.save(self.weights(), 2), manager.close, other.wait, manager.wait):
                    try:
                        call()
                    except ckpt.InvalidStateError:
                        received.append("refused")

            other = manager.save(self.weights(), 1, gate_step=1)
            manager.save(self.weights(), 1, priority=ckpt.Priority.HIGH, on_ended=ended, gate_step=1)
            manager.end_step(1)
        self.assertEqual(received[2:4], ["refused", "refused"])

    def test_listeners_stay_when_every_reference_is_dropped(self):
        class Listener:
            count = 0

            def __call__(self, *_):
                Listener.count += 1

        listener = Listener()
        alive = weakref.ref(listener)
        manager = ckpt.AsyncManager(ckpt.Storage.memory(), keep_last=1, capacity=1000, on_ended=listener)
        del listener
        gc.collect()
        for step in range(1000):
            manager.save({"w": bytearray(8)}, step, when_full=ckpt.WhenFull.WAIT)
        self.assertIsNotNone(alive())
        manager.close()
        self.assertEqual(Listener.count, 1000)
        gc.collect()
        self.assertIsNone(alive())

    def test_an_unreferenced_manager_ends_its_tasks(self):
        ended = threading.Event()
        task = ckpt.AsyncManager(self.place).save(self.weights(), 1, on_ended=lambda result: ended.set())
        manager = weakref.ref(task._manager)
        del task
        self.assertTrue(ended.wait(60))
        for _ in range(6000):  # a thread of the manager releases it
            gc.collect()
            if manager() is None:
                break
            threading.Event().wait(0.01)
        self.assertIsNone(manager())
        self.assertEqual(len(ckpt.load(self.place)["w"]), 1000)


class Queueing(Folder):
    def test_full(self):
        with ckpt.AsyncManager(self.place, capacity=1) as manager:
            first = manager.save(self.weights(), 1, gate_step=9)
            with self.assertRaises(ckpt.QueueFullError):
                manager.save(self.weights(), 2, when_full=ckpt.WhenFull.REFUSE)
            with self.assertRaises(ckpt.QueueFullError):
                manager.save(self.weights(), 2, timeout_ns=1000000)
            self.assertEqual(manager.stats().rejected_tasks, 2)
            third = manager.save(self.weights(), 3, when_full=ckpt.WhenFull.DROP_OLDEST)
            result = first.wait()
            self.assertEqual(result.state, ckpt.CheckpointTaskState.REJECTED)
            with self.assertRaises(ckpt.QueueFullError):
                first.result()
            self.assertTrue(third.wait().success)
            fourth = manager.save(self.weights(), 4, gate_step=9)
            waited = []
            thread = threading.Thread(target=lambda: waited.append(manager.save(self.weights(), 5, when_full=ckpt.WhenFull.WAIT)))
            thread.start()  # needs the GIL: waiting for the queue must not hold it
            manager.end_step(9)
            thread.join()
            self.assertTrue(fourth.wait().success and waited[0].wait().success)

    def test_priorities(self):
        order = []
        with ckpt.AsyncManager(self.place, on_ended=lambda result: order.append(result.step)) as manager:
            for step, priority in ((2, ckpt.Priority.LOW), (3, ckpt.Priority.NORMAL), (4, ckpt.Priority.HIGH)):
                manager.save(self.weights(), step, gate_step=1, priority=priority)
            manager.save(self.weights(), 1).wait()  # overtakes them
            manager.end_step(1)
            manager.wait()
        self.assertEqual(order, [1, 4, 3, 2])

    def test_many_threads(self):
        with ckpt.AsyncManager(ckpt.Storage.memory(), keep_last=2, capacity=64, workers=2) as manager:
            failures, tasks = [], []

            def work(number):
                try:
                    for step in range(20):
                        task = manager.save({"w": bytearray(64)}, number * 100 + step, when_full=ckpt.WhenFull.WAIT)
                        tasks.append(task)
                        if step % 3 == 0:
                            task.wait()
                        elif step % 3 == 1:
                            task.cancel()
                except Exception as error:
                    failures.append(error)

            threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            manager.wait_staged()
            manager.wait()
            for task in tasks:
                task.wait()
            stats = manager.stats()
            self.assertEqual(failures, [])
            self.assertEqual(stats.completed_tasks + stats.cancelled_tasks, 80)
            self.assertEqual(stats.failed_tasks, 0)

    def test_close(self):
        manager = ckpt.AsyncManager(self.place)
        task = manager.save(self.weights(), 1, gate_step=1)
        manager.close(cancel=True)
        self.assertEqual(task.wait().state, ckpt.CheckpointTaskState.CANCELLED)
        manager.close()
        with self.assertRaises(ckpt.ClosedError):
            manager.save(self.weights(), 2)
        with self.assertRaisesRegex(ckpt.InvalidArgumentError, "at_exit 'never'"):
            ckpt.AsyncManager(self.place, at_exit="never")
        with self.assertRaisesRegex(ckpt.InvalidArgumentError, "workers"):
            ckpt.AsyncManager(self.place, workers=0)


class Blocking(ckpt.CustomStorage):
    """A storage in memory that blocks the creation of files while its door is closed, and with it everything that waits for a
    save."""

    def __init__(self):
        self.open_door = threading.Event()
        self.open_door.set()
        self.inner = {}

    def create(self, path):
        self.open_door.wait()
        self.inner[path] = bytearray()
        return path

    def open(self, path):
        if path not in self.inner:
            raise FileNotFoundError(path)
        return path

    def close(self, file):
        pass

    def file_size(self, file):
        return len(self.inner[file])

    def read(self, file, offset, buffer):
        data = self.inner[file][offset:offset + len(buffer)]
        buffer[:len(data)] = data
        return len(data)

    def write(self, file, offset, data):
        content = self.inner[file]
        content.extend(bytes(max(0, offset + len(data) - len(content))))
        content[offset:offset + len(data)] = data

    def sync(self, file):
        pass

    def rename(self, from_path, to_path):
        for path in [path for path in self.inner if path == from_path or path.startswith(from_path + "/")]:
            self.inner[to_path + path[len(from_path):]] = self.inner.pop(path)

    def remove(self, path):
        del self.inner[path]

    def remove_directory(self, path):
        pass

    def make_directory(self, path):
        pass

    def sync_directory(self, path):
        pass

    def list(self, path):
        start = path + "/" if path else ""
        below = {name[len(start):] for name in self.inner if name.startswith(start)}
        folders = {name.split("/")[0] for name in below if "/" in name}
        return [(name, False) for name in below if "/" not in name] + [(name, True) for name in folders]

    def size(self, path):
        return len(self.inner[path])

    def lock(self, path):
        return path

    def unlock(self, lock):
        pass


class Lock(Folder):
    def test_nothing_waits_with_the_interpreters_lock(self):
        storage = Blocking()
        manager = ckpt.AsyncManager(ckpt.Storage.custom(storage), capacity=1)
        storage.open_door.clear()
        task = manager.save(self.weights(), 1)
        waits = [task.wait, task.result, task.future().result, manager.wait, lambda: asyncio.run(awaited()),
                 lambda: manager.save(self.weights(), 2, when_full=ckpt.WhenFull.WAIT)]

        async def awaited():
            await task

        inside = threading.Barrier(len(waits) + 1)

        def run(wait):
            inside.wait()
            wait()

        threads = [threading.Thread(target=run, args=(wait,)) for wait in waits]
        for thread in threads:
            thread.start()
        inside.wait()
        storage.open_door.set()  # not reached if a wait holds the GIL
        for thread in threads:
            thread.join()
        manager.wait()
        storage.open_door.clear()
        manager.save(self.weights(), 3)
        closing = threading.Thread(target=manager.close)
        closing.start()
        storage.open_door.set()
        closing.join()
        self.assertTrue(task.wait().success)


class OneLine(Folder):
    def test_save_async(self):
        array = np.arange(10)
        task = ckpt.save_async(self.place, {"w": array}, 1, values={"epoch": 4})
        array[:] = 0
        self.assertTrue(task.wait().success)
        self.assertEqual(ckpt.load(self.place)["w"].sum(), 45)
        ckpt.save(self.place, {"w": array}, 2)  # by the same manager's checkpoint
        with self.assertRaises(ckpt.BusyError):
            ckpt.CheckpointManager(self.place)
        ckpt.finish_saves(self.place)
        with ckpt.CheckpointManager(self.place) as checkpoint:
            self.assertEqual([info.step for info in checkpoint.list()], [2, 1])
        ckpt.finish_saves(self.place)

    def test_failures_are_raised_at_the_end(self):
        with Silent():
            ckpt.save_async(self.place, {"w": bytearray(8)}, 1, source=lambda *_: 1 / 0, mode=ckpt.StagingMode.DEFERRED)
            with self.assertRaises(ckpt.CallbackError):
                ckpt.finish_saves()

    def test_failures_of_several_places_are_raised_together(self):
        with Silent():
            for place in (self.place, self.place + "-other"):
                ckpt.save_async(place, {"w": bytearray(8)}, 1, source=lambda *_: 1 / 0, mode=ckpt.StagingMode.DEFERRED)
            with self.assertRaises(ckpt.CallbackError) as caught:
                ckpt.finish_saves()
        self.assertIsInstance(caught.exception.__context__, ckpt.CallbackError)

    def test_forked_child_has_none(self):
        ckpt.save_async(self.place, {"w": bytearray(8)}, 1)
        child = os.fork()
        if child == 0:
            os._exit(7 if not ckpt._oneline._shared else 1)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 7)
        ckpt.finish_saves()


class Memory(Folder):
    def test_many_saves_leave_memory_flat(self):
        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * 4096

        with ckpt.AsyncManager(ckpt.Storage.memory(), keep_last=1, history=10) as manager:
            for rounds in range(5):
                for step in range(400):
                    manager.save({"w": bytearray(4096)}, rounds * 400 + step, when_full=ckpt.WhenFull.WAIT,
                                 progress=lambda done, total: None).future()
                manager.wait()
                if rounds == 1:
                    gc.collect()
                    start = resident()
            self.assertLess(resident() - start, 4 << 20)


if __name__ == "__main__":
    unittest.main()
