using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Ckpt;

internal static class StorageTests
{
    // Files in dictionaries.
    private sealed class Dictionaries : CustomStorage
    {
        internal readonly SortedDictionary<string, MemoryStream> Files = new SortedDictionary<string,
            MemoryStream>(StringComparer.Ordinal);
        private readonly HashSet<string> folders = new HashSet<string> { "" };
        private readonly HashSet<string> locks = new HashSet<string>();
        internal Func<string, Exception> Fault = operation => null;

        private void Meet(string operation)
        {
            var fault = Fault(operation);
            if (fault != null) throw fault;
        }

        public override object Create(string path)
        {
            Meet("create");
            if (Files.ContainsKey(path)) throw new CkptAlreadyExistsException(path);
            return Files[path] = new MemoryStream();
        }

        public override object Open(string path)
        {
            MemoryStream file;
            if (!Files.TryGetValue(path, out file)) throw new FileNotFoundException(path);
            return file;
        }

        public override void Close(object file)
        {
        }

        public override long FileSize(object file)
        {
            return ((MemoryStream)file).Length;
        }

        public override int Read(object file, long offset, Span<byte> buffer)
        {
            Meet("read");
            var bytes = ((MemoryStream)file).ToArray().AsSpan((int)offset);
            var count = Math.Min(bytes.Length, buffer.Length);
            bytes.Slice(0, count).CopyTo(buffer);
            return count;
        }

        public override void Write(object file, long offset, ReadOnlySpan<byte> data)
        {
            Meet("write");
            var stream = (MemoryStream)file;
            stream.Position = offset;
            stream.Write(data.ToArray(), 0, data.Length);
        }

        public override void Sync(object file)
        {
        }

        public override void Rename(string from, string to)
        {
            foreach (var path in Files.Keys.Where(path => path == from || path.StartsWith(from + "/")).ToList())
            {
                Files[to + path.Substring(from.Length)] = Files[path];
                Files.Remove(path);
            }
            foreach (var path in folders.Where(path => path == from || path.StartsWith(from + "/")).ToList())
            {
                folders.Remove(path);
                folders.Add(to + path.Substring(from.Length));
            }
        }

        public override void Remove(string path)
        {
            if (!Files.Remove(path)) throw new FileNotFoundException(path);
        }

        public override void RemoveDirectory(string path)
        {
            folders.Remove(path);
        }

        public override void MakeDirectory(string path)
        {
            if (!folders.Add(path)) throw new CkptAlreadyExistsException(path);
        }

        public override void SyncDirectory(string path)
        {
        }

        public override IEnumerable<StorageEntry> List(string path)
        {
            if (!folders.Contains(path)) throw new DirectoryNotFoundException(path);
            var below = path == "" ? "" : path + "/";
            foreach (var name in Files.Keys.Where(name => name.StartsWith(below)).Select(name => name.Substring(below.Length)))
                if (!name.Contains("/")) yield return new StorageEntry(name, false);
            foreach (var name in folders.Where(name => name != "" && name.StartsWith(below)).Select(name =>
                name.Substring(below.Length)))
                if (name != "" && !name.Contains("/")) yield return new StorageEntry(name, true);
        }

        public override long Size(string path)
        {
            return ((MemoryStream)Open(path)).Length;
        }

        public override object Lock(string path)
        {
            if (!locks.Add(path)) throw new CkptBusyException(path + " is held");
            return path;
        }

        public override void Unlock(object held)
        {
            locks.Remove((string)held);
        }
    }

    internal static void CheckpointsInACustomStorage()
    {
        var mine = new Dictionaries();
        var values = new float[] { 1, 2, 3 };
        using (var storage = Storage.Custom(mine, "dictionaries"))
        using (var state = new State().Add<float>("model", "a", values))
        {
            using (var checkpoint = new CheckpointManager(storage))
            {
                GC.Collect();
                checkpoint.Save(state, 1);
                values[0] = 0;
                checkpoint.Load(state);
                Check.Equal(1f, values[0], "loaded");
                Check.That(mine.Files.Count >= 2, "files");
                Check.Throws<CkptBusyException>(() => new CheckpointManager(storage), "locked");
            }
            new CheckpointManager(storage).Dispose();
        }
    }

    internal static void ExceptionsKeepTheirMeaning()
    {
        var mine = new Dictionaries();
        using (var storage = Storage.Custom(mine))
        using (var checkpoint = new CheckpointManager(storage,
            new CheckpointManagerOptions { FaultHandler = new FaultHandler(new FaultHandlerOptions { MaxAttempts = 1 }) }))
        using (var state = new State().Add<float>("model", "a", new float[1]))
        {
            mine.Fault = operation => operation == "write" ? new CkptNoSpaceException("the dictionary is full") : null;
            Check.Contains("the dictionary is full", Check.Throws<CkptNoSpaceException>(() => checkpoint.Save(state, 1),
                "full").Message, "text");
            mine.Fault = operation => operation == "create" ? new UnauthorizedAccessException("not yours") : null;
            Check.Contains("not yours", Check.Throws<CkptPermissionException>(() => checkpoint.Save(state, 1),
                "denied").Message, "text");
            mine.Fault = operation => operation == "write" ? new InvalidOperationException("odd") : null;
            Check.Contains("odd", Check.Throws<CkptCallbackException>(() => checkpoint.Save(state, 1), "other").Message,
                "text");
            mine.Fault = operation => null;
            checkpoint.Save(state, 1);
        }
    }

    internal static void FaultsAreRetried()
    {
        var mine = new Dictionaries();
        var pauses = new List<TimeSpan>();
        var left = 2;
        mine.Fault = operation => operation == "write" && left-- > 0 ? new IOException("flaky") : null;
        var once = new FaultHandler(new FaultHandlerOptions { MaxAttempts = 1 });
        using (var handler = new FaultHandler(new FaultHandlerOptions { Jitter = 0 }, pauses.Add))
        using (var storage = Storage.Custom(mine).Retrying(handler))
        using (var checkpoint = new CheckpointManager(storage, new CheckpointManagerOptions { FaultHandler = once }))
        using (var state = new State().Add<float>("model", "a", new float[1]))
        {
            var warnings = new List<string>();
            Library.SetLog((level, component, message) =>
            {
                lock (warnings) warnings.Add(level + " " + component + " " + message);
            });
            checkpoint.Save(state, 1);
            Library.SetLog(null);
            Check.Equal(2L, handler.RetryCount, "retries");
            Check.Equal("00:00:00.0100000,00:00:00.0200000", string.Join(",", pauses), "pauses");
            Check.That(warnings.Count >= 2 && warnings[0].Contains("flaky"), "warnings: " + string.Join("; ", warnings));
        }
    }

    internal static void ADecideFunctionControlsRetries()
    {
        var mine = new Dictionaries();
        var pauses = new List<TimeSpan>();
        var asked = new List<string>();
        var left = 2;
        mine.Fault = operation => operation == "write" && left-- > 0 ? new UnauthorizedAccessException("not yours") : null;
        var options = new FaultHandlerOptions { MaxAttempts = 9 };
        using (var handler = new FaultHandler(options, pauses.Add, fault =>
        {
            asked.Add(fault.Status + " " + fault.Attempt + " " + fault.Retry + " " + fault.Message.Contains("not yours"));
            fault.Retry = fault.Attempt < 3; // the rule would not retry it
            fault.Delay = TimeSpan.FromMilliseconds(fault.Attempt);
        }))
        using (var storage = Storage.Custom(mine))
        using (var checkpoint = new CheckpointManager(storage, new CheckpointManagerOptions { FaultHandler = handler }))
        using (var state = new State().Add<float>("model", "a", new float[1]))
        {
            checkpoint.Save(state, 1);
            Check.Equal("00:00:00.0010000,00:00:00.0020000", string.Join(",", pauses), "pauses");
            Check.Equal("Permission 1 False True;Permission 2 False True", string.Join(";", asked), "asked");
            left = 3;
            Check.Throws<CkptPermissionException>(() => checkpoint.Save(state, 2), "the third time");
        }
        using (var broken = new FaultHandler(options, pauses.Add, fault => { throw new InvalidOperationException("no idea"); }))
        using (var storage = Storage.Custom(mine))
        using (var checkpoint = new CheckpointManager(storage, new CheckpointManagerOptions { FaultHandler = broken }))
        using (var state = new State().Add<float>("model", "a", new float[1]))
        {
            left = 1;
            Check.Contains("no idea", Check.Throws<CkptCallbackException>(() => checkpoint.Save(state, 3), "broken").Message,
                "text");
        }
    }

    internal static void UrisNameStorages()
    {
        var folder = StateTests.Folder();
        try
        {
            using (var state = new State().Add<float>("model", "a", new float[1]))
            {
                using (var storage = Storage.FromUri("file://" + folder + "/a%20b"))
                using (var checkpoint = new CheckpointManager(storage)) checkpoint.Save(state, 3);
                using (var storage = Storage.FromUri(Path.Combine(folder, "a b")))
                using (var checkpoint = new CheckpointManager(storage)) Check.Equal(3L, checkpoint.Load(state).Step, "step");
            }
            using (var one = Storage.FromUri("memory:csharp"))
            using (var same = Storage.FromUri("Memory:csharp"))
            using (new CheckpointManager(one)) Check.Throws<CkptBusyException>(() => new CheckpointManager(same), "locked");
        }
        finally
        {
            Directory.Delete(folder, true);
        }
        NoS3();
        Check.Throws<CkptInvalidArgumentException>(() => Storage.FromUri("memory:a/../b"), "component");
    }

    // The environment specifies a store without a listener.
    private static void NoS3()
    {
        if (Environment.GetEnvironmentVariable("CKPT_HAS_S3") == "1")
        {
            var failure = Check.Throws<CkptIoException>(() => new CheckpointManager("s3://bucket/run"), "no store");
            Check.Contains("s3://bucket/run", failure.Message, "which storage");
        }
        else
        {
            Check.Contains("libckpt-s3",
                Check.Throws<CkptUnsupportedException>(() => Storage.FromUri("s3://bucket/run"), "s3").Message, "package");
        }
    }

    // A save, a load and a list at the gateway in the environment.
    internal static int AtS3(string uri)
    {
        var weights = new float[] { 1, 2, 3 };
        using (var checkpoint = new CheckpointManager(uri + "/csharp"))
        using (var state = new State().Add<float>("model", "a", weights))
        {
            checkpoint.Save(state, 7);
            checkpoint.Save(state, 8);
            Array.Clear(weights, 0, 3);
            Check.Equal(8L, checkpoint.Load(state).Step, "step");
            Check.Equal(3F, weights[2], "weights");
        }
        using (var storage = Storage.FromUri(uri + "/csharp"))
        using (var checkpoint = new CheckpointManager(storage, new CheckpointManagerOptions { ReadOnly = true }))
        {
            var list = checkpoint.List();
            Check.Equal(2, list.Count, "checkpoints");
            Check.Equal(8L, list[0].Step, "the newest first");
        }
        Console.WriteLine("saved, loaded and listed");
        return 0;
    }

    internal static void CustomSchemes()
    {
        var asked = new List<string>();
        var given = new List<Storage>();
        Storage.RegisterScheme("shelf", uri =>
        {
            asked.Add(uri);
            if (uri == "shelf:none") throw new FileNotFoundException("no such shelf");
            if (uri == "shelf:odd") throw new InvalidOperationException("odd");
            if (uri == "shelf:nothing") return null;
            if (uri != "shelf:again") given.Add(Storage.FromUri("memory:shelf"));
            return given[0];
        });
        try
        {
            using (var kept = Storage.FromUri("memory:shelf"))
            using (var state = new State().Add<float>("model", "a", new float[1]))
            {
                Check.Throws<CkptAlreadyExistsException>(() => Storage.RegisterScheme("Shelf", uri => null), "twice");
                using (var storage = Storage.FromUri("shelf://a%20b?x"))
                using (var checkpoint = new CheckpointManager(storage)) checkpoint.Save(state, 5);
                GC.Collect(); // a storage that was handed over is not released again
                GC.WaitForPendingFinalizers();
                Check.Equal("shelf://a%20b?x", string.Join(",", asked), "asked");
                Check.That(given[0].IsDisposed, "handed over");
                using (var checkpoint = new CheckpointManager(kept)) Check.Equal(5L, checkpoint.Load(state).Step, "step");
            }
            Check.Contains("no such shelf", Check.Throws<CkptNotFoundException>(() => Storage.FromUri("shelf:none"), "none").Message,
                "text");
            Check.Contains("odd", Check.Throws<CkptCallbackException>(() => Storage.FromUri("shelf:odd"), "odd").Message, "text");
            Check.Contains("expected a storage", Check.Throws<CkptCallbackException>(() => Storage.FromUri("shelf:nothing"),
                "nothing").Message, "text");
            Check.Contains("disposed", Check.Throws<CkptCallbackException>(() => Storage.FromUri("shelf:again"), "again").Message,
                "text");
        }
        finally
        {
            Storage.UnregisterScheme("SHELF");
        }
        Check.Throws<CkptUnsupportedException>(() => Storage.FromUri("shelf:x"), "forgotten");
        Check.Throws<CkptNotFoundException>(() => Storage.UnregisterScheme("shelf"), "twice");
    }

    internal static void DirectoriesOfTheFileSystem()
    {
        Check.Throws<CkptNotFoundException>(() => new Storage("/no/such/place",
            new FileSystemOptions { MustExist = true }), "must exist");
        var folder = StateTests.Folder();
        try
        {
            foreach (WritePath path in Enum.GetValues(typeof(WritePath)))
                using (new Storage(Path.Combine(folder, path.ToString()),
                    new FileSystemOptions { WritePath = path, LargeFromBytes = 1 << 20 })) Check.That(true, "made");
            Check.Equal(3, Directory.GetDirectories(folder).Length, "folders");
        }
        finally
        {
            Directory.Delete(folder, true);
        }
    }
}
