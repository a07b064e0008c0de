"""Programs that end with the library's objects alive, whatever they are doing: clean exits, 20 of 20."""

import os
import subprocess
import sys
import textwrap
import unittest

ALIVE = """
    import ckpt
    pool = ckpt.ThreadPool(4)
    pool.run(8, lambda part: None)
    tracker = ckpt.MemoryTracker()
    tracker.subscribe(lambda event: None)
    tracker.record_allocation("a", 1)
    ckpt.set_log(print)
    storage = ckpt.Storage.memory()
    checkpoint = ckpt.Checkpoint(storage)
    source = bytearray(8)
    tensor = ckpt.Tensor.borrow(source)
    view = memoryview(tensor)
    strategy = ckpt.Strategy.custom(lambda question: True)
    hooks = ckpt.ThreadHooks(print, None)
    queue = ckpt.Queue(1)
"""

DURING_PARTS = """
    import ckpt, threading, time
    pool = ckpt.ThreadPool(3)
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
        with ckpt.Checkpoint(ckpt.Storage.memory(), keep_last=1) as checkpoint:
            state = ckpt.State({"w": bytearray(1 << 20)})
            for step in range(10**9):
                checkpoint.save(state, step)
                begun.set()
    threading.Thread(target=save, daemon=True).start()
    begun.wait()
"""


def run(program):
    environment = dict(os.environ, PYTHONUNBUFFERED="1")
    return subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=60, env=environment)


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
        self.check(DURING_SAVES, 20)

    def test_during_parts_of_a_daemon_thread(self):
        self.check(DURING_PARTS, 20)

    def test_exit_inside_a_callback_is_reported_not_obeyed(self):
        done = run("import ckpt, sys\n"
                   "tracker = ckpt.MemoryTracker()\n"
                   "tracker.subscribe(lambda event: sys.exit(3))\n"
                   "tracker.record_allocation('a', 1)\n"
                   "print('went on')\n")
        self.assertEqual(done.returncode, 0)
        self.assertIn("went on", done.stdout)
        self.assertIn("SystemExit", done.stderr)

    def test_import_twice_and_fork(self):
        done = run("import ckpt, os\n"
                   "queue = ckpt.Queue(1)\n"
                   "child = os.fork()\n"
                   "if child == 0:\n"
                   "    try:\n"
                   "        queue.push(1)\n"
                   "    except ckpt.ForkedError:\n"
                   "        os._exit(7)\n"
                   "    os._exit(1)\n"
                   "assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7\n")
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
