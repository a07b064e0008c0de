"""Python idioms: mappings, reprs, async with, logging, numbers of numpy, invalid folder names."""

import asyncio
import logging
import os
import pathlib
import tempfile
import unittest

import ckpt
import numpy as np


class Idioms(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "run")

    def tearDown(self):
        self.folder.cleanup()

    def test_a_reader_is_a_mapping(self):
        w, b = np.arange(60.0).reshape(5, 4, 3), np.ones(2, np.int32)
        ckpt.save_file(self.path + ".safetensors", {"w": w, "b": b, "empty": np.zeros((0, 2)), "one": np.array(3.5)})
        with ckpt.Reader(self.path + ".safetensors") as reader:
            self.assertEqual(sorted(reader.keys()), ["b", "empty", "one", "w"])
            self.assertTrue("w" in reader and "v" not in reader and 3 not in reader)
            loaded = dict(reader)
            self.assertTrue(np.array_equal(loaded["w"], w) and loaded["one"] == 3.5)
            for where in ((slice(1, 3),), (slice(None, -1), 2), (slice(4, 1),), (slice(None, None, 2),), (2,), (-1, slice(1, 2)), (..., 0), (),
                          (slice(1, 3), slice(None), 1)):
                with self.subTest(where=where):
                    self.assertTrue(np.array_equal(reader[("w", *where)], w[where]))
                    self.assertEqual(reader[("w", *where)].shape, w[where].shape)
            self.assertEqual(reader["empty", 0:1].shape, (0, 2))
            self.assertEqual(reader["one", ...], 3.5)
            with self.assertRaisesRegex(KeyError, "'v'"):
                reader["v"]
            with self.assertRaises(IndexError):
                reader["w", 9]

            self.assertEqual({key: value.shape for key, value in reader.items()}, {key: loaded[key].shape for key in loaded})
            self.assertEqual((len(list(reader.values())), reader.get("v", 7), reader.get("one")), (4, 7, 3.5))
            for key in (3, b"w", None, (3, slice(1))):
                with self.subTest(key=key), self.assertRaisesRegex(TypeError, "tensor name: expected a string, found "):
                    reader[key]

    def test_names_of_several_groups(self):
        ckpt.save(self.path, {"model": {"w": np.ones(1), "a/b": np.zeros(1)}, "other": {"w": np.full(1, 2.0)}})
        with ckpt.CheckpointManager(self.path, read_only=True) as checkpoints, checkpoints.reader() as reader:
            self.assertEqual(sorted(reader.keys()), ["model/a/b", "model/w", "other/w"])
            self.assertEqual([reader[key][0] for key in ("model/w", "other/w", "model/a/b")], [1, 2, 0])

    def test_states(self):
        with ckpt.State({"w": np.ones(2)}) as state:
            state["epoch"] = 3
            self.assertTrue("epoch" in state and "step" not in state and 3 not in state)
            state["best"] = [0.5]
            self.assertEqual((list(state), list(state.keys()), len(state)), (["best", "epoch"], ["best", "epoch"], 2))
            self.assertEqual(dict(state), {"best": [0.5], "epoch": 3})
            self.assertEqual((state.items(), state.values()), ([("best", [0.5]), ("epoch", 3)], [[0.5], 3]))
            with self.assertRaisesRegex(TypeError, "^other.v: a object has neither a buffer"):
                state.add("other", "v", object())
            self.assertEqual(repr(state), "<ckpt.State: 1 tensors>")
        self.assertEqual(repr(state), "<ckpt.State, closed>")
        self.assertIn("F32", repr(ckpt.Tensor("F32", [2])))
        with ckpt.MemoryTracker() as tracker:
            self.assertEqual(repr(tracker), "<ckpt.MemoryTracker>")

    def test_a_manager_saves_what_ckpt_save_does(self):
        with ckpt.CheckpointManager(self.path) as checkpoints:
            checkpoints.save({"w": np.ones(2), "lr": 0.5}, 1, metric=np.float32(0.25))
            checkpoints.save({"w": np.ones(2)}, 2, values={"epoch": 7})
            self.assertEqual(checkpoints.list()[1].metric, 0.25)
            for wrong in ("0.5", 1j, np.ones(2), 10**400):
                with self.assertRaisesRegex((TypeError, ValueError, OverflowError), "^metric"):
                    checkpoints.save({"w": np.ones(2)}, 3, metric=wrong)
            with self.assertRaisesRegex(ckpt.UnsupportedError, "f: a builtins.function"):
                checkpoints.save({"f": lambda: 0}, 3)
        self.assertEqual(ckpt.load(self.path, ckpt.CheckpointManager(self.path, read_only=True).find_step(1).name)["lr"], 0.5)

    def test_enums_print_as_names(self):
        self.assertEqual((str(ckpt.DType.F32), f"{ckpt.Verify.LAZY}", f"{ckpt.DType.F32:>5s}|{ckpt.DType.F32:03d}"), ("F32", "LAZY", "  F32|018"))
        self.assertEqual(str(ckpt.DType(99)), "UNKNOWN_99")
        self.assertEqual(int(ckpt.DType.F32), 18)

    def test_async_with(self):
        async def run():
            async with ckpt.AsyncManager(self.path) as manager:
                task = manager.save({"epoch": 1, "w": np.ones(100000)}, 1)
                await task
            return manager.closed

        self.assertTrue(asyncio.run(run()))
        self.assertEqual(ckpt.load(self.path)["epoch"], 1)

        async def fails():
            async with ckpt.AsyncManager(self.path):
                raise KeyError("mine")

        with self.assertRaisesRegex(KeyError, "mine"):
            asyncio.run(fails())

    def test_a_logger(self):
        logger = logging.getLogger("test_of_ckpt")
        try:
            ckpt.set_log(logger, ckpt.LogLevel.INFO)
            with self.assertLogs(logger, logging.DEBUG) as seen:
                os.makedirs(os.path.join(self.path, "step-000000000003-0badcafe"))
                with ckpt.CheckpointManager(self.path):
                    pass
        finally:
            ckpt.set_log(None)
        self.assertTrue(any(record.name == "test_of_ckpt.state" and "torn-step-000000000003" in record.getMessage()
                            for record in seen.records), seen.output)

    def test_level_of_a_logger(self):
        """The levels of the logger and its parents select the messages, also when they change later."""
        parent = logging.getLogger("test_of_ckpt_levels")
        logger = parent.getChild("run")
        seen = []
        handler = logging.Handler()
        handler.emit = lambda record: seen.append(record)
        parent.addHandler(handler)
        parent.propagate = False
        try:
            ckpt.set_log(logger)
            levels = []
            for change in (lambda: parent.setLevel(logging.WARNING), lambda: parent.setLevel(logging.INFO),
                           lambda: logger.setLevel(logging.ERROR), lambda: logger.setLevel(logging.NOTSET),
                           lambda: logging.getLogger("test_of_ckpt_levels.run.async").setLevel(logging.CRITICAL)):
                change()
                del seen[:]
                ckpt.AsyncManager(self.path).close()  # INFO: created, shut down
                levels.append({record.levelno for record in seen})
        finally:
            ckpt.set_log(None)
            parent.removeHandler(handler)
        self.assertEqual(levels, [set(), {logging.INFO}, set(), {logging.INFO}, set()])
        parent.setLevel(logging.DEBUG)
        logging.getLogger("test_of_ckpt_levels.run.async").setLevel(logging.NOTSET)
        parent.addHandler(handler)
        try:  # an explicit min_level applies, too
            del seen[:]
            ckpt.set_log(logger, ckpt.LogLevel.WARNING)
            ckpt.AsyncManager(self.path).close()
            self.assertEqual(seen, [])
        finally:
            ckpt.set_log(None)
            parent.removeHandler(handler)

    def test_invalid_loggers(self):
        for wrong in ("app", 3, logging.LoggerAdapter(logging.getLogger("x"), {})):
            with self.subTest(wrong=wrong), self.assertRaisesRegex(TypeError, "^function: expected a callable"):
                ckpt.set_log(wrong)

    def test_invalid_folders(self):
        here = os.getcwd()
        os.chdir(self.folder.name)
        try:
            for place, kind, text in [("~", ValueError, "begins with ~"), ("~/run", ValueError, "os.path.expanduser"),
                                      ("~root/run", ValueError, "begins with ~"), (pathlib.Path("~/run"), ValueError, "begins with ~"),
                                     ("gs://bucket/run", ckpt.UnsupportedError, "is not a folder|scheme 'gs'"),
                                     ("no/s3://bucket", ckpt.UnsupportedError, "is not a folder"),
                                     (pathlib.Path("s3://bucket/run"), ckpt.UnsupportedError, "is not a folder")]:
                for call in (lambda: ckpt.save(place, {"w": np.ones(1)}), lambda: ckpt.load(place), lambda: ckpt.CheckpointManager(place),
                             lambda: ckpt.AsyncManager(place), lambda: ckpt.save_async(place, {"w": np.ones(1)}),
                             lambda: ckpt.Storage(place), lambda: ckpt.Reader(place), lambda: ckpt.save_file(place, {"w": np.ones(1)})):
                    with self.subTest(place=place), self.assertRaisesRegex(kind, text):
                        call()
            self.assertEqual(os.listdir("."), [])
        finally:
            os.chdir(here)


if __name__ == "__main__":
    unittest.main()
