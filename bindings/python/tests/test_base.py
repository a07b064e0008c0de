"""Errors, log, clocks, queues, pools, thread hooks."""

import builtins
import gc
import subprocess
import sys
import unittest
import weakref

import ckpt


class Silent:
    """Collects the arguments of sys.unraisablehook."""

    def __enter__(self):
        self.before, self.seen = sys.unraisablehook, []
        sys.unraisablehook = lambda u: self.seen.append(type(u.exc_value).__name__)
        return self.seen

    def __exit__(self, *_):
        sys.unraisablehook = self.before


class Errors(unittest.TestCase):
    def test_tree(self):
        self.assertTrue(issubclass(ckpt.TimeoutError, ckpt.CkptError))
        self.assertTrue(issubclass(ckpt.TimeoutError, builtins.TimeoutError))
        self.assertTrue(issubclass(ckpt.QueueFullError, ckpt.CkptError))
        self.assertTrue(issubclass(ckpt.CorruptError, ckpt.CkptError))
        self.assertEqual(ckpt.CorruptError("x").status_name, "CORRUPT")

    def test_text_names_argument(self):
        with self.assertRaisesRegex(ckpt.InvalidArgumentError, "thread_count is -1"):
            ckpt.WorkerPool(-1)
        with self.assertRaises(ValueError):
            ckpt.WorkerPool(1025)

    def test_closed_object(self):
        clock = ckpt.Clock(1)
        clock.close()
        clock.close()
        self.assertTrue(clock.closed)
        with self.assertRaisesRegex(ckpt.InvalidStateError, "the Clock is closed"):
            clock.advance(1)

    def test_wrong_types(self):
        with self.assertRaises(TypeError):
            ckpt.WorkerPool("many")
        with self.assertRaises(ValueError):
            ckpt.Strategy("interval:2\0")
        with self.assertRaises(TypeError):
            ckpt.Strategy(3)

    def test_version(self):
        major, minor, patch = (int(x) for x in ckpt.version_string().split("."))
        self.assertEqual(ckpt.version(), major * 1000000 + minor * 1000 + patch)
        self.assertTrue(ckpt.feature("safetensors"))
        self.assertFalse(ckpt.feature("none such"))


class Import(unittest.TestCase):
    def test_warnings_may_be_errors(self):
        # Some versions of SWIG and Python warn about the extension's types; as an error, that crashes the process.
        done = subprocess.run([sys.executable, "-W", "error", "-c", "import ckpt, warnings; warnings.warn('still an error')"],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stderr.splitlines()[-1], "UserWarning: still an error")


class Objects(unittest.TestCase):
    def test_clock(self):
        clock = ckpt.Clock(5)
        clock.advance(10)
        self.assertEqual(clock.now(), 15)
        times = iter([3, 4])
        custom = ckpt.Clock.custom(lambda: next(times))
        self.assertEqual([custom.now(), custom.now()], [3, 4])
        with Silent() as seen:
            self.assertEqual(custom.now(), 4)  # raised StopIteration: the last time
        self.assertEqual(seen, ["StopIteration"])
        self.assertGreater(ckpt.monotonic_ns(), 0)

    def test_philox(self):
        self.assertEqual(ckpt.philox([0] * 4, [0] * 2), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8))
        with self.assertRaises(ValueError):
            ckpt.philox([0], [0, 0])

    def test_log(self):
        received = []
        ckpt.set_log(lambda *message: received.append(message), ckpt.LogLevel.DEBUG)
        ckpt.set_log(None)
        with self.assertRaises(ckpt.InvalidArgumentError):
            ckpt.set_log(lambda *message: None, 99)

    def test_a_callable_is_released_with_the_library(self):
        class Listener:
            def __call__(self, *message):
                pass

        listener = Listener()
        alive = weakref.ref(listener)
        ckpt.set_log(listener)
        del listener
        gc.collect()
        self.assertIsNotNone(alive())
        ckpt.set_log(None)
        gc.collect()
        self.assertIsNone(alive())


class Pools(unittest.TestCase):
    def test_parts_on_threads_of_the_library(self):
        with ckpt.WorkerPool(3) as pool:
            self.assertEqual(pool.thread_count, 3)
            done = []
            pool.run(100, done.append)
            self.assertEqual(sorted(done), list(range(100)))

    def test_exception_in_part(self):
        def part(number):
            if number == 20:
                raise KeyError("twenty")

        with ckpt.WorkerPool(2) as pool, Silent() as seen:
            with self.assertRaisesRegex(ckpt.CallbackError, "KeyError: 'twenty'"):
                pool.run(50, part)
            self.assertIn("KeyError", seen)
            pool.run(5, lambda number: None)

    def test_system_exit_in_part_ends_nothing(self):
        with ckpt.WorkerPool(1) as pool, Silent() as seen:
            with self.assertRaisesRegex(ckpt.CallbackError, "SystemExit"):
                pool.run(1, lambda number: sys.exit(3))
            self.assertEqual(seen, ["SystemExit"])

    def test_hooks(self):
        started, stopped = [], []
        hooks = ckpt.ThreadHooks(started.append, stopped.append)
        with ckpt.WorkerPool(3):
            pass
        hooks.close()
        self.assertEqual(len(started), 2)
        self.assertEqual(sorted(started), sorted(stopped))


if __name__ == "__main__":
    unittest.main()
