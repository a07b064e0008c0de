namespace Ckpt
{
    /// <summary>Base of custom storages. Paths are relative, with '/' between their components; "" is the root. Files and locks are
    /// the objects that Create, Open and Lock return. Throw FileNotFoundException or CkptNotFoundException for a missing file,
    /// CkptAlreadyExistsException for an existing name, CkptBusyException for a lock that is held, CkptNoSpaceException,
    /// UnauthorizedAccessException; a fault handler retries IOException. Several methods may run at once, but only one per file.
    /// They must not use their own storage.</summary>
    public abstract partial class CustomStorage
    {
    }

    /// <summary>One name in a directory of a CustomStorage.</summary>
    public struct StorageEntry
    {
        /// <summary>Creates an entry; its name contains no directory.</summary>
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
