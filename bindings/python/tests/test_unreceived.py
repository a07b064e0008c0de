"""Failures of background saves that cannot be returned to a caller, in real processes: standard error, the exit status, the log,
and the next save of the storage."""

import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

# Starts a save without retrieving its result, and removes its directory before a worker begins it.
LOSE = """
    import ckpt, gc, shutil, sys
    place = sys.argv[1]
    def lose(step=7):
        manager = ckpt.AsyncManager(place)
        manager.save({"w": bytearray(8)}, step, gate_step=10**6)
        shutil.rmtree(place)
        return manager
    def drop(step=7):
        manager = lose(step)
        manager.wait()  # tasks that have not ended keep their manager alive
        del manager
        gc.collect()
"""

# The manager goes out of scope.
LOST = LOSE + """
    drop()
    print("after")
"""

AT_EXIT = LOSE + """
    kept = lose()
"""

WITH_LOG = LOSE + """
    ckpt.set_log(lambda level, component, message: print(int(level), component, message), ckpt.LogLevel.ERROR)
    drop()
"""

WITH_HOOK = LOSE + """
    sys.unraisablehook = lambda given: print(type(given.exc_value).__name__, given.exc_value)
    drop()
"""

RAISED = LOSE + """
    manager = lose()
    try:
        manager.close()
    except ckpt.CkptError as error:
        print("raised", error)
"""

# A daemon thread is inside a call, so that the manager cannot be released.
INSIDE = LOSE + """
    import threading
    manager = lose()
    manager.wait()
    begun = threading.Event()
    def wait():
        with ckpt._base._call_of(manager):
            begun.set()
            threading.Event().wait()
    threading.Thread(target=wait, daemon=True).start()
    begun.wait()
"""

NEXT = LOSE + """
    ckpt.set_log(lambda *message: None)
    drop()
    with ckpt.CheckpointManager(place) as manager:
        first, second = manager.save({"w": bytearray(8)}, 8), manager.save({"w": bytearray(8)}, 9)
    print(first.unreported_failures, int(first.unreported_status), first.unreported_error)
    print(second.unreported_failures, int(second.unreported_status), repr(second.unreported_error))
    drop(10)
    with ckpt.AsyncManager(place) as manager:
        result = manager.save({"w": bytearray(8)}, 11).wait()
    print(result.unreported_failures, result.unreported_error)
"""

TEXT = "no caller has seen this failure: task 1 (save of step 7) failed: "


class Unreceived(unittest.TestCase):
    def run_program(self, program, setting=None):
        environment = dict(os.environ, PYTHONUNBUFFERED="1")
        environment.pop("CKPT_LOG", None)
        if setting is not None:
            environment["CKPT_LOG"] = setting
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, "-c", textwrap.dedent(program), os.path.join(folder, "run")], capture_output=True,
                                  text=True, timeout=300, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def expect_once(self, done):
        """Checks that the failure was printed once, only by sys.unraisablehook."""
        self.assertEqual(done.stderr.count(TEXT), 1, done.stderr)
        self.assertIn("CkptError: async: " + TEXT, done.stderr)
        self.assertNotIn("ckpt: async", done.stderr)

    def test_out_of_scope(self):
        done = self.run_program(LOST)
        self.expect_once(done)
        self.assertEqual(done.stdout, "after\n")

    def test_at_exit(self):
        self.expect_once(self.run_program(AT_EXIT))

    def test_at_exit_with_a_thread_inside(self):
        self.expect_once(self.run_program(INSIDE))

    def test_hook(self):
        done = self.run_program(WITH_HOOK)
        self.assertEqual(done.stderr, "")
        self.assertTrue(done.stdout.startswith("CkptError async: " + TEXT), done.stdout)
        self.assertEqual(done.stdout.count("\n"), 1)

    def test_log(self):
        done = self.run_program(WITH_LOG)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.stdout.count("3 async " + TEXT), 1, done.stdout)

    def test_caller(self):
        done = self.run_program(RAISED)
        self.assertEqual(done.stderr, "")
        self.assertTrue(done.stdout.startswith("raised task 1 (save of step 7) failed: "), done.stdout)

    def test_environment(self):
        self.assertEqual(self.run_program(LOST, "off").stderr, "")
        self.assertEqual(self.run_program(INSIDE, "off").stderr, "")
        done = self.run_program(LOST, "stderr")
        self.assertTrue(done.stderr.startswith("ckpt: async: " + TEXT), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_next_save_of_the_storage(self):
        done = self.run_program(NEXT)
        self.assertEqual(done.stderr, "")
        first, second, third = done.stdout.splitlines()
        self.assertTrue(first.startswith("1 -4 task 1 (save of step 7) failed: "), first)
        self.assertEqual(second, "0 0 ''")
        self.assertTrue(third.startswith("1 task 1 (save of step 10) failed: "), third)


if __name__ == "__main__":
    unittest.main()
