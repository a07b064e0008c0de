namespace Ckpt
{
    /// <summary>Derive from this for a storage of your own. Paths are relative, with '/' between their components; "" is the root.
    /// Files and locks are whatever objects Create, Open and Lock give. Throw FileNotFoundException or CkptNotFoundException
    /// for what is not there, CkptAlreadyExistsException for a taken name, CkptBusyException for a lock that is held,
    /// CkptNoSpaceException, UnauthorizedAccessException; IOException is what a fault handler tries again. Several methods
    /// may run at once, but only one with the same file. They must not use their own storage.</summary>
    public abstract partial class CustomStorage
    {
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
