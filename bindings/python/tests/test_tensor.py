"""Tensors: zero-copy in both directions, owners kept alive, refused buffers."""

import array
import gc
import unittest
import weakref

import ckpt
import numpy as np


class OutOfTheLibrary(unittest.TestCase):
    def test_numpy_view_shares_memory_and_keeps_it_alive(self):
        tensor = ckpt.Tensor("F32", [2, 3])
        tensor.fill(1.5)
        view = np.asarray(tensor)
        self.assertEqual((view.dtype, view.shape), (np.float32, (2, 3)))
        view[1, 2] = 8
        self.assertEqual(tensor.sum(), 1.5 * 5 + 8)
        self.assertEqual(view.ctypes.data, tensor.address)
        alive = weakref.ref(tensor)
        del tensor
        gc.collect()
        self.assertIsNotNone(alive())
        self.assertEqual(view.sum(), 15.5)
        del view
        gc.collect()
        self.assertIsNone(alive())

    def test_retain_limit_and_its_absence(self):
        kept = []
        for limit in (0, 4096, None):
            pool = ckpt.BufferPool(retain_limit_bytes=limit)
            for tensor in [ckpt.Tensor("U8", [3000 + i], pool) for i in range(3)]:
                tensor.close()
            kept.append(pool.stats().retained_buffers)
        self.assertEqual(kept, [0, 1, 3])
        self.assertEqual(ckpt.generated.options.buffer_pool_options().retain_limit_bytes, 256 << 20)

    def test_view_outlives_close(self):
        tracker = ckpt.MemoryTracker()
        pool = ckpt.BufferPool(tracker, layer_name="views", retain_limit_bytes=0)
        tensor = ckpt.Tensor(np.float64, [1000], pool)
        view = tensor.numpy()
        tensor.close()
        self.assertEqual(tracker.stats().current_bytes, 8000)
        view[:] = 2.0
        self.assertEqual(view.sum(), 2000)
        del view
        gc.collect()
        self.assertEqual(tracker.stats().current_bytes, 0)
        with self.assertRaises(BufferError):
            memoryview(tensor)

    def test_dtypes(self):
        for dtype in ckpt.DType:
            tensor = ckpt.Tensor(dtype, [8])
            self.assertEqual(tensor.nbytes, dtype.bits)
            self.assertEqual(ckpt.DType.from_name(dtype.safetensors_name), dtype)
            self.assertEqual(len(tensor.raw()), dtype.bits)
            try:
                view = tensor.numpy()
                self.assertEqual(ckpt.Tensor.borrow(view).dtype, dtype)
            except BufferError as error:
                self.assertIn("raw()", str(error))
                self.assertIn(dtype.name[0], "FB")
        with self.assertRaises(ckpt.NotFoundError):
            ckpt.Tensor("F33", [1])
        with self.assertRaises(ckpt.UnsupportedError):
            ckpt.Tensor(np.complex128, [1])

    def test_scalar_and_empty(self):
        self.assertEqual(ckpt.Tensor("F64", []).numpy().shape, ())
        self.assertEqual(ckpt.Tensor("F64", [0, 3]).numpy().shape, (0, 3))

    def test_raw_of_bf16(self):
        tensor = ckpt.Tensor("BF16", [2])
        tensor.raw()[:] = bytes([0x80, 0x3F, 0, 0])
        self.assertEqual(bytes(tensor.raw()), b"\x80\x3f\0\0")
        bits = np.array([0x3F80, 0], np.uint16)
        self.assertTrue(tensor.is_bit_equal(ckpt.Tensor.borrow(bits, dtype="BF16")))

    def test_dlpack_to_numpy(self):
        tensor = ckpt.Tensor("I32", [3])
        view = np.from_dlpack(tensor)
        np.asarray(tensor)[:] = 4
        self.assertEqual(view.sum(), 12)
        self.assertEqual(tensor.__dlpack_device__(), (1, 0))
        del tensor
        gc.collect()
        self.assertEqual(view.sum(), 12)

    def test_unconsumed_capsules(self):
        tracker = ckpt.MemoryTracker()
        tensor = ckpt.Tensor("F32", [4], ckpt.BufferPool(tracker, retain_limit_bytes=0))
        capsules = [tensor.__dlpack__(), tensor.__dlpack__(max_version=(1, 0))]
        tensor.close()
        self.assertEqual(tracker.stats().current_bytes, 16)
        del capsules
        gc.collect()
        self.assertEqual(tracker.stats().current_bytes, 0)
        with self.assertRaises(BufferError):
            ckpt.Tensor("F32", [1]).__dlpack__(copy=True)


class IntoTheLibrary(unittest.TestCase):
    def test_borrow_keeps_the_owner(self):
        source = np.arange(6, dtype=np.float32).reshape(2, 3)
        alive = weakref.ref(source)
        tensor = ckpt.Tensor.borrow(source)
        self.assertEqual(tensor.address, source.ctypes.data)
        tensor.scale(2)
        self.assertEqual(source[1, 2], 10)
        del source
        gc.collect()
        self.assertIsNotNone(alive())
        tensor.close()
        gc.collect()
        self.assertIsNone(alive())

    def test_read_only(self):
        tensor = ckpt.Tensor.borrow(b"bytes")
        self.assertTrue(tensor.read_only)
        self.assertEqual(bytes(tensor), b"bytes")
        self.assertTrue(memoryview(tensor).readonly)
        frozen = np.ones(3)
        frozen.flags.writeable = False
        tensor = ckpt.Tensor.borrow(frozen)
        self.assertEqual(tensor.sum(), 3)
        self.assertEqual(tensor.writable_address, 0)
        with self.assertRaises(ckpt.UnsupportedError):
            tensor.fill(1)
        self.assertFalse(np.asarray(tensor).flags.writeable)
        with self.assertRaises(ckpt.UnsupportedError):
            tensor.__dlpack__()
        self.assertTrue(ckpt.Tensor.from_dlpack(tensor).read_only)

    def test_other_buffers(self):
        self.assertEqual(ckpt.Tensor.borrow(array.array("d", [1, 2])).sum(), 3)
        self.assertEqual(ckpt.Tensor.borrow(bytearray(5)).shape, (5,))

    def test_refused(self):
        matrix = np.zeros((4, 4), np.float32)
        for wrong, text in ((matrix[:, ::2], "C-contiguous"), (matrix.T, "C-contiguous"), (np.array(["a"]), "no dtype"),
                            (np.zeros(2, ">f4"), "no dtype"), (np.zeros(2, np.complex128), "no dtype"), (3, "has no buffer")):
            with self.assertRaisesRegex(TypeError, text):
                ckpt.Tensor.borrow(wrong)
        with self.assertRaisesRegex(TypeError, "has 16 bits, the buffer's elements"):
            ckpt.Tensor.borrow(matrix, dtype="BF16")
        with self.assertRaisesRegex(TypeError, "neither a buffer nor"):
            ckpt.as_tensor(object())

    def test_from_dlpack(self):
        source = np.arange(4.0)
        tensor = ckpt.Tensor.from_dlpack(source)
        self.assertEqual(tensor.address, source.ctypes.data)
        with self.assertRaises(ckpt.UnsupportedError):
            ckpt.Tensor.from_dlpack(np.zeros((4, 4))[:, ::2])
        capsule = source.__dlpack__()
        ckpt.Tensor.from_dlpack(capsule)
        with self.assertRaises(ValueError):
            ckpt.Tensor.from_dlpack(capsule)  # taken already
        with self.assertRaises(ValueError):
            ckpt.Tensor.from_dlpack(3)

    def test_released_buffer_can_be_resized(self):
        source = bytearray(8)
        tensor = ckpt.Tensor.borrow(source)
        with self.assertRaises(BufferError):
            source.append(1)
        tensor.close()
        source.append(1)
        with self.assertRaises(TypeError):
            ckpt.Tensor.borrow(source, dtype="F32")
        source.append(1)


class Arithmetic(unittest.TestCase):
    def test_operations(self):
        a = ckpt.Tensor.borrow(np.arange(4.0))
        b = ckpt.Tensor("F64", [4])
        b.copy_from(a)
        self.assertTrue(a.is_bit_equal(b))
        b.add_scaled(2, a)
        self.assertEqual(b.dot(a), 3 * (1 + 4 + 9))
        self.assertEqual((a.size, a.ndim, a.shape), (4, 1, (4,)))
        with self.assertRaises(ckpt.InvalidArgumentError):
            b.copy_from(ckpt.Tensor("F32", [4]))
        shared = a.share()
        a.close()
        self.assertEqual(shared.sum(), 6)

    def test_pool(self):
        pool = ckpt.BufferPool()
        for _ in range(3):
            ckpt.Tensor("F32", [100], pool).close()
        stats = pool.stats()
        self.assertEqual((stats.taken, stats.reused), (3, 2))
        pool.trim()
        self.assertEqual(pool.stats().retained_bytes, 0)


if __name__ == "__main__":
    unittest.main()
