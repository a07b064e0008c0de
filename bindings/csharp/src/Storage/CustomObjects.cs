using System;
using System.Collections.Generic;
using System.IO;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Base of custom object stores. A file exists completely once its Sync has returned, and not before; a new file
    /// replaces the one with its name. Every write, removal and refusal is visible to the next call of any client. Directories,
    /// renames and locks are not needed. ReadRanges and RemoveMany are optional: by default they call Read and Remove.</summary>
    public abstract partial class CustomObjects : CustomStorage
    {
        /// <summary>Fills the buffers of all ranges, concurrently where the store supports it. Throws CkptInvalidArgumentException
        /// when a range exceeds the file. By default calls Read for one range after the other.</summary>
        /// <param name="file">The file, from Open.</param>
        /// <param name="ranges">Valid during the call only.</param>
        public virtual void ReadRanges(object file, IReadOnlyList<StorageRange> ranges)
        {
            foreach (var range in ranges)
                if (Read(file, range.Offset, range.Buffer) != range.Buffer.Length)
                    throw new CkptInvalidArgumentException("range at " + range.Offset + ": exceeds the end of the file");
        }

        /// <summary>Removes files; ignores missing ones. By default calls Remove for one after the other.</summary>
        /// <param name="paths">Paths of the files.</param>
        public virtual void RemoveMany(IReadOnlyList<string> paths)
        {
            foreach (var path in paths)
            {
                try
                {
                    Remove(path);
                }
                catch (FileNotFoundException) { }
                catch (CkptNotFoundException) { }
            }
        }

        /// <summary>Creates a file of unknown size.</summary>
        /// <param name="path">Its path.</param>
        /// <returns>The file.</returns>
        public override object Create(string path) => CreateStream(path, 0);
    }

    /// <summary>One file of a CustomObjects.</summary>
    public struct StorageObject
    {
        /// <summary>Creates the entry of a file.</summary>
        /// <param name="path">The whole path.</param>
        /// <param name="bytes">Its length.</param>
        public StorageObject(string path, long bytes)
        {
            Path = path;
            Bytes = bytes;
        }

        /// <summary>The whole path.</summary>
        public string Path { get; }

        /// <summary>Its length.</summary>
        public long Bytes { get; }
    }

    /// <summary>A range of a file of a CustomObjects, and the buffer for its bytes. Valid during the call only.</summary>
    public struct StorageRange
    {
        private readonly NativeBytes place;

        internal StorageRange(long offset, NativeBytes place)
        {
            Offset = offset;
            this.place = place;
        }

        /// <summary>Offset of the range in the file.</summary>
        public long Offset { get; }

        /// <summary>The buffer to fill.</summary>
        public Span<byte> Buffer => place.Span;
    }
}
