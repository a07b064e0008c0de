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
    public abstract class CustomObjects : CustomStorage
    {
        /// <summary>Makes a file that is written from front to back, then synced once.</summary>
        /// <param name="path">Its path.</param>
        /// <param name="expectedBytes">About how many will come; 0: not known.</param>
        /// <returns>The file.</returns>
        public abstract object CreateStream(string path, long expectedBytes);

        /// <summary>Makes a file of these bytes, whole and durable, if there is none of that name; CkptAlreadyExistsException when
        /// there is one, which stays as it was. Of several callers at once one succeeds. CkptUnsupportedException where the place
        /// cannot do that.</summary>
        /// <param name="path">Its path.</param>
        /// <param name="data">Valid during the call only.</param>
        public abstract void PutIfAbsent(string path, ReadOnlySpan<byte> data);

        /// <summary>Files whose paths begin with prefix and come behind after, in ascending order of their bytes.</summary>
        /// <param name="prefix">Of all paths.</param>
        /// <param name="after">"": from the first one on.</param>
        /// <param name="limit">Of them at most.</param>
        /// <returns>The files.</returns>
        public abstract IEnumerable<StorageObject> ListFrom(string prefix, string after, long limit);

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
                catch (FileNotFoundException)
                {
                }
                catch (CkptNotFoundException)
                {
                }
            }
        }

        /// <summary>Makes a file of which nothing is known.</summary>
        /// <param name="path">Its path.</param>
        /// <returns>The file.</returns>
        public override object Create(string path)
        {
            return CreateStream(path, 0);
        }

        /// <summary>Not asked for.</summary>
        /// <param name="from">The old path.</param>
        /// <param name="to">The new one.</param>
        public sealed override void Rename(string from, string to)
        {
            throw Refused("Rename");
        }

        /// <summary>Not asked for.</summary>
        /// <param name="path">Its path.</param>
        public sealed override void RemoveDirectory(string path)
        {
            throw Refused("RemoveDirectory");
        }

        /// <summary>Not asked for.</summary>
        /// <param name="path">Its path.</param>
        public sealed override void MakeDirectory(string path)
        {
            throw Refused("MakeDirectory");
        }

        /// <summary>Not asked for.</summary>
        /// <param name="path">Its path.</param>
        public sealed override void SyncDirectory(string path)
        {
            throw Refused("SyncDirectory");
        }

        /// <summary>Not asked for.</summary>
        /// <param name="path">Its path.</param>
        /// <returns>Nothing.</returns>
        public sealed override IEnumerable<StorageEntry> List(string path)
        {
            throw Refused("List");
        }

        /// <summary>Not asked for.</summary>
        /// <param name="path">What is locked.</param>
        /// <returns>Nothing.</returns>
        public sealed override object Lock(string path)
        {
            throw Refused("Lock");
        }

        /// <summary>Not asked for.</summary>
        /// <param name="held">From Lock.</param>
        public sealed override void Unlock(object held)
        {
            throw Refused("Unlock");
        }

        private static Exception Refused(string what)
        {
            return new CkptUnsupportedException("an object store has no " + what);
        }
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
        public Span<byte> Buffer
        {
            get { return place.Span; }
        }
    }
}
