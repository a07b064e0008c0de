namespace Ckpt
{
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
