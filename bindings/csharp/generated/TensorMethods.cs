// Generated from include/ckpt by tools/api: do not edit.
using System;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    public partial class BufferPool
    {
        internal BufferPool(NativeHandle handle) : base(handle)
        {
        }

        /// <summary>Creates a pool. tracker (null: none) counts every buffer while a tensor uses it, with exactly the bytes of the
        /// tensor; the pool keeps the tracker alive. options: null for the defaults.</summary>
        public BufferPool([AllowNull] MemoryTracker tracker = null, [AllowNull] BufferPoolOptions options = null)
            : this(CreatedWith((CallMemory memory, out IntPtr created) =>
                native.ckpt_buffer_pool_create(HandleOf(tracker), BufferPoolOptions.Native(options, memory), out created),
                    native.ckpt_buffer_pool_release))
        {
        }

        /// <summary>Returns the contents and counters of the pool.</summary>
        public BufferPoolStats GetStats()
        {
            return BufferPoolStats.Filled(filled => native.ckpt_buffer_pool_get_stats(Handle, filled));
        }

        /// <summary>Releases retained buffers to the system, oldest first, until at most keepBytes (&gt;= 0) are kept for
        /// reuse.</summary>
        public void Trim(long keepBytes = 0)
        {
            native.ckpt_buffer_pool_trim(Handle, keepBytes);
        }
    }

    public partial class DTypes
    {
        /// <summary>Returns the bits of one element of the type: 4, 6, 8, 16, 32 or 64; 0 for a number that is not a dtype. The
        /// size is in bits because elements of some types do not fill whole bytes.</summary>
        public static long Bits(DType dtype)
        {
            return native.ckpt_dtype_bits((int)dtype);
        }

        /// <summary>Returns the type's name in the safetensors format: "F32", "F8_E4M3", "BOOL", ...; "UNKNOWN" for a number that
        /// is not a dtype.</summary>
        public static string Name(DType dtype)
        {
            return native.ckpt_dtype_name((int)dtype);
        }

        /// <summary>Returns the type with this name, in the spelling of <c>DTypes.Name</c>. <see cref="CkptStatus.NotFound"/> for
        /// any other name.</summary>
        public static DType Find(string name)
        {
            int value;
            native.ckpt_dtype_find(name, out value);
            return (DType)value;
        }
    }

    public partial class Tensor
    {
        /// <summary>Returns another reference to the same tensor, to be disposed of separately.</summary>
        public Tensor Share()
        {
            return new Tensor(Shared(Handle, native.ckpt_tensor_retain, native.ckpt_tensor_release));
        }

        /// <summary>Creates a tensor over the memory of another library. On success the tensor owns managed, and calls its deleter
        /// (unless that is null) exactly once, when its last reference is released, on the thread that released it. On failure the
        /// deleter has not run, managed still belongs to the caller, and the caller calls the deleter. byte_offset is honoured,
        /// strides null means contiguous. <see cref="CkptStatus.Unsupported"/> for lanes other than 1, devices other than the CPU,
        /// and strides that are not row-major and contiguous. <see cref="CkptStatus.Unsupported"/> also for type codes without a
        /// dtype: complex of other sizes, opaque handles, float8 e3m4, e4m3 with infinities, e4m3b11fnuz.
        /// <see cref="CkptStatus.InvalidArgument"/> and <see cref="CkptStatus.OutOfRange"/> for invalid shapes, and for data that
        /// is null or not aligned for the dtype.</summary>
        public static Tensor FromDLPack(IntPtr managed)
        {
            return new Tensor(Created((out IntPtr created) =>
                native.ckpt_tensor_create_from_dlpack(managed, out created), native.ckpt_tensor_release));
        }

        /// <summary>Creates a tensor over the memory of another library as <c>Tensor.CreateFromDLPack</c>, from the object of
        /// DLPack 1.x. Its read-only flag makes a read-only tensor. <see cref="CkptStatus.Unsupported"/> also for a major version
        /// other than 1 (only the version is read then; the deleter may be called), for padded elements of less than a byte, and
        /// for unknown flags.</summary>
        public static Tensor FromDLPackVersioned(IntPtr managed)
        {
            return new Tensor(Created((out IntPtr created) =>
                native.ckpt_tensor_create_from_dlpack_versioned(managed, out created), native.ckpt_tensor_release));
        }

        /// <summary>Sets every element to value, rounded to the dtype. NaN and infinities are allowed; a finite value outside the
        /// range of F32 is <see cref="CkptStatus.OutOfRange"/>. F32 and F64 only, else
        /// <see cref="CkptStatus.Unsupported"/>.</summary>
        public void Fill(double value)
        {
            native.ckpt_tensor_fill(Handle, value);
        }

        /// <summary>Computes target = factor * target, in the dtype's precision. factor: finite (else
        /// <see cref="CkptStatus.InvalidArgument"/>) and, for F32, within its range. F32 and F64 only, else
        /// <see cref="CkptStatus.Unsupported"/>.</summary>
        public void Scale(double factor)
        {
            native.ckpt_tensor_scale(Handle, factor);
        }

        /// <summary>Computes target = target + factor * source, in the dtype's precision with two roundings per element (axpy of
        /// BLAS, never fused). factor: as for <c>Tensor.Scale</c>. dtype and shape must be the same, and the memory either the same
        /// or disjoint. F32 and F64 only, else <see cref="CkptStatus.Unsupported"/>.</summary>
        public void AddScaled(double factor, Tensor source)
        {
            native.ckpt_tensor_add_scaled(Handle, factor, HandleOf(source));
        }

        /// <summary>Returns the sum of all elements, computed in F64 by pairwise summation (Higham, "The accuracy of floating point
        /// summation", SIAM J. Sci. Comput. 14, 1993); 0 when there are none. F32 and F64 only, else
        /// <see cref="CkptStatus.Unsupported"/>.</summary>
        public double Sum()
        {
            double value;
            native.ckpt_tensor_sum(Handle, out value);
            return value;
        }

        /// <summary>Returns the sum of a[i] * b[i], computed as by <c>Tensor.Sum</c>. If b is a, this is the squared 2-norm. dtype
        /// and shape must be the same. F32 and F64 only, else <see cref="CkptStatus.Unsupported"/>.</summary>
        public double Dot(Tensor b)
        {
            double value;
            native.ckpt_tensor_dot(Handle, HandleOf(b), out value);
            return value;
        }

        /// <summary>Copies the elements of source, which must have the dtype and shape of target. Their memory may
        /// overlap.</summary>
        public void CopyFrom(Tensor source)
        {
            native.ckpt_tensor_copy(Handle, HandleOf(source));
        }

        /// <summary>Returns a view of the tensor for another library, which calls its deleter exactly once, on any thread; the
        /// tensor's memory stays alive until then, whether or not the tensor was released. <see cref="CkptStatus.Unsupported"/> for
        /// a read-only tensor, because this object has no read-only flag.</summary>
        public IntPtr ToDLPack()
        {
            IntPtr value;
            native.ckpt_tensor_export_dlpack(Handle, out value);
            return value;
        }

        /// <summary>Returns a view of the tensor as <c>Tensor.ToDLPack</c> does, in the object of DLPack 1.x (version 1.1). Sets
        /// the read-only flag if the tensor is read-only.</summary>
        public IntPtr ToDLPackVersioned()
        {
            IntPtr value;
            native.ckpt_tensor_export_dlpack_versioned(Handle, out value);
            return value;
        }
    }
}
