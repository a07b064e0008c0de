"""Checkpoints of several ranks, which are threads of this process, each with its own manager of one directory."""

import os
import tempfile
import threading
import unittest
import warnings

import ckpt
import numpy as np

WHOLE = np.arange(8 * 6, dtype=np.float32).reshape(8, 6)
TABLE = np.arange(5 * 4, dtype=np.int64).reshape(5, 4) * 3 - 7
BIAS = np.linspace(0, 1, 1000)


class RankGroup:
    """A group of ranks. Holds the bytes that each rank sends until all ranks have read them."""

    def __init__(self, ranks):
        self.ranks = ranks
        self.barrier = threading.Barrier(ranks)
        self.sent = [b""] * ranks
        self.gathers = 0

    def wait(self, timeout_ns):
        try:
            self.barrier.wait(timeout_ns / 1e9)
        except threading.BrokenBarrierError:
            raise TimeoutError("a rank did not come") from None


class Rank(ckpt.CustomCoordinator):
    def __init__(self, rank_group, rank):
        self.rank_group, self.rank = rank_group, rank

    def exchange(self, sent, received, timeout_ns):
        self.rank_group.sent[self.rank] = bytes(sent)
        self.rank_group.wait(timeout_ns)
        received[:] = b"".join(self.rank_group.sent)[: len(received)]
        self.rank_group.wait(timeout_ns)

    def barrier(self, timeout_ns):
        self.rank_group.wait(timeout_ns)

    def broadcast(self, data, root, timeout_ns):
        self.rank_group.sent[self.rank] = bytes(data)
        self.rank_group.wait(timeout_ns)
        data[:] = self.rank_group.sent[root]
        self.rank_group.wait(timeout_ns)

    def all_gather(self, sent, received, timeout_ns):
        self.exchange(sent, received, timeout_ns)

    def gather(self, sent, received, root, timeout_ns):
        if self.rank == root:
            self.rank_group.gathers += 1
        self.exchange(sent, received, timeout_ns)


def on_ranks(ranks, work):
    """Returns the results or exceptions of work(rank, coordinator) by rank."""
    rank_group, outcomes = RankGroup(ranks), [None] * ranks

    def run(rank):
        try:
            outcomes[rank] = work(rank, ckpt.Coordinator.custom(rank, ranks, Rank(rank_group, rank)))
        except Exception as error:
            outcomes[rank] = error

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(ranks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def damage(checkpoint):
    """Changes the last bytes of its first file of tensors."""
    name = min(name for name in os.listdir(checkpoint) if name.endswith(".safetensors"))
    with open(os.path.join(checkpoint, name), "r+b") as stream:
        stream.seek(-4, os.SEEK_END)
        stream.write(b"dmg!")


def rows_of(rank, ranks, length):
    return rank * length // ranks, (rank + 1) * length // ranks


def state_of(rank, ranks, whole, table, bias):
    """whole by rows; table by columns in two blocks on rank 0, and none on the others but the last; bias on each."""
    begin, end = rows_of(rank, ranks, 8)
    state = ckpt.State({"b": bias})
    state.add_sharded("model", "w", np.float32, whole.shape)
    state.add_block("model", "w", (begin, 0), whole[begin:end])
    state.add_sharded("model", "table", "I64", table.shape)
    for at, columns in enumerate(np.array_split(np.arange(4), 3)):
        if rank == (0 if at < 2 else ranks - 1):
            block = np.ascontiguousarray(table[:, columns[0]:columns[-1] + 1])
            state.add_block("model", "table", [0, columns[0]], block)
    return state


class Ranks(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "run")

    def tearDown(self):
        self.folder.cleanup()

    def outcomes(self, ranks, work):
        """Like on_ranks, but raises the error of a rank."""
        found = on_ranks(ranks, work)
        for outcome in found:
            if isinstance(outcome, Exception):
                raise outcome
        return found

    def save(self, ranks, step=3, **options):
        def work(rank, coordinator):
            with ckpt.CheckpointManager(self.path, coordinator=coordinator, timeout=60) as manager:
                state = state_of(rank, ranks, WHOLE, TABLE, BIAS)
                state["epoch"] = 2
                state["generator"] = {"seed": rank}
                return manager.save(state, step, **options)

        return self.outcomes(ranks, work)

    # ---- Saves ----

    def test_save_of_two(self):
        results = self.save(2, metric=0.5)
        self.assertEqual([(result.step, result.files, result.commit_sequence) for result in results], [(3, 2, 1)] * 2)
        self.assertEqual(results[0].name, results[1].name)
        self.assertEqual(sum(result.rank_bytes for result in results), results[0].bytes)
        written = WHOLE.nbytes + TABLE.nbytes + BIAS.nbytes  # the bias is written once
        self.assertTrue(written < results[0].bytes < written + 2000)
        self.assertGreater(min(result.rank_bytes for result in results), WHOLE.nbytes // 2)  # its rows
        with ckpt.CheckpointManager(self.path, read_only=True) as manager:
            info = manager.latest()
            self.assertEqual((info.name, info.world_size, info.metric), (results[0].name, 2, 0.5))
            self.assertEqual(manager.manifest(info.name)["format_version"], 2)
            for rank in range(2):
                self.assertEqual(manager.rank_values(info.name, rank), {"epoch": 2, "generator": {"seed": rank}})
                self.assertEqual(manager.rank_values(3, rank)["generator"]["seed"], rank)
            for rank, kind, text in ((2, ckpt.OutOfRangeError, "rank is 2"), (-1, ckpt.InvalidArgumentError, "rank is -1")):
                with self.assertRaisesRegex(kind, text):
                    manager.rank_values(info.name, rank)
            with self.assertRaisesRegex(ckpt.NotFoundError, "none"):
                manager.rank_values("none", 0)

    def test_save_in_the_background(self):
        def work(rank, coordinator):
            with ckpt.AsyncManager(self.path, coordinator=coordinator, timeout=60) as manager:
                state = state_of(rank, 2, WHOLE, TABLE, BIAS)
                return [manager.save(state, step).saved() for step in (1, 2)]

        for first, second in zip(*self.outcomes(2, work)):
            self.assertEqual((first.name, first.bytes), (second.name, second.bytes))
            self.assertEqual(first.rank_bytes + second.rank_bytes, first.bytes)
        with ckpt.CheckpointManager(self.path, read_only=True) as manager:
            self.assertEqual([(info.step, info.world_size) for info in manager.list()], [(2, 2), (1, 2)])

    def test_one_rank_saves_the_usual_format(self):
        tensors = {"w": ckpt.Sharded(WHOLE.shape, "float32", [((0, 0), WHOLE[:3]), ((3, 0), WHOLE[3:])]), "b": BIAS}
        result = ckpt.save(self.path, tensors, 4, values={"epoch": 2})
        self.assertEqual(result.rank_bytes, result.bytes)
        loaded = ckpt.load(self.path)
        self.assertEqual(loaded["w"].tobytes(), WHOLE.tobytes())
        self.assertEqual(loaded["b"].tobytes(), BIAS.tobytes())
        with ckpt.CheckpointManager(self.path, read_only=True) as manager:
            self.assertEqual((manager.latest().world_size, manager.manifest(4)["format_version"]), (1, 1))
            self.assertEqual(manager.rank_values(4, 0), {"epoch": 2})
            with self.assertRaises(ckpt.OutOfRangeError):
                manager.rank_values(4, 1)

    def test_a_safetensors_file_contains_all_blocks(self):
        file = os.path.join(self.folder.name, "plain.safetensors")
        blocks = {(0, 0): np.ascontiguousarray(WHOLE[:, :2]), (0, 2): np.ascontiguousarray(WHOLE[:, 2:])}
        ckpt.save_file(file, {"w": ckpt.Sharded(WHOLE.shape, "float32", blocks)})
        self.assertEqual(ckpt.load_file(file)["w"].tobytes(), WHOLE.tobytes())

    # ---- Loads ----

    def check_load(self, saved, ranks):
        self.save(saved)

        def work(rank, coordinator):
            whole, table, bias = np.zeros_like(WHOLE), np.zeros_like(TABLE), np.zeros_like(BIAS)
            begin, end = rows_of(rank, ranks, 8)
            tensors = {"w": ckpt.Sharded(whole.shape, "float32", {(begin, 0): whole[begin:end]}),
                       "table": ckpt.Sharded(table.shape, "I64", {(rank, 0): table[rank:rank + 2], (4, 0): table[4:]}), "b": bias}
            with ckpt.CheckpointManager(self.path, coordinator=coordinator, timeout=60) as manager:
                state = ckpt.State(tensors)
                result = manager.load(state)
            self.assertEqual((result.step, result.world_size), (3, saved))
            self.assertEqual(whole[begin:end].tobytes(), WHOLE[begin:end].tobytes())
            self.assertEqual(np.count_nonzero(whole), np.count_nonzero(WHOLE[begin:end]))
            self.assertEqual(table[rank:rank + 2].tobytes() + table[4:].tobytes(),
                             TABLE[rank:rank + 2].tobytes() + TABLE[4:].tobytes())
            self.assertEqual(bias.tobytes(), BIAS.tobytes())
            return dict(state), state.load_report().get("by_rank")

        return self.outcomes(ranks, work)

    def test_load_on_the_same_number_of_ranks(self):
        self.assertEqual(self.check_load(2, 2), [({"epoch": 2, "generator": {"seed": rank}}, None) for rank in range(2)])

    def test_load_on_more_and_fewer_ranks(self):
        self.assertEqual(self.check_load(2, 3), [({"epoch": 2}, ["generator"])] * 3)
        self.assertEqual(self.check_load(3, 1), [({"epoch": 2}, ["generator"])])

    def test_one_process_reads_all_ranks(self):
        self.save(2)
        with ckpt.CheckpointManager(self.path, read_only=True) as manager, manager.reader() as reader:
            self.assertEqual(reader["w"].tobytes(), WHOLE.tobytes())
            self.assertEqual(reader["table", 1:4].tobytes(), TABLE[1:4].tobytes())
            self.assertEqual(manager.verify().tensors, 3)
        loaded = ckpt.load(self.path)
        self.assertEqual([loaded[name].tobytes() for name in ("w", "table", "b")],
                         [array.tobytes() for array in (WHOLE, TABLE, BIAS)])

    # ---- In one line ----

    def test_one_line(self):
        def work(rank, coordinator):
            rows = slice(*rows_of(rank, 2, 8))
            saved = {"w": ckpt.Sharded(WHOLE.shape, np.float32, {(rows.start, 0): WHOLE[rows]}), "b": BIAS}
            with self.assertRaisesRegex(ckpt.InvalidArgumentError, "into is None"):
                ckpt.load(self.path, coordinator=coordinator)
            ckpt.save(self.path, {"model": saved, "more": {"r": BIAS.copy()}}, 8, coordinator=coordinator, timeout=60)
            columns = np.zeros((8, 3), np.float32)
            into = {"model": {"w": ckpt.Sharded(WHOLE.shape, np.float32, {(0, 3 * rank): columns}), "b": np.zeros(1000)},
                    "more": {"r": np.zeros(1000)}}
            self.assertIs(ckpt.load(self.path, into=into, coordinator=coordinator, timeout=60), into)
            self.assertEqual(columns.tobytes(), np.ascontiguousarray(WHOLE[:, 3 * rank:3 * rank + 3]).tobytes())
            self.assertEqual(into["more"]["r"].tobytes(), BIAS.tobytes())
            tree = {"epoch": rank, "history": [BIAS]}
            ckpt.save(self.path, tree, 9, coordinator=coordinator, timeout=60)  # the name of rank 0's checkpoint
            return ckpt.load(self.path, into={"epoch": None, "history": [np.zeros(1000)]}, coordinator=coordinator)

        for tree in self.outcomes(2, work):
            self.assertEqual(tree["history"][0].tobytes(), BIAS.tobytes())
            self.assertEqual(tree["epoch"], 0)

    def test_a_save_continues_from_what_the_ranks_loaded(self):
        def work(rank, coordinator):
            for step in (100, 200, 300):
                saved = ckpt.save(self.path, {"b": BIAS + step}, step, coordinator=coordinator)
            if rank == 0:
                damage(os.path.join(self.path, saved.name))
            coordinator.barrier()
            into = {"b": np.zeros(1000)}
            ckpt.load(self.path, into=into, coordinator=coordinator)
            self.assertEqual(into["b"][0], 200)
            return [ckpt.save(self.path, into, step, coordinator=coordinator).rolled_back for step in (210, 220)]

        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            self.assertEqual(self.outcomes(2, work), [[True, False]] * 2)
        self.assertEqual([each.category for each in warned], [ckpt.SkippedWarning] * 2)
        with ckpt.CheckpointManager(self.path, read_only=True) as manager:
            found = [(info.step, info.abandoned) for info in manager.list()]
        self.assertEqual(found, [(220, False), (210, False), (200, False), (100, False), (300, True)])

    # ---- Mistakes ----

    def test_invalid_blocks(self):
        block = np.zeros((2, 3), np.float32)
        with ckpt.State() as state:
            state.add_sharded("model", "w", "float32", (4, 3))
            for kind, text, name, offsets, array in (
                    (ckpt.OutOfRangeError, r"offsets\[0\] is 3 for a block of 2; 'w' has 4", "w", (3, 0), block),
                    (ckpt.OutOfRangeError, r"offsets\[1\] is -1", "w", (0, -1), block),
                    (ckpt.InvalidArgumentError, "ndim is 1", "w", (0,), block),
                    (ckpt.InvalidArgumentError, "tensor is F64; 'w' is F32", "w", (0, 0), np.zeros((2, 3))),
                    (ckpt.NotFoundError, "no sharded tensor 'v'", "v", (0, 0), block),
                    (TypeError, "str has neither a buffer", "w", (0, 0), "text"),
                    (TypeError, "", "w", 3, block)):
                with self.subTest(text=text), self.assertRaisesRegex(kind, text):
                    state.add_block("model", name, offsets, array)
            with self.assertRaisesRegex(ckpt.AlreadyExistsError, "'w'"):
                state.add_sharded("model", "w", "float32", (4, 3))
            with self.assertRaisesRegex(ckpt.InvalidArgumentError, "ndim|-1"):
                state.add_sharded("model", "x", "float32", (4, -1))
            state.add_block("model", "w", (2, 0), block)
            self.assertEqual(state.tensor_count, 1)
            with self.assertRaisesRegex(ckpt.OutOfRangeError, r"offsets\[0\] is 3 for a block of 2; 'y' has 4"):
                state.update({"x": block, "y": ckpt.Sharded((4, 3), "float32", {(0, 0): block, (3, 0): block})})
            with self.assertRaisesRegex(TypeError, r"^model.y: the buffer is not C-contiguous"):
                state.update({"model": {"x": block, "y": ckpt.Sharded((4, 3), "float32", {(0, 0): np.zeros((4, 6), "f4")[:, :3]})}})
            self.assertEqual(state.tensor_count, 1)  # nothing was added
        with self.assertRaisesRegex(ckpt.InvalidArgumentError, r"'w'.*\[2:4, 0:3\] is in no block"):
            ckpt.save(self.path, {"w": ckpt.Sharded((4, 3), "float32", {(0, 0): block})})
        with self.assertRaisesRegex(ckpt.UnsupportedError, "^w: a ckpt.Sharded cannot be stored in a tree"):
            ckpt.save(self.path, {"epoch": 1, "w": ckpt.Sharded((2, 3), "float32", {(0, 0): block})})
        self.assertEqual(repr(ckpt.Sharded([4, 3], "F32", {(2, 0): block})), "Sharded(F32, [4, 3], blocks at [[2, 0]])")

    def test_ranks_that_differ(self):
        def work(rank, coordinator):
            with ckpt.CheckpointManager(self.path, coordinator=coordinator, timeout=60) as manager:
                errors = []
                for tensors in ({"w": ckpt.Sharded((4 + rank, 3), "float32"), "b": BIAS},
                                {"b": BIAS if rank == 0 else BIAS[:-1]},
                                {"w": ckpt.Sharded((4, 3), "float32", {(2 * rank, 0): np.zeros((1, 3), "f4")})}):
                    try:
                        manager.save(tensors, 1)
                    except ckpt.InvalidArgumentError as error:
                        errors.append(str(error))
                return errors, manager.save({"b": BIAS}, 2).step

        first, second = self.outcomes(2, work)
        self.assertEqual(first, second)
        self.assertEqual(len(first[0]), 3)
        for text, tensor in zip(first[0], "wbw"):
            self.assertRegex(text, f"tensor [\"']{tensor}[\"']")
        self.assertIn("[1:2, 0:3] is missing on all ranks", first[0][2])
        self.assertEqual(first[1], 2)

    def test_replicas_that_differ(self):
        def work(rank, coordinator):
            with ckpt.CheckpointManager(self.path, coordinator=coordinator, timeout=60) as manager:
                tensors = {"b": BIAS, "c": np.full(10, float(rank))}
                manager.save(tensors, 1)
                try:
                    manager.save(tensors, 2, check_replicas=True)
                except ckpt.InvalidArgumentError as error:
                    return str(error)

        texts = self.outcomes(2, work)
        self.assertEqual(texts[0], texts[1])
        self.assertRegex(texts[0], "'c'.*1")
        with ckpt.CheckpointManager(self.path, read_only=True) as manager:
            self.assertEqual([info.step for info in manager.list()], [1])

    def test_groups_of_replicas_write_their_blocks_once(self):
        """Two groups of two ranks; each group has all rows."""
        whole = np.arange(4096 * 64, dtype=np.float32).reshape(4096, 64)

        def work(rank, coordinator):
            begin, end = rows_of(rank % 2, 2, 4096)
            with ckpt.CheckpointManager(self.path, coordinator=coordinator, timeout=60) as manager:
                state = ckpt.State({"model": {"w": ckpt.Sharded(whole.shape, "float32", {(begin, 0): whole[begin:end].copy()})}})
                manager.save(state, 1, check_replicas=True)
                return manager.save(state, 2).rank_bytes

        for each in self.outcomes(4, work):
            self.assertAlmostEqual(each / (whole.nbytes / 4), 1, delta=0.05)
        with ckpt.CheckpointManager(self.path, read_only=True) as manager:
            self.assertLess(manager.list()[0].bytes, 1.01 * whole.nbytes)
        self.assertEqual(ckpt.load(self.path)["w"].tobytes(), whole.tobytes())

    def test_a_missing_rank(self):
        def work(rank, coordinator):
            with ckpt.CheckpointManager(self.path, coordinator=coordinator, timeout=1) as manager:
                if rank == 0:
                    manager.save({"b": BIAS}, 1)

        found = on_ranks(2, work)
        self.assertIsInstance(found[0], ckpt.TimeoutError)
        self.assertRegex(str(found[0]), "^rank 1 did not arrive within")
        self.assertIsNone(found[1])
        with self.assertRaisesRegex(ckpt.InvalidArgumentError, "timeout -2"):
            ckpt.CheckpointManager(self.path, timeout=-2)
        with self.assertRaisesRegex(ckpt.InvalidArgumentError, "timeout_ns is -5"):
            ckpt.CheckpointManager(self.path, timeout_ns=-5)

    def test_an_argument_that_one_rank_cannot_convert_fails_on_all_at_once(self):
        """The other ranks would wait for it until their timeout, ten minutes."""
        state = {"b": BIAS}

        def in_background(manager, call):
            with ckpt.AsyncManager(manager) as tasks:
                call(tasks)

        wrong = {
            "save": lambda manager, of_rank: manager.save({"b": object()} if of_rank else state, 1),
            "metric": lambda manager, of_rank: manager.save(state, 1, metric="x" if of_rank else None),
            "load": lambda manager, of_rank: manager.load(3 if of_rank else ckpt.State({"b": BIAS.copy()})),
            "background save": lambda manager, of_rank: in_background(
                manager, lambda tasks: tasks.save(state, 1, metadata={1, 2} if of_rank else None)),
            "background load": lambda manager, of_rank: in_background(
                manager, lambda tasks: tasks.load(3 if of_rank else ckpt.State({"b": BIAS.copy()}))),
        }

        def work(rank, coordinator):
            found = []
            with ckpt.CheckpointManager(self.path, coordinator=coordinator) as manager:
                manager.save(state, 1)
                for call in wrong.values():
                    try:
                        call(manager, rank == 1)
                        found.append(None)
                    except Exception as error:
                        found.append(error)
                manager.save(state, 2)
            return found

        others, mine = self.outcomes(2, work)
        for name, other, own in zip(wrong, others, mine):
            with self.subTest(name=name):
                self.assertIsInstance(own, (TypeError, ckpt.InvalidArgumentError))
                self.assertIsInstance(other, ckpt.InvalidArgumentError)
                self.assertRegex(str(other), "rank 1")

    def test_a_rank_that_cannot_make_its_manager_fails_all_at_once(self):
        def work(rank, coordinator):
            makes = [lambda: ckpt.CheckpointManager(self.path, coordinator=coordinator, timeout=-2 if rank == 1 else None),
                     lambda: ckpt.save(self.path, {"b": object() if rank == 1 else BIAS}, 1, coordinator=coordinator),
                     lambda: ckpt.load(self.path, into=None if rank == 1 else {"b": BIAS.copy()}, coordinator=coordinator)]
            for make in makes:
                with self.assertRaises((TypeError, ckpt.InvalidArgumentError)):
                    make()

        self.outcomes(2, work)

    def test_only_rank_0_changes_the_storage(self):
        def work(rank, coordinator):
            with ckpt.CheckpointManager(self.path, coordinator=coordinator, timeout=60, keep_last=1) as manager:
                for step in (1, 2):
                    manager.save({"b": BIAS}, step)
                coordinator.barrier()
                with self.assertRaises(ckpt.BusyError):
                    ckpt.CheckpointManager(self.path)
                coordinator.barrier()
                if rank == 1:
                    with self.assertRaisesRegex(ckpt.InvalidStateError, "rank"):
                        manager.pin(2)
                return [info.step for info in manager.list()]

        self.assertEqual(self.outcomes(2, work), [[2], [2]])


if __name__ == "__main__":
    unittest.main()
