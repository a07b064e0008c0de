using System;
using System.Collections;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>The tensors of one checkpoint, of any safetensors file, or of a folder with an index, one by one. Enumerating tells
    /// what there is. One thread at a time; the tensors it gives are independent of it.</summary>
    public sealed class SafetensorsReader : NativeObject, IEnumerable<TensorInfo>
    {
        /// <summary>Opens a safetensors file, or a folder of Hugging Face's layout. Such files have no checksums.</summary>
        /// <param name="path">Of the file or folder.</param>
        public SafetensorsReader(string path) : this(Made(path))
        {
        }

        internal SafetensorsReader(NativeHandle handle) : base(handle)
        {
        }

        private static NativeHandle Made(string path)
        {
            IntPtr reader;
            native.ckpt_reader_create(path, out reader);
            return new NativeHandle(reader, native.ckpt_reader_release);
        }

        /// <summary>Number of tensors.</summary>
        public long Count
        {
            get
            {
                long count;
                native.ckpt_reader_get_tensor_count(Handle, out count);
                return count;
            }
        }

        /// <summary>What is known of a tensor.</summary>
        /// <param name="index">0 .. Count - 1.</param>
        /// <returns>The tensor's name, dtype, shape and place.</returns>
        public TensorInfo this[long index]
        {
            get
            {
                using (var info = new ckpt_tensor_info())
                {
                    native.ckpt_reader_get_tensor(Handle, index, info);
                    var found = new TensorInfo(index, info);
                    GC.KeepAlive(this);
                    return found;
                }
            }
        }

        /// <summary>The index of a tensor. CheckpointNotFoundException; CheckpointInvalidArgumentException when several groups have
        /// the name.</summary>
        /// <param name="name">Of the tensor.</param>
        /// <param name="group">null: does not matter.</param>
        /// <returns>The index.</returns>
        public long Find(string name, [AllowNull] string group = null)
        {
            long index;
            native.ckpt_reader_find(Handle, group, name, out index);
            return index;
        }

        /// <summary>Texts by key, of files of other programs.</summary>
        /// <returns>All of them.</returns>
        public IReadOnlyDictionary<string, string> Metadata()
        {
            long count;
            native.ckpt_reader_get_metadata_count(Handle, out count);
            var texts = new Dictionary<string, string>();
            for (long i = 0; i < count; ++i)
            {
                IntPtr key, value;
                native.ckpt_reader_get_metadata(Handle, i, out key, out value);
                texts[Utf8.Text(key)] = Utf8.Text(value);
            }
            GC.KeepAlive(this);
            return texts;
        }

        /// <summary>Reads a tensor into a new one.</summary>
        /// <param name="index">0 .. Count - 1.</param>
        /// <param name="pool">Of its memory; null: the process's default pool.</param>
        /// <returns>The tensor.</returns>
        public Tensor Read(long index, [AllowNull] BufferPool pool = null)
        {
            IntPtr tensor;
            native.ckpt_reader_read_new(Handle, index, HandleOf(pool), out tensor);
            return Tensor.Owning(tensor);
        }

        /// <summary>Reads a tensor into a new one.</summary>
        /// <param name="name">Of the tensor; in one group only.</param>
        /// <returns>The tensor.</returns>
        public Tensor Read(string name)
        {
            return Read(Find(name));
        }

        /// <summary>Reads a tensor into one that is there.</summary>
        /// <param name="index">0 .. Count - 1.</param>
        /// <param name="into">Of the same dtype and shape.</param>
        public void ReadInto(long index, Tensor into)
        {
            native.ckpt_reader_read(Handle, index, HandleOf(into));
        }

        /// <summary>Reads rows along the first dimension.</summary>
        /// <param name="index">0 .. Count - 1.</param>
        /// <param name="begin">The first row.</param>
        /// <param name="length">Their number.</param>
        /// <param name="pool">Of the memory; null: the process's default pool.</param>
        /// <returns>A new tensor.</returns>
        public Tensor ReadSlice(long index, long begin, long length, [AllowNull] BufferPool pool = null)
        {
            IntPtr tensor;
            native.ckpt_reader_read_slice(Handle, index, begin, length, HandleOf(pool), out tensor);
            return Tensor.Owning(tensor);
        }

        /// <summary>A read-only tensor over the file itself: no byte is copied. CheckpointUnsupportedException where that cannot
        /// be.</summary>
        /// <param name="index">0 .. Count - 1.</param>
        /// <returns>A tensor that keeps the mapping.</returns>
        public Tensor Map(long index)
        {
            IntPtr tensor;
            native.ckpt_reader_map(Handle, index, out tensor);
            return Tensor.Owning(tensor);
        }

        /// <summary>What there is, group after group, file after file.</summary>
        /// <returns>One after the other.</returns>
        public IEnumerator<TensorInfo> GetEnumerator()
        {
            var count = Count;
            for (long i = 0; i < count; ++i) yield return this[i];
        }

        IEnumerator IEnumerable.GetEnumerator()
        {
            return GetEnumerator();
        }
    }
}
