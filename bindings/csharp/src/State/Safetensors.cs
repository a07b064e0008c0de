using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Reads and writes plain safetensors files, which any program can read.</summary>
    public static class Safetensors
    {
        /// <summary>Writes the tensors of one group of a state, durably; an existing file is replaced.</summary>
        /// <param name="path">Path of the file.</param>
        /// <param name="state">The state that contains the group.</param>
        /// <param name="group">Name of the group.</param>
        /// <param name="metadataJson">A JSON object of strings; null: none.</param>
        public static void Write(string path, State state, string group, [AllowNull] string metadataJson = null)
            => native.ckpt_safetensors_write(path, NativeObject.HandleOf(state), group, metadataJson);

        /// <summary>Writes tensors by name.</summary>
        /// <param name="path">Path of the file.</param>
        /// <param name="tensors">At least one.</param>
        /// <param name="metadataJson">A JSON object of strings; null: none.</param>
        public static void Write(string path, IEnumerable<KeyValuePair<string, Tensor>> tensors,
            [AllowNull] string metadataJson = null)
        {
            if (tensors == null) throw new ArgumentNullException("tensors");
            using (var state = new State())
            {
                foreach (var tensor in tensors) state.Add("tensors", tensor.Key, tensor.Value);
                Write(path, state, "tensors", metadataJson);
            }
        }

        /// <summary>Reads every tensor of a file, or of a folder with an index.</summary>
        /// <param name="path">Path of the file or folder.</param>
        /// <returns>New tensors by name.</returns>
        public static IReadOnlyDictionary<string, Tensor> Read(string path)
        {
            using (var reader = new Reader(path))
            {
                var tensors = new Dictionary<string, Tensor>();
                foreach (var info in reader) tensors[info.Name] = reader.Read(info.Index);
                return tensors;
            }
        }
    }
}
