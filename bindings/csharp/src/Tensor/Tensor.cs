using System;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>A dtype, a shape and memory: row-major and contiguous. The memory is owned, or borrowed from a C# array. Dtype,
    /// shape and the read-only flag never change; two threads that write to the same elements are a data race.</summary>
    public sealed unsafe partial class Tensor : NativeObject
    {
        /// <summary>The most dimensions that a tensor can have.</summary>
        public const int LargestNdim = native.CKPT_TENSOR_LARGEST_NDIM;

        /// <summary>Creates a tensor with undefined contents, in new memory aligned to 64 bytes.</summary>
        /// <param name="dtype">Type of its elements.</param>
        /// <param name="shape">0 .. 8 lengths, each at least 0; none: a scalar.</param>
        public Tensor(DType dtype, params long[] shape) : this(Created(dtype, shape, null)) { }

        /// <summary>Creates a tensor with undefined contents, in memory of a pool.</summary>
        /// <param name="pool">Provides the memory; kept alive. null: the process's default pool.</param>
        /// <param name="dtype">Type of its elements.</param>
        /// <param name="shape">0 .. 8 lengths, each at least 0; none: a scalar.</param>
        public Tensor([AllowNull] BufferPool pool, DType dtype, params long[] shape) : this(Created(dtype, shape, pool))
        {
        }

        // Cached, as it never changes.
        private readonly DType dtype;
        private readonly long elements;
        private readonly bool readOnly;
        private readonly IntPtr data;

        private readonly TensorSpec spec;

        // For a tensor read from a tree: its type in the program that wrote the tree.
        internal TensorForm Form = new TensorForm(TreeForm.Tensor, false, false);

        internal Tensor(NativeHandle handle) : base(handle)
        {
            dtype = (DType)native.ckpt_tensor_get_dtype(handle);
            elements = native.ckpt_tensor_get_element_count(handle);
            readOnly = native.ckpt_tensor_is_read_only(handle) != 0;
            data = readOnly ? native.ckpt_tensor_get_const_data(handle) : native.ckpt_tensor_get_data(handle);
        }

        // Creates a tensor without memory, with only an element type and shape, for queries about an activation.
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
                : new CkptUnsupportedException("this tensor has an element type and a shape, but no memory");
        }

        internal static Tensor Owning(IntPtr tensor)
            => new Tensor(new NativeHandle(tensor, native.ckpt_tensor_release));

        // Returns a new reference to a tensor that a callback borrows; null for none.
        internal static Tensor Lent(IntPtr tensor)
        {
            if (tensor == IntPtr.Zero) return null;
            native.ckpt_tensor_retain(tensor);
            return Owning(tensor);
        }

        internal static Tensor Owned(Maker make) => new Tensor(Created(make, native.ckpt_tensor_release));

        private static NativeHandle Created(DType dtype, long[] shape, BufferPool pool)
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

        /// <summary>Creates a tensor with a copy of these elements.</summary>
        /// <typeparam name="T">A number, or bool; determines the dtype.</typeparam>
        /// <param name="elements">As many elements as the shape has.</param>
        /// <param name="shape">None: one dimension.</param>
        public static Tensor From<T>(ReadOnlySpan<T> elements, params long[] shape) where T : struct
        {
            var tensor = new Tensor(DTypes.Of<T>(), Given(shape).Length == 0 ? new long[] { elements.Length } : shape);
            try
            {
                if (tensor.ElementCount != elements.Length)
                    throw new CkptInvalidArgumentException("elements: expected " + tensor.ElementCount
                        + " as in the shape, found " + elements.Length);
                elements.CopyTo(tensor.AsSpan<T>());
                return tensor;
            }
            catch
            {
                tensor.Dispose();
                throw;
            }
        }

        /// <summary>Creates a tensor with a copy of these elements.</summary>
        /// <typeparam name="T">A number, or bool; determines the dtype.</typeparam>
        /// <param name="elements">As many elements as the shape has.</param>
        /// <param name="shape">None: one dimension.</param>
        public static Tensor From<T>(T[] elements, params long[] shape) where T : struct
            => From(new ReadOnlySpan<T>(elements), shape);

        /// <summary>Creates a tensor over C# memory, without a copy. The memory is pinned until the last reference to the tensor is
        /// released, including that of a save in the background.</summary>
        /// <typeparam name="T">A number, or bool; determines the dtype.</typeparam>
        /// <param name="memory">As many elements as the shape has; an array converts to it.</param>
        /// <param name="shape">None: one dimension.</param>
        public static Tensor Borrow<T>(Memory<T> memory, params long[] shape) where T : struct
        {
            return BorrowAs(memory, DTypes.Of<T>(), Given(shape).Length == 0 ? new long[] { memory.Length } : shape);
        }

        /// <summary>Creates a tensor over C# memory, with elements of a dtype for which C# has no type, such as BF16 in an array of
        /// ushort.</summary>
        /// <typeparam name="T">Type of the memory's elements.</typeparam>
        /// <param name="memory">As many bytes as dtype and shape need.</param>
        /// <param name="dtype">Type of the tensor's elements.</param>
        /// <param name="shape">0 .. 8 lengths.</param>
        public static Tensor BorrowAs<T>(Memory<T> memory, DType dtype, params long[] shape) where T : struct
        {
            var bits = DTypes.Bits(dtype);
            foreach (var length in Given(shape)) bits = length <= 0 ? 0 : checked(bits * length);
            var bytes = (long)memory.Length * System.Runtime.InteropServices.Marshal.SizeOf(typeof(T) == typeof(bool)
                ? typeof(byte) : typeof(T));
            if (bits > bytes * 8 || (bits != bytes * 8 && typeof(T) != typeof(byte)))
                throw new CkptInvalidArgumentException("memory: expected " + (bits + 7) / 8
                    + " bytes for dtype and shape, found " + bytes);
            return Owning(LentMemory.Borrow(memory, dtype, shape));
        }

        /// <summary>The element type.</summary>
        public DType DType => Open(dtype);

        /// <summary>Number of dimensions, 0 .. 8.</summary>
        public int Ndim => spec == null ? native.ckpt_tensor_get_ndim(Handle) : spec.Shape.Length;

        /// <summary>A copy of the lengths of the dimensions.</summary>
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

        /// <summary>Returns whether dtype, shape and all bytes are the same.</summary>
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
