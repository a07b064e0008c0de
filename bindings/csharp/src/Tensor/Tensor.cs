using System;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>A dtype, a shape and memory: row-major and contiguous. Its memory is owned, or borrowed from an array of C#. Dtype,
    /// shape and the read-only flag never change; two threads that write to the same elements race.</summary>
    public sealed unsafe partial class Tensor : NativeObject
    {
        /// <summary>The most dimensions that a tensor can have.</summary>
        public const int LargestNdim = native.CKPT_TENSOR_LARGEST_NDIM;

        /// <summary>A tensor with memory of its own, aligned to 64 bytes, whose contents are undefined.</summary>
        /// <param name="dtype">Of its elements.</param>
        /// <param name="shape">0 .. 8 lengths, each at least 0; none: a scalar.</param>
        public Tensor(DType dtype, params long[] shape) : this(Made(dtype, shape, null)) { }

        /// <summary>A tensor with memory of a pool, whose contents are undefined.</summary>
        /// <param name="pool">Where the memory comes from and goes back to; kept alive. null: the process's default pool.</param>
        /// <param name="dtype">Of its elements.</param>
        /// <param name="shape">0 .. 8 lengths, each at least 0; none: a scalar.</param>
        public Tensor([AllowNull] BufferPool pool, DType dtype, params long[] shape) : this(Made(dtype, shape, pool))
        {
        }

        // What never changes is asked for once.
        private readonly DType dtype;
        private readonly long elements;
        private readonly bool readOnly;
        private readonly IntPtr data;

        private readonly TensorSpec spec;

        // Of a tensor that was read from a tree: its type in the program that wrote the tree.
        internal TensorForm Form = new TensorForm(TreeForm.Tensor, false, false);

        internal Tensor(NativeHandle handle) : base(handle)
        {
            dtype = (DType)native.ckpt_tensor_get_dtype(handle);
            elements = native.ckpt_tensor_get_element_count(handle);
            readOnly = native.ckpt_tensor_is_read_only(handle) != 0;
            data = readOnly ? native.ckpt_tensor_get_const_data(handle) : native.ckpt_tensor_get_data(handle);
        }

        // Element type and shape alone, for questions about an activation: there is no memory behind it.
        internal Tensor(TensorSpec spec) : base(NativeHandle.Lent(IntPtr.Zero))
        {
            Handle.Dispose();
            this.spec = spec;
            elements = 1;
            foreach (var length in spec.Shape) elements *= length;
            dtype = spec.DType;
            readOnly = true;
        }

        internal TensorSpec Spec => spec ?? new TensorSpec(dtype, Shape);

        internal override bool IsKnownWithoutHandle => spec != null;

        internal override Exception NoHandle()
        {
            return spec == null ? base.NoHandle()
                : new CkptUnsupportedException("only element type and shape of this tensor are known");
        }

        internal static Tensor Owning(IntPtr tensor)
            => new Tensor(new NativeHandle(tensor, native.ckpt_tensor_release));

        // A reference of its own to what a callback borrows; null for none.
        internal static Tensor Lent(IntPtr tensor)
        {
            if (tensor == IntPtr.Zero) return null;
            native.ckpt_tensor_retain(tensor);
            return Owning(tensor);
        }

        internal static Tensor Owned(Maker make) => new Tensor(Made(make, native.ckpt_tensor_release));

        private static NativeHandle Made(DType dtype, long[] shape, BufferPool pool)
        {
            IntPtr tensor;
            fixed (long* lengths = Given(shape))
            {
                native.ckpt_tensor_create((int)dtype, lengths, shape.Length, HandleOf(pool), out tensor);
            }
            return new NativeHandle(tensor, native.ckpt_tensor_release);
        }

        private static long[] Given(long[] shape)
        {
            if (shape == null) throw new ArgumentNullException("shape");
            return shape;
        }

        /// <summary>A tensor with memory of its own, and these elements.</summary>
        /// <typeparam name="T">A number, or bool; says which dtype it is.</typeparam>
        /// <param name="elements">As many as the shape has.</param>
        /// <param name="shape">None: one dimension.</param>
        public static Tensor From<T>(ReadOnlySpan<T> elements, params long[] shape) where T : struct
        {
            var tensor = new Tensor(DTypes.Of<T>(), Given(shape).Length == 0 ? new long[] { elements.Length } : shape);
            try
            {
                if (tensor.ElementCount != elements.Length)
                    throw new CkptInvalidArgumentException("elements are " + elements.Length + ", the shape has "
                        + tensor.ElementCount);
                elements.CopyTo(tensor.AsSpan<T>());
                return tensor;
            }
            catch
            {
                tensor.Dispose();
                throw;
            }
        }

        /// <summary>A tensor with memory of its own, and these elements.</summary>
        /// <typeparam name="T">A number, or bool; says which dtype it is.</typeparam>
        /// <param name="elements">As many as the shape has.</param>
        /// <param name="shape">None: one dimension.</param>
        public static Tensor From<T>(T[] elements, params long[] shape) where T : struct
            => From(new ReadOnlySpan<T>(elements), shape);

        /// <summary>A tensor over memory of C#, without a copy. The memory is pinned until the last reference to the tensor goes,
        /// also one that a save in the background holds.</summary>
        /// <typeparam name="T">A number, or bool; says which dtype it is.</typeparam>
        /// <param name="memory">As many elements as the shape has; an array converts to it.</param>
        /// <param name="shape">None: one dimension.</param>
        public static Tensor Borrow<T>(Memory<T> memory, params long[] shape) where T : struct
        {
            return BorrowAs(memory, DTypes.Of<T>(), Given(shape).Length == 0 ? new long[] { memory.Length } : shape);
        }

        /// <summary>A tensor over memory of C#, with elements of a dtype that C# has no type for: BF16 in an array of
        /// ushort.</summary>
        /// <typeparam name="T">What the memory is made of.</typeparam>
        /// <param name="memory">As many bytes as dtype and shape need.</param>
        /// <param name="dtype">Of the tensor's elements.</param>
        /// <param name="shape">0 .. 8 lengths.</param>
        public static Tensor BorrowAs<T>(Memory<T> memory, DType dtype, params long[] shape) where T : struct
        {
            var bits = DTypes.Bits(dtype);
            foreach (var length in Given(shape)) bits = length <= 0 ? 0 : checked(bits * length);
            var bytes = (long)memory.Length * System.Runtime.InteropServices.Marshal.SizeOf(typeof(T) == typeof(bool)
                ? typeof(byte) : typeof(T));
            if (bits > bytes * 8 || (bits != bytes * 8 && typeof(T) != typeof(byte)))
                throw new CkptInvalidArgumentException("memory has " + bytes + " bytes, dtype and shape need "
                    + (bits + 7) / 8);
            return Owning(LentMemory.Borrow(memory, dtype, shape));
        }

        /// <summary>The element type.</summary>
        public DType DType => Open(dtype);

        /// <summary>Number of dimensions, 0 .. 8.</summary>
        public int Ndim => spec == null ? native.ckpt_tensor_get_ndim(Handle) : spec.Shape.Length;

        /// <summary>The lengths of the dimensions: a copy.</summary>
        public long[] Shape
        {
            get
            {
                if (spec != null) return (long[])spec.Shape.Clone();
                var shape = NativeList.Copied(native.ckpt_tensor_get_shape(Handle), Ndim);
                GC.KeepAlive(this);
                return shape;
            }
        }

        /// <summary>Number of elements.</summary>
        public long ElementCount => Open(elements);

        /// <summary>Bytes of all elements.</summary>
        public long Bytes
        {
            get
            {
                if (spec == null) return native.ckpt_tensor_get_bytes(Handle);
                var bits = DTypes.Bits(dtype);
                return elements / 8 * bits + elements % 8 * bits / 8;
            }
        }

        /// <summary>Whether the memory must not be written.</summary>
        public bool IsReadOnly => Open(readOnly);

        /// <summary>Whether dtype, shape and all bytes are the same.</summary>
        /// <param name="other">The other tensor.</param>
        /// <returns>True: the same bits.</returns>
        public bool BitEqual(Tensor other)
            => Yes((out int answer) => native.ckpt_tensor_is_bit_equal(Handle, HandleOf(other), out answer));

        /// <summary>"Tensor(F32, [2, 3])".</summary>
        public override string ToString()
        {
            if (spec == null && IsDisposed) return "Tensor(disposed)";
            return "Tensor(" + DTypes.Name(DType) + ", [" + string.Join(", ", Shape) + "]" + (IsReadOnly ? ", read-only)" : ")");
        }
    }
}
