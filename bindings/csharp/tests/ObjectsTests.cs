using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Ckpt;

// Custom object stores: a dictionary under a checkpoint manager.
internal static class ObjectsTests
{
    private sealed class OpenFile
    {
        internal string Path;
        internal byte[] Bytes;
    }

    // Files in a dictionary. Counts the calls of each method.
    private class Objects : CustomObjects
    {
        internal readonly SortedDictionary<string, byte[]> Files = new SortedDictionary<string, byte[]>(StringComparer.Ordinal);
        internal readonly Dictionary<string, int> Calls = new Dictionary<string, int>();
        internal readonly List<string> Pages = new List<string>();
        internal Func<string, Exception> Fault = method => null;
        internal bool Refuses = true;
        internal bool Supports = true;
        internal StorageObject[] Answer; // null: the correct result
        internal int OpenFiles;

        protected void Note(string method)
        {
            lock (Calls) Calls[method] = Called(method) + 1;
            var fault = Fault(method);
            if (fault != null) throw fault;
        }

        internal int Called(string method)
        {
            int count;
            return Calls.TryGetValue(method, out count) ? count : 0;
        }

        public override object CreateStream(string path, long expectedBytes)
        {
            Note("CreateStream");
            ++OpenFiles;
            return new OpenFile { Path = path, Bytes = new byte[0] };
        }

        public override object Open(string path)
        {
            byte[] bytes;
            if (!Files.TryGetValue(path, out bytes)) throw new FileNotFoundException(path);
            ++OpenFiles;
            return new OpenFile { Path = path, Bytes = bytes };
        }

        public override void Close(object file)
        {
            --OpenFiles;
        }

        public override long FileSize(object file)
        {
            return ((OpenFile)file).Bytes.Length;
        }

        public override int Read(object file, long offset, Span<byte> buffer)
        {
            Note("Read");
            var bytes = ((OpenFile)file).Bytes.AsSpan((int)offset);
            var count = Math.Min(bytes.Length, buffer.Length);
            bytes.Slice(0, count).CopyTo(buffer);
            return count;
        }

        public override void Write(object file, long offset, ReadOnlySpan<byte> data)
        {
            var open = (OpenFile)file;
            Check.Equal((long)open.Bytes.Length, offset, "a stream has no gaps");
            open.Bytes = open.Bytes.Concat(data.ToArray()).ToArray();
        }

        public override void Sync(object file)
        {
            Note("Sync");
            Files[((OpenFile)file).Path] = ((OpenFile)file).Bytes;
        }

        public override void Remove(string path)
        {
            Note("Remove");
            if (!Files.Remove(path)) throw new FileNotFoundException(path);
        }

        public override long Size(string path)
        {
            if (!Files.ContainsKey(path)) throw new FileNotFoundException(path);
            return Files[path].Length;
        }

        public override void PutIfAbsent(string path, ReadOnlySpan<byte> data)
        {
            Note("PutIfAbsent");
            if (!Supports) throw new CkptUnsupportedException("this dictionary cannot do that");
            if (Refuses && Files.ContainsKey(path)) throw new CkptAlreadyExistsException(path);
            Files[path] = data.ToArray();
        }

        public override IEnumerable<StorageObject> ListFrom(string prefix, string after, long limit)
        {
            Note("ListFrom");
            Pages.Add(after);
            if (Answer != null) return Answer;
            return Files.Where(file => file.Key.StartsWith(prefix, StringComparison.Ordinal)
                && string.CompareOrdinal(file.Key, after) > 0).Take((int)limit)
                .Select(file => new StorageObject(file.Key, file.Value.Length)).ToList();
        }
    }

    // Also implements the optional methods.
    private sealed class AllObjects : Objects
    {
        public override void ReadRanges(object file, IReadOnlyList<StorageRange> ranges)
        {
            Note("ReadRanges");
            foreach (var range in ranges)
                ((OpenFile)file).Bytes.AsSpan((int)range.Offset, range.Buffer.Length).CopyTo(range.Buffer);
        }

        public override void RemoveMany(IReadOnlyList<string> paths)
        {
            Note("RemoveMany");
            foreach (var path in paths) Files.Remove(path);
        }
    }

    private static string Record(long sequence)
    {
        return "commits/" + (long.MaxValue - sequence);
    }

    private static void SaveAndLoad(Objects own)
    {
        var values = new float[] { 1, 2, 3 };
        var options = new CheckpointManagerOptions { KeepLast = 2 };
        using (var storage = Storage.Custom(own, "a dictionary"))
        using (var state = new State().Add<float>("model", "a", values))
        using (var first = new CheckpointManager(storage, options))
        using (var second = new CheckpointManager(storage, options))
        {
            for (var step = 1; step <= 4; ++step) first.Save(state, step);
            GC.Collect();
            Check.Equal("4,3", string.Join(",", first.List().Select(info => info.Step)), "steps");
            Check.Equal(Record(4) + "," + Record(3), string.Join(",", own.Files.Keys.Where(path => path.StartsWith("commits/"))),
                "records");
            Check.Equal(6, own.Files.Count, "two files, their manifests, and their records");
            Check.Contains("another writer", Check.Throws<CkptBusyException>(() => second.Save(state, 9), "the record is taken")
                .Message, "text");
            values[0] = 0;
            Check.Equal(4L, second.Load(state).Step, "step");
            Check.Equal(1f, values[0], "loaded");
            first.Verify();
        }
        Check.Equal(0, own.OpenFiles, "open files");
        Check.That(own.Called("CreateStream") >= 8, "streams");
        Check.Equal(own.Called("CreateStream"), own.Called("Sync"), "each is synced once");
        Check.That(own.Called("PutIfAbsent") >= 4, "records are put");
    }

    internal static void WithRequiredMethodsOnly()
    {
        var own = new Objects();
        SaveAndLoad(own);
        Check.That(own.Called("Read") > 0 && own.Called("Remove") > 4, "one by one");
    }

    internal static void WithAllMethods()
    {
        var own = new AllObjects();
        SaveAndLoad(own);
        Check.That(own.Called("ReadRanges") > 0 && own.Called("RemoveMany") > 0, "asked");
    }

    internal static void DefaultMethodsWork()
    {
        var own = new Objects();
        own.Files["b"] = new byte[0];
        own.RemoveMany(new[] { "b", "not there" });
        Check.Equal(0, own.Files.Count, "removed");
        Check.Contains("Rename", Check.Throws<CkptUnsupportedException>(() => own.Rename("a", "b"), "refused").Message, "text");
        own.Files["a"] = new byte[10];
        own.ReadRanges(own.Open("a"), new[] { default(StorageRange) });
        Check.Equal(1, own.Called("Read"), "asked for each piece");
    }

    internal static void ListsComeInPages()
    {
        var own = new Objects();
        using (var storage = Storage.Custom(own))
        using (var state = new State().Add<float>("model", "a", new float[1]))
        using (var checkpoint = new CheckpointManager(storage))
        {
            checkpoint.Save(state, 7);
            for (var i = 0; i < 2500; ++i) own.Files["other/" + i.ToString("D4")] = new byte[1];
            own.Pages.Clear();
            Check.Equal(7L, checkpoint.Load(state).Step, "step");
            Check.Equal(",other/0998,other/1998", string.Join(",", own.Pages.Take(3)), "pages");
        }
    }

    internal static void AStoreThatOverwritesIsDetected()
    {
        foreach (var supports in new[] { false, true })
        {
            var own = new Objects { Supports = supports, Refuses = false };
            using (var storage = Storage.Custom(own))
            using (var state = new State().Add<float>("model", "a", new float[1]))
            using (var checkpoint = new CheckpointManager(storage))
            {
                Check.Equal(0, own.Files.Count, "the probe is gone");
                var asked = own.Called("PutIfAbsent");
                checkpoint.Save(state, 1);
                Check.Equal(asked, own.Called("PutIfAbsent"), "not asked any more");
                Check.That(own.Files.Keys.First().StartsWith(Record(1) + "-step-"), own.Files.Keys.First());
                Check.Equal(1L, checkpoint.Load(state).Step, "step");
            }
        }
    }

    internal static void ExceptionsKeepTheirMeaning()
    {
        var own = new Objects();
        using (var storage = Storage.Custom(own))
        using (var once = new FaultHandler(new FaultHandlerOptions { MaxAttempts = 1 }))
        using (var checkpoint = new CheckpointManager(storage, new CheckpointManagerOptions { FaultHandler = once }))
        using (var state = new State().Add<float>("model", "a", new float[1]))
        {
            checkpoint.Save(state, 1);
            foreach (var failing in new[] { "CreateStream", "PutIfAbsent", "ListFrom" })
            {
                own.Fault = method => method == failing ? new UnauthorizedAccessException("not yours") : null;
                Check.Contains("not yours", Check.Throws<CkptPermissionException>(() => checkpoint.Save(state, 2), failing).Message,
                    "text");
                own.Fault = method => method == failing ? new InvalidOperationException("odd") : null;
                Check.Contains("odd", Check.Throws<CkptCallbackException>(() => checkpoint.Save(state, 2), failing).Message, "text");
            }
            own.Fault = method => null;
            checkpoint.Save(state, 3);
            Check.Equal(3L, checkpoint.Load(state).Step, "step");
        }
    }

    internal static void InvalidListsAreRejected()
    {
        var own = new Objects();
        using (var storage = Storage.Custom(own))
        using (var checkpoint = new CheckpointManager(storage))
        using (var state = new State().Add<float>("model", "a", new float[1]))
        {
            checkpoint.Save(state, 1);
            own.Answer = new[] { new StorageObject("../x", 1) };
            Check.Contains("leaves its root", Check.Throws<CkptCallbackException>(() => checkpoint.List(), "dots").Message, "text");
            own.Answer = new[] { new StorageObject("a", -1) };
            Check.Contains("at least 0", Check.Throws<CkptCallbackException>(() => checkpoint.List(), "bytes").Message, "text");
            own.Answer = new[] { new StorageObject("b", 1), new StorageObject("a", 1) };
            Check.Contains("expected a path after", Check.Throws<CkptCallbackException>(() => checkpoint.List(), "order").Message, "text");
            own.Answer = null;
            Check.Equal(1, checkpoint.List().Count(), "checkpoints");
        }
    }
}
