"""Custom object stores: a dict under a checkpoint manager."""

import collections
import gc
import json
import sys
import unittest
import weakref

import numpy as np

import ckpt


class Objects(ckpt.CustomObjects):
    """Files in a dict. Counts the calls of each method. fault: how put_if_absent violates its contract."""

    def __init__(self, fault=None):
        self.files, self.calls, self.pages, self.failures = {}, collections.Counter(), [], []
        self.open_files, self.fault = 0, fault

    def note(self, name):
        self.calls[name] += 1
        if self.failures and self.failures[-1][0] == name:
            raise self.failures.pop()[1]

    def create_stream(self, path, expected_bytes):
        self.note("create_stream")
        self.open_files += 1
        return [path, bytearray()]

    def open(self, path):
        if path not in self.files:
            raise FileNotFoundError(path)
        self.open_files += 1
        return [path, self.files[path]]

    def close(self, file):
        self.open_files -= 1

    def file_size(self, file):
        return len(file[1])

    def read(self, file, offset, buffer):
        self.note("read")
        piece = file[1][offset : offset + len(buffer)]
        buffer[: len(piece)] = piece
        return len(piece)

    def write(self, file, offset, data):
        assert offset == len(file[1]) and data.readonly
        file[1].extend(data)

    def sync(self, file):
        self.note("sync")
        self.files[file[0]] = bytes(file[1])

    def remove(self, path):
        self.note("remove")
        if path not in self.files:
            raise FileNotFoundError(path)
        del self.files[path]

    def size(self, path):
        return len(self.files[path])

    def put_if_absent(self, path, data):
        self.note("put_if_absent")
        if self.fault == "unsupported":
            raise ckpt.UnsupportedError("this dict cannot do that")
        if path in self.files and self.fault != "overwrites":
            raise FileExistsError(path)
        self.files[path] = bytes(data)

    def list_from(self, prefix, after, limit):
        self.note("list_from")
        self.pages.append((prefix, after))
        found = sorted(path for path in self.files if path.startswith(prefix) and path > after)
        return [(path, len(self.files[path])) for path in found[:limit]]


class AllObjects(Objects):
    def read_ranges(self, file, ranges):
        self.note("read_ranges")
        for offset, buffer in ranges:
            buffer[:] = file[1][offset : offset + len(buffer)]

    def remove_many(self, paths):
        self.note("remove_many")
        for path in paths:
            self.files.pop(path, None)


def state_of(step):
    return ckpt.State({"w": np.full(1000, step, np.float32)})


def record_of(sequence):
    return f"commits/{2**63 - 1 - sequence}"


class OwnObjects(unittest.TestCase):
    def save_and_load(self, own):
        storage = ckpt.Storage.custom(own, "dict")
        with ckpt.CheckpointManager(storage, keep_last=2) as first, ckpt.CheckpointManager(storage, keep_last=2) as second:
            for step in range(1, 5):
                first.save(state_of(step), step)
            self.assertEqual([info.step for info in first.list()], [4, 3])
            self.assertEqual([path for path in sorted(own.files) if path.startswith("commits/")], [record_of(4), record_of(3)])
            self.assertEqual(len(own.files), 6)  # two files, their manifests, and their records
            with self.assertRaisesRegex(ckpt.BusyError, "another writer"):
                second.save(state_of(9), 9)  # no lock excludes it, and the record already exists
            loaded = state_of(0)
            self.assertEqual(second.load(loaded).step, 4)
            self.assertEqual(first.verify().tensors, 1)
        self.assertEqual(ckpt.load(storage)["w"][999], 4)
        self.assertEqual(own.open_files, 0)
        self.assertGreaterEqual(own.calls["create_stream"], 8)
        self.assertEqual(own.calls["create_stream"], own.calls["sync"])
        self.assertGreaterEqual(own.calls["put_if_absent"], 4)

    def test_with_required_methods_only(self):
        own = Objects()
        self.save_and_load(own)
        self.assertGreater(own.calls["read"], 0)
        self.assertGreater(own.calls["remove"], 4)  # one by one

    def test_with_all_methods(self):
        own = AllObjects()
        self.save_and_load(own)
        self.assertGreater(own.calls["read_ranges"], 0)
        self.assertGreater(own.calls["remove_many"], 0)

    def test_a_lost_manifest_is_skipped_by_every_load(self):
        own = Objects()
        storage = ckpt.Storage.custom(own)
        for step in (1, 2):
            name = ckpt.save(storage, {"w": np.full(10, float(step))}, step).name
        del own.files[name + "/manifest.json"]
        with self.assertWarnsRegex(ckpt.SkippedWarning, f"'{name}' was skipped"):
            self.assertEqual(ckpt.load(storage).step, 1)
        with ckpt.CheckpointManager(storage, read_only=True) as manager:
            state = ckpt.State({"w": np.zeros(10)})
            self.assertEqual((manager.load(state).step, manager.load(state).skipped), (1, 1))

    def test_a_damaged_record_is_counted_by_every_load(self):
        own = Objects()
        storage = ckpt.Storage.custom(own)
        name = ckpt.save(storage, {"w": np.full(10, 7.0)}, 7).name
        with ckpt.CheckpointManager(storage, read_only=True) as manager:
            self.assertEqual([info.record_damaged for info in manager.list()], [False])
        record = json.loads(own.files[record_of(1)])
        del record["checksum"]
        record.update(format_version=1, attempt="step-000000000007-badcafe0")  # one flipped bit in version 1, which has no checksum
        own.files[record_of(1)] = json.dumps(record, separators=(",", ":")).encode()
        for which in (None, name):
            with self.assertWarnsRegex(ckpt.SkippedWarning, f"the commit record of '{name}' is damaged"):
                loaded = ckpt.load(storage, which)
            self.assertEqual((loaded["w"][9], loaded.step, loaded.skipped, list(loaded.errors)), (7, 7, 1, [name]))
            self.assertIsInstance(loaded.errors[name], ckpt.CorruptError)
        with ckpt.CheckpointManager(storage, read_only=True) as manager:
            self.assertEqual([info.record_damaged for info in manager.list()], [True])
            self.assertEqual(manager.load(ckpt.State({"w": np.zeros(10)})).skipped, 1)
            for which in (None, name):
                with self.assertRaisesRegex(ckpt.CorruptError, "the commit record is damaged: .*its files are intact"):
                    manager.verify(which)

    def test_default_methods_work(self):
        own = Objects()
        own.files = {"a": b"0123456789", "b": b""}
        first, second = bytearray(2), bytearray(3)
        own.read_ranges(own.open("a"), [(1, memoryview(first)), (7, memoryview(second))])
        self.assertEqual((first, second), (b"12", b"789"))
        with self.assertRaisesRegex(ckpt.InvalidArgumentError, "range at 8"):
            own.read_ranges(own.open("a"), [(8, memoryview(second))])
        own.remove_many(["b", "not there"])
        self.assertEqual(list(own.files), ["a"])
        with self.assertRaisesRegex(ckpt.UnsupportedError, "rename"):
            own.rename("a", "b")

    def test_lists_come_in_pages(self):
        own = Objects()
        with ckpt.CheckpointManager(ckpt.Storage.custom(own)) as checkpoint:
            checkpoint.save(state_of(7), 7)
            own.files.update({f"other/{i:04}": b"x" for i in range(2500)})
            own.pages.clear()
            self.assertEqual(checkpoint.latest().step, 7)
        # Records, then 2,500 others, then the checkpoint's files: each page continues after the previous one.
        self.assertEqual(own.pages[:3], [("", ""), ("", "other/0998"), ("", "other/1998")])

    def test_a_store_that_overwrites_is_detected(self):
        for fault in ("unsupported", "overwrites"):
            own = Objects(fault)
            with ckpt.CheckpointManager(ckpt.Storage.custom(own)) as checkpoint:
                self.assertEqual(own.files, {})  # the probe was removed
                asked = own.calls["put_if_absent"]
                checkpoint.save(state_of(1), 1)
                self.assertEqual(own.calls["put_if_absent"], asked)
                self.assertTrue(min(own.files).startswith(record_of(1) + "-step-"), own.files.keys())
                self.assertEqual(checkpoint.load(state_of(0)).step, 1)

    def test_errors_keep_their_meaning(self):
        before, sys.unraisablehook = sys.unraisablehook, lambda u: None
        own = Objects()
        try:
            handler = ckpt.FaultHandler(max_attempts=1)
            with ckpt.CheckpointManager(ckpt.Storage.custom(own), fault_handler=handler) as checkpoint:
                checkpoint.save(state_of(1), 1)
                for name in ("create_stream", "put_if_absent", "list_from"):
                    for failure, kind in ((PermissionError("not yours"), ckpt.PermissionDeniedError), (KeyError("odd"), ckpt.CallbackError)):
                        own.failures = [(name, failure)]
                        with self.assertRaisesRegex(kind, f"{name}.*{failure.args[0]}"):
                            checkpoint.save(state_of(2), 2)
                checkpoint.save(state_of(3), 3)
                self.assertEqual(checkpoint.load(state_of(0)).step, 3)
        finally:
            sys.unraisablehook = before

    def test_invalid_lists_are_rejected(self):
        class Wrong(Objects):
            answer = None

            def list_from(self, prefix, after, limit):
                return super().list_from(prefix, after, limit) if self.answer is None else self.answer

        own = Wrong()
        with ckpt.CheckpointManager(ckpt.Storage.custom(own)) as checkpoint:
            checkpoint.save(state_of(1), 1)
            for answer, text in (([("commits/../x", 1)], "leaves its root"), ([("commits/a", -1)], "at least 0"),
                                 ([("commits/b", 1), ("commits/a", 1)], "expected a path after"), ([("b", 1)] * 2, "expected a path after")):
                own.answer = answer
                with self.assertRaisesRegex(ckpt.CallbackError, text):
                    checkpoint.latest()
            own.answer = None
            self.assertEqual(checkpoint.latest().step, 1)

    def test_it_is_released(self):
        own = Objects()
        storage = ckpt.Storage.custom(own)
        alive = weakref.ref(own)
        del own
        ckpt.save(storage, {"w": np.ones(3)})
        self.assertIsNotNone(alive())
        storage.close()
        gc.collect()
        self.assertIsNone(alive())


if __name__ == "__main__":
    unittest.main()
