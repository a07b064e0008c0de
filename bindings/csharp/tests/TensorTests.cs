using System;
using System.Runtime.CompilerServices;
using Ckpt;
using Ckpt.Interop;

internal static class TensorTests
{
    internal static void OwnedTensorsHaveShapeAndSpans()
    {
        using (var tensor = new Tensor(DType.F32, 2, 3))
        {
            Check.Equal(DType.F32, tensor.DType, "dtype");
            Check.Equal("2,3", string.Join(",", tensor.Shape), "shape");
            Check.Equal(6L, tensor.ElementCount, "elements");
            Check.Equal(24L, tensor.Bytes, "bytes");
            tensor.Fill(1.5);
            var elements = tensor.AsSpan<float>();
            elements[5] = 4;
            Check.Equal(11.5, tensor.Sum(), "sum");
            Check.Equal(4f, tensor.AsSpan<float>(5, 1)[0], "part");
            Check.Equal("Tensor(F32, [2, 3])", tensor.ToString(), "text");
            var wrong = Check.Throws<CkptInvalidArgumentException>(() => tensor.AsSpan<double>(), "wrong dtype");
            Check.Contains("F64", wrong.Message, "message");
            Check.Throws<CkptOutOfRangeException>(() => tensor.AsSpan<float>(5, 2), "outside");
            Check.Throws<CkptUnsupportedException>(() => tensor.AsSpan<DateTime>(), "no element type");
        }
        using (var scalar = new Tensor(DType.F64)) Check.Equal(1L, scalar.ElementCount, "a scalar");
        using (var empty = new Tensor(DType.F64, 0)) Check.Equal(0, empty.AsSpan<double>().Length, "no elements");
        Check.Throws<CkptInvalidArgumentException>(() => new Tensor(DType.F32, -1), "negative length");
    }

    internal static void ArithmeticAndCopies()
    {
        using (var a = Tensor.From(new[] { 1.0, 2.0, 3.0 }))
        using (var b = Tensor.From(new[] { 1.0, 1.0, 1.0 }, 3))
        {
            a.AddScaled(2, b);
            a.Scale(0.5);
            Check.Equal("1.5,2,2.5", string.Join(",", a.ToArray<double>()), "elements");
            Check.Equal(6.0, a.Dot(b), "dot");
            Check.That(!a.BitEqual(b), "not equal");
            b.CopyFrom(a);
            Check.That(a.BitEqual(b), "equal");
            Check.Throws<CkptInvalidArgumentException>(() => Tensor.From(new[] { 1f }, 2), "too few elements");
        }
    }

    internal static void BorrowedArraysAreSharedAndPinned()
    {
        var array = new float[1000];
        using (var tensor = Tensor.Borrow<float>(array, 10, 100))
        {
            tensor.Fill(2);
            Check.Equal(2f, array[999], "the array itself");
            array[0] = 5;
            for (var i = 0; i < 3; ++i) GC.Collect(); // would move it
            Check.Equal(5f, tensor.AsReadOnlySpan<float>()[0], "still the same memory");
        }
        Check.Throws<CkptInvalidArgumentException>(() => Tensor.Borrow<float>(array, 1001), "too large");
#if NET
        using (var halves = Tensor.From<Half>(new[] { (Half)1.5f, Half.NegativeInfinity, Half.NaN }))
        {
            Check.Equal(DType.F16, halves.DType, "Half is F16");
            Check.That(halves.AsSpan<Half>()[0] == (Half)1.5f && Half.IsNegativeInfinity(halves.ToArray<Half>()[1]), "its bits");
            Check.Throws<CkptInvalidArgumentException>(() => halves.ToArray<float>(), "is not F32");
        }
#endif
        using (var half = Tensor.BorrowAs<ushort>(new ushort[] { 0x3f80, 0 }, DType.BF16, 2)) Check.Equal(4L, half.Bytes,
            "BF16");
    }

    internal static void BorrowedArraysAreReleasedWithTheLastReference()
    {
        var array = Lent();
        Collect();
        Check.That(!array.IsAlive, "the array is collected");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference Lent()
    {
        var weak = new WeakReference(null);
        var thread = new System.Threading.Thread(() =>
        {
            var array = new double[100000];
            using (var tensor = Tensor.Borrow<double>(array)) tensor.Fill(1);
            weak.Target = array;
        });
        thread.Start();
        thread.Join();
        return weak;
    }

    private static void Collect()
    {
        for (var i = 0; i < 3; ++i)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
    }

    internal static void MemoryKeepsItsOwner()
    {
        Memory<float> memory;
        using (var tensor = new Tensor(DType.F32, 1000))
        {
            tensor.Fill(3);
            memory = tensor.AsMemory<float>();
        }
        Collect();
        Check.Equal(3f, memory.Span[999], "after the tensor was disposed of");
        using (var pin = memory.Slice(10).Pin())
        {
            unsafe
            {
                Check.Equal(3f, *(float*)pin.Pointer, "pinned");
            }
        }
    }

    internal static void LargeTensorsNeedParts()
    {
        using (var tensor = new Tensor(DType.U8, 3L << 30))
        {
            Check.Equal(3L << 30, tensor.Bytes, "64-bit bytes");
            var error = Check.Throws<CkptOutOfRangeException>(() => tensor.AsSpan<byte>(), "longer than a span");
            Check.Contains("3221225472", error.Message, "message");
            tensor.AsSpan<byte>((3L << 30) - 1, 1).Fill(7);
            Check.Equal((byte)7, tensor.AsReadOnlySpan<byte>((3L << 30) - 2, 2)[1], "the last element");
        }
    }

    internal static void PoolsReuseAndReport()
    {
        using (var tracker = new MemoryTracker())
        using (var pool = new BufferPool(tracker, new BufferPoolOptions { LayerName = "activations" }))
        {
            using (new Tensor(pool, DType.F32, 256)) Check.Equal(1024L, tracker.GetLayerStats("activations").CurrentBytes,
                "tracked");
            using (new Tensor(pool, DType.F32, 256))
            {
            }
            var stats = pool.GetStats();
            Check.Equal(2L, stats.Taken, "taken");
            Check.Equal(1L, stats.Reused, "reused");
            pool.Trim();
            Check.Equal(0L, pool.GetStats().RetainedBytes, "trimmed");
        }
    }

    internal static void DLPackRoundTrip()
    {
        using (var tensor = Tensor.From(new[] { 1f, 2f }))
        {
            using (var back = Tensor.FromDLPack(tensor.ToDLPack()))
            {
                back.AsSpan<float>().Fill(9);
                Check.Equal(9f, tensor.AsSpan<float>()[0], "the same memory");
            }
            using (var back = Tensor.FromDLPackVersioned(tensor.ToDLPackVersioned())) Check.That(back.BitEqual(tensor),
                "versioned");
        }
    }

    internal static void DTypesHaveNames()
    {
        foreach (DType dtype in Enum.GetValues(typeof(DType)))
        {
            if (dtype == DType.None) continue;
            Check.Equal(dtype, DTypes.Find(DTypes.Name(dtype)), "name");
            Check.That(DTypes.Bits(dtype) >= 4, "bits");
        }
        Check.Throws<CkptNotFoundException>(() => DTypes.Find("F33"), "unknown");
        Check.Equal(DType.I64, DTypes.Of<long>(), "long");
    }
}
