"""A save, a load and a list through s3://, at the gateway in the environment: test_s3.py URI."""

import sys
import unittest

import numpy as np

import ckpt


class S3(unittest.TestCase):
    def test_one_line(self):
        saved = ckpt.save(place + "/oneline", {"w": np.arange(6.0)}, step=7)
        self.assertEqual(saved.step, 7)
        self.assertEqual(ckpt.load(place + "/oneline")["w"].tolist(), [0, 1, 2, 3, 4, 5])
        task = ckpt.save_async(place + "/oneline", {"w": np.ones(3)}, step=8)
        task.result()
        self.assertEqual(ckpt.load(place + "/oneline").step, 8)
        with self.assertRaises(ckpt.NotFoundError):
            ckpt.load(place + "/nothing")

    def test_a_missing_bucket_is_not_an_empty_one(self):
        elsewhere = "s3://no-such-bucket-of-ckpt/run"
        with ckpt.CheckpointManager(elsewhere, read_only=True) as checkpoints:
            for ask in (checkpoints.latest, checkpoints.list, lambda: checkpoints.load_if_any(ckpt.State())):
                with self.assertRaisesRegex(ckpt.InvalidArgumentError, "the bucket 'no-such-bucket-of-ckpt' does not exist"):
                    ask()
        with self.assertRaisesRegex(ckpt.InvalidArgumentError, "the bucket 'no-such-bucket-of-ckpt' does not exist"):
            ckpt.load(elsewhere)

    def test_objects(self):
        with ckpt.CheckpointManager(ckpt.Storage.from_uri(place + "/objects"), keep_rules="last:2") as checkpoints:
            for step in (1, 2, 3):
                checkpoints.save({"model": {"w": np.full(1000, step, np.float32)}}, step=step)
            self.assertEqual([info.step for info in checkpoints.list()], [3, 2])
        with ckpt.CheckpointManager(place + "/objects", read_only=True) as checkpoints:
            self.assertEqual([info.step for info in checkpoints.list()], [3, 2])
        self.assertEqual(ckpt.load(place + "/objects")["model"]["w"].sum(), 3000)


if __name__ == "__main__":
    place = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
