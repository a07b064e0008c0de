using System;
using System.Collections;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>The tensors of one checkpoint, of any safetensors file, or of a folder with an index. Enumerating yields their
    /// infos. Use from one thread at a time; returned tensors stay valid after it is disposed of.</summary>
    public sealed partial class Reader : NativeObject, IEnumerable<TensorInfo>
    {
        /// <summary>Information on a tensor.</summary>
        /// <param name="index">0 .. TensorCount - 1.</param>
        /// <returns>The tensor's name, element type, shape and place.</returns>
        public TensorInfo this[long index]
        {
            get
            {
                var found = TensorInfo.Filled(info => native.ckpt_reader_get_tensor(Handle, index, info));
                found.Index = index;
                GC.KeepAlive(this);
                return found;
            }
        }

        /// <summary>Returns the index of a tensor. Throws CkptNotFoundException; CkptInvalidArgumentException when several groups
        /// have the name.</summary>
        /// <param name="name">Name of the tensor.</param>
        /// <param name="group">null: any group.</param>
        public long Find(string name, [AllowNull] string group = null)
        {
            long index;
            native.ckpt_reader_find(Handle, group, name, out index);
            return index;
        }

        /// <summary>Returns strings by key, as in safetensors files of other programs.</summary>
        /// <returns>All of them.</returns>
        public IReadOnlyDictionary<string, string> GetMetadata()
        {
            var count = Get<long>(native.ckpt_reader_get_metadata_count);
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

        /// <summary>Returns a value of any shape that State.Set, or another language, has saved as this group: nested long, double,
        /// bool, string, byte[], BigInteger, Complex, List and Dictionary of objects, TreeRecord and Tensor. Throws
        /// CkptNotFoundException when the group is not such a value; CkptInvalidArgumentException when it has another
        /// type.</summary>
        /// <typeparam name="T">Type of the value: arrays of numbers for a tensor, other kinds of numbers if they fit.</typeparam>
        /// <param name="group">null for files without groups.</param>
        /// <param name="key">The key of a dictionary: returns its value only, and reads no other tensors; null: the whole
        /// value.</param>
        [return: MaybeNull]
        public T Get<T>([AllowNull] string group, [AllowNull] string key = null) => Trees.Get<T>(this, group, key);

        /// <summary>Reads a tensor into a new one.</summary>
        /// <param name="name">Name of the tensor; in one group only.</param>
        public Tensor Read(string name) => Read(Find(name));

        /// <summary>Enumerates the tensors, group after group, file after file.</summary>
        /// <returns>The enumerator.</returns>
        public IEnumerator<TensorInfo> GetEnumerator()
        {
            var count = TensorCount;
            for (long i = 0; i < count; ++i) yield return this[i];
        }

        IEnumerator IEnumerable.GetEnumerator()
        {
            return GetEnumerator();
        }
    }

    public sealed unsafe partial class TensorInfo
    {
        /// <summary>The tensor's index in the reader.</summary>
        public long Index { get; internal set; }
    }
}
