"""The names of the reference API, which are in one file."""

import os
import tempfile
import time
import unittest

import ckpt
from ckpt import compat
import numpy as np

ACTIVATION = ("F32", [4, 4])


class Part(ckpt.Stateful):
    def __init__(self, value):
        self.array = np.full(4, value, np.float32)

    def list(self, into):
        into.add("part", "array", self.array)


class Names(unittest.TestCase):
    def test_no_name_is_also_one_of_the_package(self):
        own = {name for name, value in vars(compat).items() if getattr(value, "__module__", "").startswith("ckpt")}
        imported = {name for name in own if getattr(ckpt, name, None) is getattr(compat, name)}
        # these two classes have the members of the reference API
        self.assertEqual({name for name in own - imported if name in ckpt.__all__}, {"CheckpointTaskResult", "CheckpointTaskInfo"})
        self.assertIs(compat.LayerMemoryStats, ckpt.MemoryLayerStats)
        self.assertIs(compat.CheckpointQueueFullException, ckpt.QueueFullError)

    def test_factory(self):
        factory = compat.CheckpointStrategyFactory
        kinds = compat.CheckpointStrategy
        self.assertEqual(factory.create_interval(3).name, "Interval(3)")
        self.assertEqual(factory.create_selective(checkpoint_layers=["a"], exclude_layers=["b"]).info().excluded_count, 1)
        self.assertEqual(factory.create_size_based(min_activation_size_bytes=64).info().threshold_bytes, 64)
        memory = factory.create_memory_aware(max_memory_percentage=0.5, memory_tracker=ckpt.MemoryTracker()).info()
        self.assertEqual((memory.max_share, memory.has_tracker), (0.5, True))
        self.assertEqual(factory.create_smart(exclude_layers=["x"]).patterns(ckpt.StrategyList.EXCLUDED), ["x"])
        created = [factory.create_strategy(compat.CheckpointConfig(kind, interval=5)).info().kind for kind in list(kinds)
                if kind.value not in ("store-all", "recompute-all", "memory-based")]
        self.assertEqual(created, ["interval", "size", "memory-aware", "smart", "selective"])
        self.assertEqual(factory.create_strategy(compat.CheckpointConfig(interval=5)).info().interval, 5)
        with self.assertRaises(ValueError):
            factory.create_strategy(compat.CheckpointConfig(kinds.STORE_ALL))
        self.assertTrue(issubclass(compat.ICheckpointStrategy, ckpt.CustomStrategy))

    def test_activations(self):
        manager = compat.ActivationCheckpointManager(compat.CheckpointStrategy.SELECTIVE,
                                                     lambda given, micro_batch: np.full(2, micro_batch, np.float32), 2)
        manager.begin_step(4)
        for micro_batch in range(4):
            manager.store_activation(micro_batch, np.zeros(2, np.float32))
        self.assertEqual([manager.has_activation(i) for i in range(4)], [True, False, True, True])
        self.assertIsNone(manager.get_activation(1))
        self.assertEqual(list(manager.get_or_compute_activation(np.zeros(2, np.float32), 1).numpy()), [1.0, 1.0])
        self.assertEqual((manager.checkpoint_count, manager.estimate_memory_usage()), (3, 24))

    def test_in_the_background(self):
        with tempfile.TemporaryDirectory() as folder, compat.AsyncCheckpointManager(folder) as manager:
            id = manager.queue_save_async(Part(1), Part(2), 7, gate_step=1)
            self.assertEqual(manager.get_task_status(id), compat.CheckpointTaskStatus.QUEUED)
            self.assertEqual([task.id for task in manager.get_active_tasks()], [id])
            self.assertTrue(manager.cancel_checkpoint(id))
            self.assertFalse(manager.cancel_checkpoint(id + 99))
            cancelled = manager.wait_for_completion(id)
            self.assertEqual((cancelled.status, cancelled.success), (compat.CheckpointTaskStatus.CANCELLED, False))
            self.assertEqual((cancelled.checkpoint_path, cancelled.error), (None, "cancelled"))
            self.assertIsNone(manager.get_task_status(id + 99))
            saved = manager.wait_for_completion(manager.queue_save_async(Part(1), Part(2), 8))
            self.assertEqual((saved.success, saved.error, saved.status), (True, None, compat.CheckpointTaskStatus.COMPLETED))
            self.assertIn(saved.checkpoint_path, os.listdir(folder))
            self.assertGreater(saved.bytes_written, 0)
            for unknown in (id + 99, 0):  # 0 means all tasks in C
                with self.assertRaises(ckpt.NotFoundError):
                    manager.wait_for_completion(unknown)

    def test_without_an_optimizer(self):
        with tempfile.TemporaryDirectory() as folder, ckpt.CheckpointManager(folder) as checkpoints:
            with compat.AsyncCheckpointManager(checkpoints) as manager:
                saved = manager.wait_for_completion(manager.queue_save_async(Part(1), None, 8))
            self.assertEqual((saved.success, saved.error), (True, None))
            with checkpoints.reader() as reader:
                self.assertEqual(len(reader), 1)
                self.assertEqual(reader.read(reader.find("array", "model.part")).numpy().tolist(), [1, 1, 1, 1])

    def test_full_queue(self):
        with tempfile.TemporaryDirectory() as folder, compat.AsyncCheckpointManager(folder, 1) as manager:
            manager.queue_save_async(Part(1), Part(2), 1, gate_step=1)
            with self.assertRaises(compat.CheckpointQueueFullException):  # at once
                manager.queue_save_async(Part(1), Part(2), 2)
            info, = manager.get_active_tasks()
            self.assertEqual((info.type, info.status), (compat.CheckpointTaskType.SAVE, compat.CheckpointTaskStatus.QUEUED))
            self.assertEqual((info.started_at, info.completed_at, info.duration), (None, None, None))
            self.assertLess(abs(info.queued_at.timestamp() - time.time()), 3600)

    def test_when_to_save(self):
        rule = compat.AdaptiveController(threshold=0.5)
        rule.observe_task("epoch", elapsed=10)
        self.assertTrue(rule.should_checkpoint("epoch", estimated_cost=10))
        rule.adjust_policy(recovery_time_saved=4, checkpoint_overhead=1)
        self.assertLess(rule.info().threshold, 0.5)


if __name__ == "__main__":
    unittest.main()
