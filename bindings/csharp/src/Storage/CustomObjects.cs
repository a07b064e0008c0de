using System;
using System.Collections.Generic;
using System.IO;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Derive from this for an object store of your own. A file is there whole when its Sync has returned, and not before;
    /// a new one replaces that of its name. What was written, removed or refused is seen by the next call of anyone. There are no
    /// directories, renames and locks. ReadRanges and RemoveMany need not be there: the library asks Read and Remove
    /// then.</summary>
    public abstract partial class CustomObjects : CustomStorage
    {
        /// <summary>Fills the buffers of all ranges, at the same time where the place can; CkptInvalidArgumentException when the file
        /// ends before one does. This one asks Read, one piece after the other.</summary>
        /// <param name="file">From Open.</param>
        /// <param name="ranges">Valid during the call only.</param>
        public virtual void ReadRanges(object file, IReadOnlyList<StorageRange> ranges)
        {
            foreach (var range in ranges)
                if (Read(file, range.Offset, range.Buffer) != range.Buffer.Length)
                    throw new CkptInvalidArgumentException("the file ends before the range at " + range.Offset + " does");
        }

        /// <summary>Removes files; those that are not there are no error. This one asks Remove, one after the other.</summary>
        /// <param name="paths">Of the files.</param>
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

        /// <summary>Makes a file of which nothing is known.</summary>
        /// <param name="path">Its path.</param>
        /// <returns>The file.</returns>
        public override object Create(string path) => CreateStream(path, 0);
    }

    /// <summary>One file of a CustomObjects.</summary>
    public struct StorageObject
    {
        /// <summary>A file.</summary>
        /// <param name="path">All of its path.</param>
        /// <param name="bytes">Its length.</param>
        public StorageObject(string path, long bytes)
        {
            Path = path;
            Bytes = bytes;
        }

        /// <summary>All of its path.</summary>
        public string Path { get; }

        /// <summary>Its length.</summary>
        public long Bytes { get; }
    }

    /// <summary>A piece of a file of a CustomObjects, and where its bytes go. Valid during the call only that got it.</summary>
    public struct StorageRange
    {
        private readonly NativeBytes place;

        internal StorageRange(long offset, NativeBytes place)
        {
            Offset = offset;
            this.place = place;
        }

        /// <summary>Where the piece begins in the file.</summary>
        public long Offset { get; }

        /// <summary>To be filled.</summary>
        public Span<byte> Buffer => place.Span;
    }
}
