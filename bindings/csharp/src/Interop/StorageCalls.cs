using System;
using System.Collections.Concurrent;
using System.Threading;

namespace Ckpt.Interop
{
    // The library's calls of a CustomStorage, whose files and locks go by numbers there.
    internal sealed class StorageCalls : StorageFunctions
    {
        private readonly CustomStorage storage;
        private readonly ConcurrentDictionary<long, object> files = new ConcurrentDictionary<long, object>();
        private long last;

        internal StorageCalls(CustomStorage storage)
        {
            this.storage = storage;
        }

        private long Number(object file)
        {
            var number = Interlocked.Increment(ref last);
            files[number] = file;
            return number;
        }

        private object Taken(long number)
        {
            object file;
            files.TryRemove(number, out file);
            return file;
        }

        public override long create(string path)
        {
            return Number(storage.Create(path));
        }

        public override long open(string path)
        {
            return Number(storage.Open(path));
        }

        public override long lock_(string path)
        {
            return Number(storage.Lock(path));
        }

        public override void close(long file)
        {
            storage.Close(Taken(file));
        }

        public override void unlock(long held)
        {
            storage.Unlock(Taken(held));
        }

        public override long file_size(long file)
        {
            return storage.FileSize(files[file]);
        }

        public override long read(long file, long offset, IntPtr buffer)
        {
            return storage.Read(files[file], offset, NativeBytes.Of(buffer));
        }

        public override void write(long file, long offset, IntPtr buffer)
        {
            storage.Write(files[file], offset, NativeBytes.Of(buffer));
        }

        public override void sync(long file)
        {
            storage.Sync(files[file]);
        }

        public override void rename(string from, string to)
        {
            storage.Rename(from, to);
        }

        public override void remove(string path)
        {
            storage.Remove(path);
        }

        public override void remove_directory(string path)
        {
            storage.RemoveDirectory(path);
        }

        public override void make_directory(string path)
        {
            storage.MakeDirectory(path);
        }

        public override void sync_directory(string path)
        {
            storage.SyncDirectory(path);
        }

        public override void list(string path, Listing listing)
        {
            foreach (var entry in storage.List(path))
            {
                listing.add(entry.Name, entry.IsDirectory);
                Errors.CheckFetched();
            }
        }

        public override long size(string path)
        {
            return storage.Size(path);
        }
    }
}
