"""Arrays of State.add_tree with memory that cannot be shared: each save stores their contents at that time, and a load fills
them."""

import tempfile
import unittest

import ckpt
import numpy as np


def arrays():
    """Returns one array of each kind that must be converted, and one that need not be."""
    base = np.arange(24, dtype=np.float32).reshape(4, 6)
    return {
        "shared": np.arange(6.0).reshape(2, 3),
        "transposed": base.copy().T,
        "columns": np.asfortranarray(base),
        "strided": base.copy()[::2, 1:4],
        "reversed": np.arange(5, dtype=np.int16)[::-1],
        "channels last": np.arange(2 * 3 * 2 * 2, dtype=np.float64).reshape(2, 2, 2, 3).transpose(0, 3, 1, 2),
        "big-endian": np.arange(3, dtype=">f4"),
        "big-endian complex128": np.arange(3).astype(">c16"),
        "complex128": np.arange(6).astype(np.complex128).reshape(2, 3).T,
        "truths": np.array([[True, False, True], [False, False, True]]).T,
        "overlapping": np.lib.stride_tricks.as_strided(np.arange(4.0), (3, 2), (8, 8)),
    }


def change(tree, step):
    for array in tree.values():
        array[...] = array + step if array.dtype != bool else ~array


def same(left, right):
    return all(left[name].tobytes() == right[name].tobytes() for name in left) and list(left) == list(right)


class Saves(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def read(self, step, group="run"):
        with ckpt.CheckpointManager(self.folder, read_only=True) as manager, manager.reader(step) as reader:
            return {name: np.array(array) for name, array in reader.tree(group).items()}

    def test_each_save_reads_them_again(self):
        tree, kept = arrays(), []
        with ckpt.CheckpointManager(self.folder) as manager, ckpt.State() as state:
            state.add_tree("run", tree)
            for step in range(3):
                manager.save(state, step)
                kept.append({name: array.copy() for name, array in tree.items()})
                change(tree, step + 1)
        for step in range(3):
            self.assertTrue(same(self.read(step), kept[step]), step)

    def test_in_the_background(self):
        for mode in (ckpt.StagingMode.COPY, ckpt.StagingMode.DEFERRED, ckpt.StagingMode.BORROW):
            tree, kept = arrays(), []
            with ckpt.AsyncManager(self.folder) as manager, ckpt.State() as state:
                state.add_tree("run", tree)
                for step in range(3):
                    task = manager.save(state, 10 * mode + step, mode=mode)
                    again = manager.save(state, 100 + 10 * mode + step, mode=mode)  # nothing has changed
                    task.wait_staged()
                    again.wait_staged()
                    kept.append({name: array.copy() for name, array in tree.items()})
                    change(tree, step + 1)
            for step in range(3):
                self.assertTrue(same(self.read(10 * mode + step), kept[step]), (mode, step))
                self.assertTrue(same(self.read(100 + 10 * mode + step), kept[step]), (mode, step))

    def test_a_load_fills_them(self):
        saved = arrays()
        change(saved, 7)
        ckpt.save(self.folder, {"tree": saved, "it": 0}, 1)
        for load in (lambda state: ckpt.CheckpointManager(self.folder).load(state),
                     lambda state: ckpt.AsyncManager(self.folder).load(state).result()):
            mine = arrays()
            with ckpt.State() as state:
                state.add_tree("tree", {"tree": mine, "it": 0})
                load(state)
                self.assertTrue(same(mine, saved))
                found = state.tree("tree")["tree"]
                for name in mine:
                    self.assertTrue(same(found, saved), name)
                    self.assertTrue(np.shares_memory(found[name], mine[name]), name)

    def test_a_run_that_continues_with_what_tree_returned(self):
        saved = arrays()
        change(saved, 7)
        with ckpt.State() as state, ckpt.CheckpointManager(self.folder) as manager:
            state.add_tree("run", saved)
            manager.save(state, 1)
        with ckpt.State() as state, ckpt.CheckpointManager(self.folder) as manager:
            state.add_tree("run", arrays())
            manager.load(state)
            run = state.tree("run")  # the objects that were added are not used any more
            change(run, 1)
            manager.save(state, 2)
        self.assertTrue(same(self.read(2), run))

    def test_stateful_objects_with_trees(self):
        class Model(ckpt.Stateful):
            def __init__(self):
                self.tree, self.seen = arrays(), None

            def list(self, into):
                into.add_tree("weights", self.tree)

            def restore(self, loaded):
                self.seen = {name: array.copy() for name, array in self.tree.items()}

        saved, mine = Model(), Model()
        change(saved.tree, 3)
        with ckpt.CheckpointManager(self.folder) as manager:
            manager.save(saved, 1)
            manager.load(mine)
        self.assertTrue(same(mine.tree, saved.tree))
        self.assertTrue(same(mine.seen, saved.tree))  # filled before restore is called

    def test_files_of_one_state(self):
        tree = {"w": np.arange(6.0).reshape(2, 3).T}
        with ckpt.State() as state, ckpt.CheckpointManager(self.folder) as manager:
            state.add_tree("run", tree)
            state.add_tree("other", {"v": np.arange(4.0)[::-1]})
            tree["w"][...] = 9
            manager.save(state, 1)
            self.assertEqual(sorted(group["name"] for group in manager.manifest(1)["groups"]), ["other", "run"])
            self.assertEqual(manager.manifest(1)["values"], {})
        self.assertEqual(self.read(1)["w"].tolist(), [[9.0, 9.0]] * 3)

    def test_arrays_that_cannot_be_written(self):
        for array in (np.broadcast_to(np.float32(3), (2, 2)), np.arange(6)[::2]):
            array.flags.writeable = False
            with ckpt.CheckpointManager(self.folder) as manager, ckpt.State() as state:
                state.add_tree("run", {"w": array, "n": 1})
                manager.save(state, 1)
                with self.assertRaisesRegex(ckpt.CkptError, "read-only"):
                    manager.load(state)

    def test_memory_that_changes_under_an_array_that_cannot_be_written(self):
        memory = np.arange(6)
        array = memory[::2]
        array.flags.writeable = False
        with ckpt.CheckpointManager(self.folder) as manager, ckpt.State() as state:
            state.add_tree("run", {"w": array})
            memory[:] = 5
            manager.save(state, 1)
        self.assertEqual(self.read(1)["w"].tolist(), [5, 5, 5])

    def test_a_failed_load_changes_no_array(self):
        with ckpt.CheckpointManager(self.folder) as manager, ckpt.State() as state:
            state.add_tree("run", {"w": np.arange(6.0).reshape(2, 3).T})
            manager.save(state, 1)
        mine = {"w": np.zeros((2, 3)).T, "more": np.zeros(3)[::-1]}
        with ckpt.CheckpointManager(self.folder) as manager, ckpt.State() as state:
            state.add_tree("run", mine)
            with self.assertRaises(ckpt.CkptError):
                manager.load(state)
        self.assertEqual(mine["w"].sum(), 0)


class Imports(unittest.TestCase):
    def test_dlpack_is_asked_not_to_copy(self):
        asked = []

        class Producer:
            array = np.arange(3.0)

            def __dlpack__(self, **options):
                asked.append(options)
                if "copy" in options and self.is_older or options and self.is_oldest:
                    raise TypeError("unexpected keyword argument")
                return self.array.__dlpack__()

            def __dlpack_device__(self):
                return (1, 0)

        for older, oldest, calls in ((False, False, 1), (True, False, 2), (True, True, 3)):
            asked.clear()
            Producer.is_older, Producer.is_oldest = older, oldest
            tensor = ckpt.as_tensor(Producer())
            self.assertEqual(tensor.address, Producer.array.ctypes.data)
            self.assertEqual(asked[0], {"max_version": (1, 1), "copy": False})
            self.assertEqual(len(asked), calls)

    def test_states_of_arrays_refuse_what_they_cannot_share(self):
        for name, array in arrays().items():
            if name != "shared":
                with self.subTest(name), self.assertRaisesRegex((TypeError, ckpt.CkptError, BufferError), "^w: "):
                    ckpt.State({"w": array})

    def test_masks_are_not_dropped(self):
        masked = np.ma.masked_array([1.0, 2.0], mask=[True, False])
        for share in (ckpt.as_tensor, lambda array: ckpt.State({"w": array}), lambda array: ckpt.State().add("g", "w", array)):
            with self.assertRaisesRegex(ckpt.UnsupportedError, "its mask would be lost"):
                share(masked)


if __name__ == "__main__":
    unittest.main()
