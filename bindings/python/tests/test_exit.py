"""Programs that exit while the library's objects are alive and working: clean exits, 20 of 20 (the long tests; else 6 of 6)."""

import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import unittest

import ckpt

TIMES = 20 if os.environ.get("CKPT_TEST_LONG") == "1" else 6

ALIVE = """
    import ckpt
    pool = ckpt.WorkerPool(4)
    pool.run(8, lambda part: None)
    tracker = ckpt.MemoryTracker()
    tracker.subscribe(lambda event: None)
    tracker.record_allocation("a", 1)
    ckpt.set_log(print)
    storage = ckpt.Storage.memory()
    checkpoint = ckpt.CheckpointManager(storage)
    source = bytearray(8)
    tensor = ckpt.Tensor.borrow(source)
    view = memoryview(tensor)
    strategy = ckpt.Strategy.custom(lambda question: True)
    hooks = ckpt.ThreadHooks(print, None)
    pool = ckpt.WorkerPool(1)
"""

DURING_PARTS = """
    import ckpt, threading, time
    pool = ckpt.WorkerPool(3)
    begun = threading.Event()
    def part(number):
        begun.set()
        time.sleep(0.0001)
    threading.Thread(target=lambda: pool.run(10**9, part), daemon=True).start()
    begun.wait()
"""

DURING_SAVES = """
    import ckpt, threading
    begun = threading.Event()
    def save():
        with ckpt.CheckpointManager(ckpt.Storage.memory(), keep_last=1) as checkpoint:
            state = ckpt.State({"w": bytearray(1 << 20)})
            for step in range(10**9):
                checkpoint.save(state, step)
                begun.set()
    threading.Thread(target=save, daemon=True).start()
    begun.wait()
"""

# A save that writes for a fifth of a second, or forever, when the interpreter exits.
DURING_ASYNC_SAVE = """
    import ckpt, sys
    place, at_exit, bytes_per_second = sys.argv[1], sys.argv[2], int(sys.argv[3])
    manager = ckpt.AsyncManager(place, at_exit=at_exit, bytes_per_second=bytes_per_second, drain_timeout_ns=-1)
    task = manager.save({"w": bytearray(8 << 20)}, 7, progress=lambda done, total: None,
                        on_ended=lambda result: print(result.state.name))
    while task.state == ckpt.CheckpointTaskState.QUEUED:
        pass
    assert task.state == ckpt.CheckpointTaskState.RUNNING
"""

# Signals arrive before or during the waits: a signal between two bytecodes must also work.
INTERRUPTED = """
    import ckpt, sys
    manager = ckpt.AsyncManager(sys.argv[1], at_exit="cancel", bytes_per_second=1)
    task = manager.save({"w": bytearray(8 << 20)}, 7)
    for name, wait in (("task", task.wait), ("manager", manager.wait), ("close", manager.close)):
        try:
            print(name)
            wait()
        except KeyboardInterrupt:
            print("interrupted")
    assert not manager.closed
"""

LISTENERS = """
    import ckpt, gc
    tracker = ckpt.MemoryTracker()
    tracker.subscribe(lambda event: None)
    manager = ckpt.AsyncManager(ckpt.Storage.memory(), keep_last=1, on_ended=lambda result: None)
    gc.collect()
    for step in range(1000):
        tracker.record_allocation("a", 1)
        if step % 10 == 0:
            manager.save({"w": bytearray(8)}, step, when_full=ckpt.WhenFull.WAIT, on_ended=lambda result: None)
"""


def run(program, *arguments):
    environment = dict(os.environ, PYTHONUNBUFFERED="1")
    return subprocess.run([sys.executable, "-c", textwrap.dedent(program), *arguments], capture_output=True, text=True, timeout=60,
                          env=environment)


class Exits(unittest.TestCase):
    def check(self, program, times):
        for _ in range(times):
            done = run(program)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("Fatal", done.stderr)

    def test_objects_alive(self):
        self.check(ALIVE, 5)

    def test_objects_in_a_cycle(self):
        self.check("import ckpt\n"
                   "tracker = ckpt.MemoryTracker()\n"
                   "tracker.subscribe(lambda event: tracker.stats())\n"
                   "tracker.record_allocation('a', 1)\n", 5)

    def test_during_saves_of_a_daemon_thread(self):
        self.check(DURING_SAVES, TIMES)

    def check_during_async_save(self, at_exit, bytes_per_second, end, steps):
        with tempfile.TemporaryDirectory() as folder:
            for number in range(TIMES):
                place = os.path.join(folder, str(number))
                done = run(DURING_ASYNC_SAVE, place, at_exit, str(bytes_per_second))
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(done.stdout.strip(), end)
                with ckpt.CheckpointManager(place) as checkpoint:
                    self.assertEqual([info.step for info in checkpoint.list()], steps)
                    if steps:
                        checkpoint.verify()

    def test_running_save_is_waited_for(self):
        self.check_during_async_save("wait", 20 << 20, "COMPLETED", [7])

    def test_running_save_is_cancelled(self):
        self.check_during_async_save("cancel", 1 << 10, "CANCELLED", [])

    def test_save_async_is_waited_for(self):
        with tempfile.TemporaryDirectory() as folder:
            for number in range(TIMES):
                place = os.path.join(folder, str(number))
                done = run("import ckpt, sys\n"
                           "ckpt.save_async(sys.argv[1], {'w': bytearray(8 << 20)}, 7)\n", place)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(len(ckpt.load(place)["w"]), 8 << 20)

    def test_exit_by_an_exception_waits_too(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("import ckpt, sys\n"
                       "ckpt.save_async(sys.argv[1], {'w': bytearray(8 << 20)}, 7)\n"
                       "sys.exit(5)\n", folder)
            self.assertEqual((done.returncode, done.stderr), (5, ""))
            self.assertEqual(len(ckpt.load(folder)["w"]), 8 << 20)

    def test_an_unretrieved_failure_is_shown(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("import ckpt, sys\n"
                       "sys.unraisablehook = lambda given: print(type(given.exc_value).__name__, given.exc_value, file=sys.stderr)\n"
                       "ckpt.save_async(sys.argv[1], {'w': bytearray(8)}, 7, source=lambda *_: 1 / 0)\n", folder)
            self.assertEqual(done.returncode, 0)
            self.assertIn("CkptError async: no caller has seen this failure: task 1 (save of step 7) failed: ", done.stderr)
            self.assertIn("ZeroDivisionError", done.stderr)

    def test_control_c_ends_a_wait(self):
        with tempfile.TemporaryDirectory() as folder:
            program = textwrap.dedent(INTERRUPTED)
            with subprocess.Popen([sys.executable, "-u", "-c", program, folder], stdout=subprocess.PIPE, text=True) as waiting:
                for end in ("task", "manager", "close"):
                    self.assertEqual(waiting.stdout.readline().strip(), end)
                    waiting.send_signal(signal.SIGINT)
                    self.assertEqual(waiting.stdout.readline().strip(), "interrupted")
                self.assertEqual(waiting.wait(60), 0)

    def test_listeners_without_references(self):
        self.check(LISTENERS, 5)

    def test_during_parts_of_a_daemon_thread(self):
        self.check(DURING_PARTS, TIMES)

    def test_exit_inside_a_callback_is_reported_not_obeyed(self):
        done = run("import ckpt, sys\n"
                   "tracker = ckpt.MemoryTracker()\n"
                   "tracker.subscribe(lambda event: sys.exit(3))\n"
                   "tracker.record_allocation('a', 1)\n"
                   "print('continued')\n")
        self.assertEqual(done.returncode, 0)
        self.assertIn("continued", done.stdout)
        self.assertIn("SystemExit", done.stderr)

    def test_import_twice_and_fork(self):
        done = run("import ckpt, os\n"
                   "pool = ckpt.WorkerPool(1)\n"
                   "child = os.fork()\n"
                   "if child == 0:\n"
                   "    try:\n"
                   "        pool.run(1, print)\n"
                   "    except ckpt.ForkedError:\n"
                   "        os._exit(7)\n"
                   "    os._exit(1)\n"
                   "assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7\n")
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
