using System;
using Ckpt.Interop;

namespace Ckpt
{
    // Views of the memory without a copy, and exchange with other libraries.
    public sealed unsafe partial class Tensor
    {
        /// <summary>Returns the elements, for reading and writing, without a copy. A span does not keep the tensor alive: use it
        /// while the tensor is not disposed of (inside its using), or use AsMemory. Throws CkptInvalidArgumentException for another
        /// dtype, CkptUnsupportedException when read-only, CkptOutOfRangeException for 2^31 elements or more: pass a range
        /// then.</summary>
        /// <typeparam name="T">The C# type of the dtype.</typeparam>
        /// <returns>All elements.</returns>
        public Span<T> AsSpan<T>() where T : struct
        {
            Expect<T>();
            return new Span<T>((void*)Writable(), Length(ElementCount));
        }

        /// <summary>Returns a range of the elements, for tensors that exceed the largest span.</summary>
        /// <typeparam name="T">The C# type of the dtype.</typeparam>
        /// <param name="start">The first element.</param>
        /// <param name="length">Their number.</param>
        /// <returns>The elements.</returns>
        public Span<T> AsSpan<T>(long start, int length) where T : struct
        {
            Expect<T>();
            Inside(start, length, ElementCount);
            return new Span<T>((byte*)Writable() + start * (DTypes.Bits(DType) / 8), length);
        }

        /// <summary>Returns the elements, for reading, without a copy; see AsSpan.</summary>
        /// <typeparam name="T">The C# type of the dtype.</typeparam>
        /// <returns>All elements.</returns>
        public ReadOnlySpan<T> AsReadOnlySpan<T>() where T : struct
        {
            Expect<T>();
            return new ReadOnlySpan<T>((void*)Readable(), Length(ElementCount));
        }

        /// <summary>Returns a range of the elements, for reading; see AsSpan.</summary>
        /// <typeparam name="T">The C# type of the dtype.</typeparam>
        /// <param name="start">The first element.</param>
        /// <param name="length">Their number.</param>
        /// <returns>The elements.</returns>
        public ReadOnlySpan<T> AsReadOnlySpan<T>(long start, int length) where T : struct
        {
            Expect<T>();
            Inside(start, length, ElementCount);
            return new ReadOnlySpan<T>((byte*)Readable() + start * (DTypes.Bits(DType) / 8), length);
        }

        /// <summary>Returns the bytes of any dtype, for reading and writing; see AsSpan.</summary>
        /// <returns>All bytes.</returns>
        public Span<byte> AsBytes() => new Span<byte>((void*)Writable(), Length(Bytes));

        /// <summary>Returns the bytes of any dtype, for reading; see AsSpan.</summary>
        /// <returns>All bytes.</returns>
        public ReadOnlySpan<byte> AsReadOnlyBytes() => new ReadOnlySpan<byte>((void*)Readable(), Length(Bytes));

        /// <summary>Returns the elements as memory that holds a separate reference: it stays valid after the tensor was disposed
        /// of.</summary>
        /// <typeparam name="T">The C# type of the dtype.</typeparam>
        /// <returns>All elements.</returns>
        public Memory<T> AsMemory<T>() where T : struct
        {
            Expect<T>();
            return new TensorMemory<T>(Share(), Writable(), Length(ElementCount)).Memory;
        }

        /// <summary>Returns the elements as read-only memory, also of a read-only tensor.</summary>
        /// <typeparam name="T">The C# type of the dtype.</typeparam>
        /// <returns>All elements.</returns>
        public ReadOnlyMemory<T> AsReadOnlyMemory<T>() where T : struct
        {
            Expect<T>();
            return new TensorMemory<T>(Share(), Readable(), Length(ElementCount)).Memory;
        }

        /// <summary>Returns a copy of the elements.</summary>
        /// <typeparam name="T">The C# type of the dtype.</typeparam>
        /// <returns>The copy.</returns>
        public T[] ToArray<T>() where T : struct
        {
            var copy = AsReadOnlySpan<T>().ToArray();
            GC.KeepAlive(this);
            return copy;
        }

        private void Expect<T>() where T : struct
        {
            var wanted = DTypes.Of<T>();
            if (wanted != DType)
                throw new CkptInvalidArgumentException(typeof(T).Name + ": expected a tensor of " + DTypes.Name(wanted) + ", found "
                    + DTypes.Name(DType));
        }

        private IntPtr Readable()
        {
            if (spec != null) throw NoHandle();
            return Open(data);
        }

        private IntPtr Writable()
        {
            if (IsReadOnly) throw new CkptUnsupportedException("the tensor is read-only: use AsReadOnlySpan");
            return data;
        }

        private static int Length(long elements)
        {
            if (elements > int.MaxValue)
                throw new CkptOutOfRangeException("tensor of " + elements + " elements: a span holds at most " + int.MaxValue
                    + "; pass a range");
            return (int)elements;
        }

        private static void Inside(long start, int length, long elements)
        {
            if (start < 0 || length < 0 || start > elements - length)
                throw new CkptOutOfRangeException("elements [" + start + ", +" + length + "): the tensor has " + elements);
        }
    }
}
