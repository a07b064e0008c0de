"""progress= of every long call: the bytes never decrease and end at the total, for a callable or a bar; an exception ends the
call."""

import os
import tempfile
import unittest

import ckpt
import numpy as np

BYTES = 9 << 20


class Bar:
    """A progress bar with the members of tqdm's that are used."""

    def __init__(self):
        self.total, self.n = None, 0

    def update(self, n):
        self.n += n


class Recorder:
    def __init__(self, stops_at=None):
        self.calls = []
        self.stops_at = stops_at

    def __call__(self, done, total):
        self.calls.append((done, total))
        if len(self.calls) == self.stops_at:
            raise ValueError("enough of it")


class Progress(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
        self.path = os.path.join(self.folder.name, "run")
        self.file = os.path.join(self.folder.name, "plain.safetensors")
        self.arrays = {name: np.full(BYTES, i + 1, np.uint8) for i, name in enumerate("abc")}

    def tearDown(self):
        self.folder.cleanup()

    def require_whole(self, call, total=3 * BYTES, about=False):
        received, bar = Recorder(), Bar()
        call(received)
        call(bar)
        name = f"{call}: {received.calls[:3]} .. {received.calls[-1]}"
        done = [done for done, _ in received.calls]
        self.assertEqual(done[0], 0, name)
        self.assertEqual(done, sorted(done), name)
        self.assertEqual(len(received.calls), len(set(received.calls)), name)
        self.assertEqual(received.calls[-1][0], received.calls[-1][1], name)
        self.assertEqual({total for _, total in received.calls}, {received.calls[-1][1]}, name)
        self.assertEqual((bar.n, bar.total), received.calls[-1], name)
        if about:  # headers, and the text of a tree
            self.assertTrue(total < received.calls[-1][1] < total + 10000, name)
        else:
            self.assertEqual(received.calls[-1], (total, total), name)
        return received.calls

    def test_loads_in_the_background(self):
        with ckpt.AsyncManager(self.path) as manager:
            manager.save(self.arrays, 1).wait()
            received, bar = Recorder(), Bar()
            manager.load(ckpt.State(self.arrays), progress=received).wait()
            manager.load(ckpt.State(self.arrays), progress=bar).wait()
        self.assertEqual(received.calls, sorted(received.calls))
        self.assertEqual((received.calls[-1], bar.n, bar.total), ((3 * BYTES, 3 * BYTES), 3 * BYTES, 3 * BYTES))

    def test_one_line(self):
        steps = iter(range(1, 100))
        calls = self.require_whole(lambda progress: ckpt.save(self.path, self.arrays, next(steps), progress=progress))
        self.assertGreater(len(calls), 5)
        self.require_whole(lambda progress: ckpt.load(self.path, progress=progress))
        self.require_whole(lambda progress: ckpt.load(self.path, ckpt.load(self.path).name, progress=progress))
        self.require_whole(lambda progress: ckpt.save_file(self.file, self.arrays, progress=progress))
        self.require_whole(lambda progress: ckpt.load_file(self.file, progress=progress))
        self.assertTrue(np.array_equal(ckpt.load_file(self.file, progress=Recorder())["b"], self.arrays["b"]))

    def test_trees(self):
        tree = {"layers": [self.arrays["a"], self.arrays["b"]], "epoch": 3}
        self.require_whole(lambda progress: ckpt.save(self.path, tree, 1, progress=progress), 2 * BYTES, about=True)
        self.require_whole(lambda progress: ckpt.load(self.path, progress=progress), 2 * BYTES, about=True)
        with ckpt.CheckpointManager(self.path, read_only=True) as manager, manager.reader() as reader:
            self.require_whole(lambda progress: reader.tree(progress=progress), 2 * BYTES, about=True)

    def test_managers(self):
        with ckpt.CheckpointManager(self.path) as manager, ckpt.State(self.arrays) as state:
            steps = iter(range(1, 100))
            self.require_whole(lambda progress: manager.save(state, next(steps), progress=progress))
            self.require_whole(lambda progress: manager.load(state, progress=progress))
            self.require_whole(lambda progress: manager.load_if_any(state, in_place=True, progress=progress))
            self.require_whole(lambda progress: manager.verify(progress=progress), about=True)
            self.require_whole(lambda progress: manager.reader(None, ckpt.Verify.FULL, progress=progress).close(), about=True)

    def test_readers(self):
        ckpt.save(self.path, self.arrays, 1)
        into = np.zeros(BYTES, np.uint8)
        with ckpt.CheckpointManager(self.path, read_only=True) as manager:
            with manager.reader() as reader:
                self.require_whole(lambda progress: reader.read("b", progress=progress), BYTES)
                self.require_whole(lambda progress: reader.read("b", into, progress=progress), BYTES)
            self.assertEqual(into[-1], 2)

            def of_a_slice(progress):
                with manager.reader() as reader:
                    reader.read_slice("a", 0, 1 << 20, progress=progress)

            def of_a_map(progress):
                with manager.reader() as reader:
                    reader.map("a", progress=progress)

            self.require_whole(of_a_slice, BYTES)
            self.require_whole(of_a_map, BYTES)

    def test_torch(self):
        try:
            import torch
        except ImportError:
            print("SKIP progress of torch helpers: PyTorch is not installed")
            return
        from ckpt import torch as ckpt_torch

        model = torch.nn.Linear(1500, 1500, bias=False)
        size = 1500 * 1500 * 4
        steps = iter(range(1, 100))
        self.require_whole(lambda progress: ckpt_torch.save(self.path, next(steps), model=model, progress=progress), size, about=True)
        self.require_whole(lambda progress: ckpt_torch.resume(self.path, model=model, progress=progress), size, about=True)
        self.require_whole(lambda progress: ckpt_torch.save_file(self.file, model.state_dict(), progress=progress), size)
        self.require_whole(lambda progress: ckpt_torch.load_file(self.file, progress=progress), size)
        place = os.path.join(self.folder.name, "plain")
        ckpt_torch.save(place, model.state_dict(), 1)
        self.require_whole(lambda progress: ckpt_torch.load_into(place, model.state_dict(), progress=progress), size)

    def test_its_exceptions_end_the_call(self):
        ckpt.save(self.path, self.arrays, 1)
        kept = ckpt.load(self.path).name
        w = np.zeros(BYTES, np.uint8)
        with ckpt.CheckpointManager(self.path) as manager, ckpt.State({"a": w, "b": w, "c": w}) as state:
            for call in (lambda: manager.save(state, 2, progress=Recorder(2)), lambda: manager.load(state, progress=Recorder(1)),
                         lambda: manager.verify(progress=Recorder(2)), lambda: ckpt.load(self.path, progress=Recorder(3)),
                         lambda: ckpt.save_file(self.file, self.arrays, progress=Recorder(2))):
                with self.assertRaisesRegex(ckpt.CallbackError, "enough of it"):
                    call()
            self.assertEqual([info.name for info in manager.list()], [kept])
            self.assertFalse(w.any())
            self.assertFalse(os.path.exists(self.file))
            received = Recorder(1)
            with self.assertRaises(ckpt.CallbackError):
                manager.verify(progress=received)
            manager.verify()
            self.assertEqual(len(received.calls), 1)

    def test_nested_calls(self):
        ckpt.save(self.path, self.arrays, 1)
        ckpt.save_file(self.file, self.arrays)
        inner = Recorder()

        def outer(done, total):
            outer.calls.append((done, total))
            if len(outer.calls) == 2:
                ckpt.load_file(self.file, progress=inner)

        outer.calls = []
        ckpt.load(self.path, progress=outer)
        self.assertEqual(outer.calls[-1], (3 * BYTES, 3 * BYTES))
        self.assertGreater(len(outer.calls), 6)
        self.assertEqual(inner.calls[-1], (3 * BYTES, 3 * BYTES))


if __name__ == "__main__":
    unittest.main()
