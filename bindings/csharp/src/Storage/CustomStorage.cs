using System;
using System.Collections.Generic;

namespace Ckpt
{
    /// <summary>Derive from this for a storage of your own. Paths are relative, with '/' between their components; "" is the root.
    /// Files and locks are whatever objects Create, Open and Lock give. Throw FileNotFoundException or CkptNotFoundException
    /// for what is not there, CkptAlreadyExistsException for a taken name, CkptBusyException for a lock that is held,
    /// CkptNoSpaceException, UnauthorizedAccessException; IOException is what a fault handler tries again. Several methods
    /// may run at once, but only one with the same file. They must not use their own storage.</summary>
    public abstract class CustomStorage
    {
        /// <summary>Makes a new, empty file.</summary>
        /// <param name="path">Its path.</param>
        /// <returns>The file.</returns>
        public abstract object Create(string path);

        /// <summary>Opens a file for reading.</summary>
        /// <param name="path">Its path.</param>
        /// <returns>The file.</returns>
        public abstract object Open(string path);

        /// <summary>The file is not used any more.</summary>
        /// <param name="file">From Create or Open.</param>
        public abstract void Close(object file);

        /// <summary>Bytes of an open file.</summary>
        /// <param name="file">From Create or Open.</param>
        /// <returns>The bytes.</returns>
        public abstract long FileSize(object file);

        /// <summary>Fills buffer from offset on.</summary>
        /// <param name="file">From Create or Open.</param>
        /// <param name="offset">At least 0.</param>
        /// <param name="buffer">Valid during the call only.</param>
        /// <returns>Bytes read, fewer than asked for only at the file's end.</returns>
        public abstract int Read(object file, long offset, Span<byte> buffer);

        /// <summary>Writes all of data at offset.</summary>
        /// <param name="file">From Create.</param>
        /// <param name="offset">Before, at or behind the file's end.</param>
        /// <param name="data">Valid during the call only.</param>
        public abstract void Write(object file, long offset, ReadOnlySpan<byte> data);

        /// <summary>Returns when all that was written is durable.</summary>
        /// <param name="file">From Create.</param>
        public abstract void Sync(object file);

        /// <summary>Gives a file or directory another name, atomically; a file that had it is replaced.</summary>
        /// <param name="from">The old path.</param>
        /// <param name="to">The new one.</param>
        public abstract void Rename(string from, string to);

        /// <summary>Removes a file.</summary>
        /// <param name="path">Its path.</param>
        public abstract void Remove(string path);

        /// <summary>Removes a directory. CkptAlreadyExistsException when it is not empty.</summary>
        /// <param name="path">Its path.</param>
        public abstract void RemoveDirectory(string path);

        /// <summary>Makes a directory, one level. CkptAlreadyExistsException when the name is taken.</summary>
        /// <param name="path">Its path.</param>
        public abstract void MakeDirectory(string path);

        /// <summary>Returns when names made, renamed and removed in the directory are durable.</summary>
        /// <param name="path">Its path.</param>
        public abstract void SyncDirectory(string path);

        /// <summary>Everything in a directory, in any order.</summary>
        /// <param name="path">Its path.</param>
        /// <returns>The names.</returns>
        public abstract IEnumerable<StorageEntry> List(string path);

        /// <summary>Bytes of a file.</summary>
        /// <param name="path">Its path.</param>
        /// <returns>The bytes.</returns>
        public abstract long Size(string path);

        /// <summary>An exclusive lock; CkptBusyException at once when another has it.</summary>
        /// <param name="path">What is locked.</param>
        /// <returns>The lock.</returns>
        public abstract object Lock(string path);

        /// <summary>The lock is not held any more.</summary>
        /// <param name="held">From Lock.</param>
        public abstract void Unlock(object held);
    }

    /// <summary>One name in a directory of a CustomStorage.</summary>
    public struct StorageEntry
    {
        /// <summary>A name without the path before it.</summary>
        /// <param name="name">The name.</param>
        /// <param name="isDirectory">Whether it is a directory.</param>
        public StorageEntry(string name, bool isDirectory)
        {
            Name = name;
            IsDirectory = isDirectory;
        }

        /// <summary>The name.</summary>
        public string Name { get; }

        /// <summary>Whether it is a directory.</summary>
        public bool IsDirectory { get; }
    }
}
