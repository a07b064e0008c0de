using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Ckpt;

internal static class StateTests
{
    internal static string Folder()
    {
        var path = Path.Combine(Path.GetTempPath(), "ckpt-csharp-" + Guid.NewGuid().ToString("N"));
        Directory.CreateDirectory(path);
        return path;
    }

    private sealed class Recorder : IProgress<CheckpointProgress>
    {
        internal long Calls, Done, Total;
        internal bool Stops;

        public void Report(CheckpointProgress value)
        {
            if (Stops) throw new InvalidOperationException("enough of it");
            Check.That(value.DoneBytes >= Done && (Calls > 0 || value.DoneBytes == 0), "progress");
            Calls++;
            Done = value.DoneBytes;
            Total = value.TotalBytes;
        }
    }

    internal static void ProgressOfLongCalls()
    {
        using (var storage = Storage.InMemory())
        using (var manager = new CheckpointManager(storage))
        using (var state = new State())
        {
            state.Add<byte>("model", "w", new byte[9 << 20]);
            var save = new Recorder();
            var verify = new Recorder();
            try
            {
                Library.SetProgress(save);
                manager.Save(state, new SaveOptions { Step = 1 });
                Library.SetProgress(verify);
                manager.Verify();
                Library.SetProgress(new Recorder { Stops = true });
                Check.Throws<CkptCallbackException>(() => manager.Load(state), "enough of it");
            }
            finally
            {
                Library.SetProgress(null);
            }
            Check.That(save.Calls > 2 && save.Done == 9 << 20 && save.Total == 9 << 20, "save");
            Check.That(verify.Calls > 2 && verify.Done == verify.Total && verify.Done > 9 << 20, "verify");
            manager.Load(state);
        }
    }

    // The conformance tests cover values of other languages; these tests cover C#'s own types.
    internal static void TensorsOfEachDTypeAtEachShape()
    {
        foreach (DType dtype in Enum.GetValues(typeof(DType)))
        {
            if ((int)dtype < 1) continue;
            var isWholeBytes = DTypes.Bits(dtype) % 8 == 0;
            foreach (var shape in isWholeBytes ? new[] { new long[] { 0 }, new long[0], new long[] { 3 } } : new[] { new long[] { 0 }, new long[] { 4 } })
            {
                using (var storage = Storage.InMemory())
                using (var checkpoint = new CheckpointManager(storage))
                using (var tensor = new Tensor(dtype, shape))
                using (var state = new State())
                {
                    tensor.AsBytes().Fill(1);
                    checkpoint.Save(state.Set("x", tensor).Set("list", new object[] { tensor }), new SaveOptions { Step = 1 });
                    using (var reader = checkpoint.OpenReader())
                    {
                        var what = dtype + " with " + shape.Length + " dimensions";
                        Check.That(reader.Get<Tensor>("x").BitEqual(tensor), what);
                        Check.That(((Tensor)reader.Get<List<object>>("list")[0]).BitEqual(tensor), what + " in a list");
                    }
                }
            }
        }
    }

    internal static void ArraysOfEachKind()
    {
        using (var state = new State())
        {
            Check.That(state.Set("x", new sbyte[] { -1, 2 }).Get<sbyte[]>("x").SequenceEqual(new sbyte[] { -1, 2 }), "sbyte[] is not bytes");
            Check.That(state.Set("x", new byte[] { 1, 2 }).Get<byte[]>("x").SequenceEqual(new byte[] { 1, 2 }), "byte[]");
            Check.That(state.Set("x", new ushort[] { 1, 65535 }).Get<ushort[]>("x").SequenceEqual(new ushort[] { 1, 65535 }), "ushort[]");
            var matrix = state.Set("x", new float[,] { { 1, 2, 3 }, { 4, 5, 6 } }).Get<Tensor>("x");
            Check.That(matrix.Shape.SequenceEqual(new long[] { 2, 3 }) && matrix.ToArray<float>().SequenceEqual(new float[] { 1, 2, 3, 4, 5, 6 }),
                "two dimensions");
            Check.That(state.Set("x", new byte[1, 0, 2]).Get<Tensor>("x").Shape.SequenceEqual(new long[] { 1, 0, 2 }), "no elements");
#if NET
            if (typeof(AsyncManager).GetInterface("IAsyncDisposable") == null) return; // the library for netstandard2.0 has no Half
            Check.That(state.Set("x", new[] { (Half)1.5 }).Get<Half[]>("x").SequenceEqual(new[] { (Half)1.5 }), "Half[]");
#endif
        }
    }

    internal static void NumbersOutOfRange()
    {
        using (var state = new State().Set("x", (1L << 53) + 1).Set("small", 7).Set("none", null))
        {
            Check.Throws<CkptInvalidArgumentException>(() => state.Get<double>("x"), "a double has not all its digits");
            Check.Throws<CkptInvalidArgumentException>(() => state.Get<float>("x"), "a float neither");
            Check.Throws<CkptInvalidArgumentException>(() => state.Get<int>("x"), "an int");
            Check.Equal(7.0, state.Get<double>("small"), "a double");
            Check.Equal((int?)7, state.Get<int?>("small"), "int?");
            Check.That(state.Get<int?>("none") == null, "no int?");
            Check.Contains("expected a System.Collections.Generic.List`1[System.String]",
                Check.Throws<CkptInvalidArgumentException>(() => state.Get<List<string>>("small"), "a list").Message, "the whole type");
        }
    }

    // Types of other languages that C# lacks are written unchanged.
    internal static void ReadValuesAreWrittenUnchanged()
    {
        const string text = "{\"format\":\"ckpt-tree\",\"format_version\":2,\"nodes\":[[\"dict\",6],\"model\",[\"attributes\"],[\"ordered_dict\",1],"
            + "\"w\",[\"tensor\",\"w\",\"torch\"],[\"dict\",1],\"_metadata\",[\"ordered_dict\",1],\"\",[\"dict\",1],\"version\",2,"
            + "\"pair\",[\"tuple\",2],1,[\"list\",1],2,\"free\",[\"tensor\",\"p\",\"parameter\"],"
            + "\"frozen\",[\"attributes\"],[\"tensor\",\"p\",\"parameter\"],[\"dict\",1],\"requires_grad\",false,"
            + "\"big\",[\"tensor\",\"w\",\"array\",\"big-endian\"],\"wide\",[\"tensor\",\"c\",\"array\",\"complex128\"]]}";
        using (var tree = Tensor.From(System.Text.Encoding.UTF8.GetBytes(text)))
        using (var w = Tensor.From(new[] { 1f, 2f }))
        using (var p = Tensor.From(new[] { 3f }))
        using (var c = Tensor.From(new[] { 1.0, 2.0 }, 1, 2))
        using (var state = new State().Add("g", "w", w).Add("g", "p", p).Add("g", "c", c).Add("g", "__tree__", tree))
        using (var storage = Storage.InMemory())
        using (var checkpoint = new CheckpointManager(storage))
        using (var copy = new State())
        {
            var read = state.Get<TreeDict>("g");
            var model = (TreeDict)read["model"];
            Check.That(model.IsOrdered && !read.IsOrdered && model.Attributes.ContainsKey("_metadata"), "an ordered dict");
            Check.That(((TreeList)read["pair"]).IsTuple, "a tuple");
            Check.Equal((object)false, ((Attributed)read["frozen"]).Attributes["requires_grad"], "an attribute");
            checkpoint.Save(copy.Set("g", read), new SaveOptions { Step = 1 });
            using (var reader = checkpoint.OpenReader())
            using (var again = reader.Read(reader.Find("__tree__", "g")))
            {
                var expected = text.Replace("\"tensor\",\"w\"", "\"tensor\",\"model.w\"").Replace("\"tensor\",\"p\"", "\"tensor\",\"free\"")
                    .Replace("\"tensor\",\"c\"", "\"tensor\",\"wide\"");
                Check.Equal(expected, System.Text.Encoding.UTF8.GetString(again.ToArray<byte>()), "the text");
                Check.Equal(3f, reader.Get<float[]>("g", "frozen")[0], "the value without its attributes");
            }
            Check.Contains("attributes: expected at least one", Check.Throws<CkptInvalidArgumentException>(
                () => state.Set("bad", new Attributed(1, new Dictionary<string, object>())), "none").Message, "no attributes");
        }
    }

    internal static void ScalarsOfOtherLanguages()
    {
        var text = System.Text.Encoding.UTF8.GetBytes("{\"format\":\"ckpt-tree\",\"format_version\":1,\"nodes\":[[\"tensor\",\"x\",\"scalar\"]]}");
        foreach (var one in new Dictionary<DType, object> { { DType.Bool, true }, { DType.I8, -1L }, { DType.U8, 255L }, { DType.I16, -1L },
            { DType.U16, 65535L }, { DType.I32, -1L }, { DType.U32, 4294967295L }, { DType.I64, -1L },
            { DType.U64, new System.Numerics.BigInteger(ulong.MaxValue) } })
        {
            using (var scalar = new Tensor(one.Key))
            using (var tree = Tensor.From(text))
            using (var state = new State().Add("g", "x", scalar).Add("g", "__tree__", tree))
            {
                scalar.AsBytes().Fill((byte)(one.Key == DType.Bool ? 1 : 255));
                Check.Equal(one.Value, state.Get<object>("g"), one.Key.ToString());
            }
        }
    }

    internal static void ValuesOfAnyShape()
    {
        var shared = new[] { 1f, 2f };
        var extra = new Dictionary<string, object>
        {
            { "epoch", 3 },
            { "shared", new[] { shared, shared } },
            { "more", new object[] { (short)1, 'x', 2.5f, null, new short[] { -1 }, new[] { true, false }, new[] { "y" } } },
            { "big", System.Numerics.BigInteger.Pow(10, 30) * -1 },
            { "emoji \uD83D\uDE00", "\uDC00" },
            { "complex", new System.Numerics.Complex(1, -2) },
            { "record", new TreeRecord("module.Point", true) { { "x", 1.5 } } },
        };
        using (var storage = Storage.InMemory())
        using (var checkpoint = new CheckpointManager(storage))
        using (var state = new State())
        {
            state.Set("extra", "something older").Set("extra", extra).Set("rates", new[] { 0.5, 0.25 }).Set("none", null);
            Check.That(state.Get<double[]>("rates").SequenceEqual(new[] { 0.5, 0.25 }), "from the state");
            checkpoint.Save(state, new SaveOptions { Step = 1 });
            using (var reader = checkpoint.OpenReader())
            {
                var read = reader.Get<Dictionary<object, object>>("extra");
                Check.That(read.Keys.Cast<string>().SequenceEqual(extra.Keys), "keys in their order");
                Check.Equal((object)3L, read["epoch"], "epoch");
                var both = (List<object>)read["shared"];
                Check.That(ReferenceEquals(both[0], both[1]), "one array, one tensor");
                Check.That(((Tensor)both[0]).ToArray<float>().SequenceEqual(shared), "shared");
                var more = (List<object>)read["more"];
                Check.That(more.Take(4).SequenceEqual(new object[] { 1L, "x", 2.5, null }), "scalars");
                Check.Equal((short)-1, ((Tensor)more[4]).ToArray<short>()[0], "short");
                Check.That(((Tensor)more[5]).ToArray<bool>().SequenceEqual(new[] { true, false }), "truths");
                Check.Equal("y", (string)((List<object>)more[6])[0], "strings are a list");
                foreach (var key in new[] { "big", "emoji \uD83D\uDE00", "complex" }) Check.Equal(extra[key], read[key], key);
                var record = (TreeRecord)read["record"];
                Check.Equal("module.Point True 1.5", record.ClassName + " " + record.IsTuple + " " + ((double)record["x"]).ToString(
                    System.Globalization.CultureInfo.InvariantCulture), "record");

                Check.Equal(3, reader.Get<int>("extra", "epoch"), "int");
                Check.Equal(3.0, reader.Get<double>("extra", "epoch"), "double");
                Check.That(reader.Get<object>("none") == null, "null");
                Check.That(reader.Get<double[]>("rates").SequenceEqual(new[] { 0.5, 0.25 }), "rates");
                Check.Throws<CkptInvalidArgumentException>(() => reader.Get<float[]>("rates"), "another dtype");
                Check.Throws<CkptInvalidArgumentException>(() => reader.Get<string>("extra", "epoch"), "another type");
                Check.Throws<CkptNotFoundException>(() => reader.Get<object>("extra", "none"), "no key");
                Check.Throws<CkptNotFoundException>(() => reader.Get<object>("lost"), "no group");
            }
            var refused = Check.Throws<CkptUnsupportedException>(() => state.Set("bad", new Dictionary<string, object> {
                { "a", new object[] { 1, DateTime.Now } } }), "a date");
            Check.Contains("a.1: a System.DateTime cannot be stored", refused.Message, "where");
            var loop = new List<object>();
            loop.Add(loop);
            Check.Contains("deeper than 1000", Check.Throws<CkptInvalidArgumentException>(() => state.Set("bad", loop), "a loop").Message, "depth");
            Check.Throws<CkptNotFoundException>(() => state.Get<object>("bad"), "nothing was added");
        }
    }

    internal static void SaveAndLoad()
    {
        var folder = Folder();
        try
        {
            var weights = Enumerable.Range(0, 1000).Select(i => (float)i).ToArray();
            using (var state = new State())
            using (var checkpoint = new CheckpointManager(folder, new CheckpointManagerOptions { KeepLast = 2 }))
            {
                state.Add<float>("model", "weight", weights, 10, 100);
                state["epoch"] = "{\"n\": 3}";
                Check.Equal(1L, state.TensorCount, "tensors");
                Check.That(checkpoint.LoadIfAny(state) == null, "nothing yet");
                for (var step = 1; step <= 3; ++step)
                {
                    var saved = checkpoint.Save(state, new SaveOptions { Step = step, Seed = ulong.MaxValue, Metric = step,
                        Prefix = "run" });
                    Check.Equal((long)step, saved.Step, "step");
                    Check.That(saved.Name.StartsWith("run"), saved.Name);
                }
                Check.Equal(2, checkpoint.List().Count, "retention");
                Check.Equal(3.0, checkpoint.List()[0].Metric, "metric");
                Check.Equal(CkptStatus.Ok, checkpoint.List()[0].Status, "status");
                Array.Clear(weights, 0, weights.Length);
                state["epoch"] = "0";
                var loaded = checkpoint.Load(state);
                Check.Equal(3L, loaded.Step, "the newest");
                Check.Equal(ulong.MaxValue, loaded.Seed, "seed");
                Check.Equal(999f, weights[999], "the array is filled in place");
                Check.Equal("{\"n\":3}", state["epoch"], "value");
                Check.That(state.Find("no such") == null, "no value");
                foreach (var key in state.Keys) Check.That(state.Find(key) != null, "a key has a value");
                Check.That(state.Keys.Count > 0 && !state.Keys.Contains("no such"), "the keys");
                Check.Equal(1L, checkpoint.Verify().Tensors, "verified");
                Check.Contains("\"step\":3", checkpoint.GetManifest(checkpoint.List()[0].Name).Replace(" ", ""), "manifest");
                Check.Throws<CkptBusyException>(() => new CheckpointManager(folder), "a second writer");
                using (var reader = checkpoint.OpenReader())
                {
                    var info = reader.Single();
                    Check.Equal("model/weight", info.Group + "/" + info.Name, "names");
                    using (var tensor = reader.Read("weight")) Check.Equal(999f, tensor.AsReadOnlySpan<float>()[999], "read");
                    using (var rows = reader.ReadSlice(info.Index, 9, 1)) Check.Equal(900f, rows.AsReadOnlySpan<float>()[0],
                        "slice");
                    using (var into = new Tensor(DType.F32, 10, 100))
                    {
                        reader.ReadInto(0, into);
                        Check.Equal(499500.0, into.Sum(), "into");
                    }
                    using (var mapped = reader.Map(0))
                    {
                        Check.That(mapped.IsReadOnly, "read-only");
                        Check.Equal(5f, mapped.AsReadOnlySpan<float>()[5], "mapped");
                        Check.Throws<CkptUnsupportedException>(() => mapped.AsSpan<float>(), "not writable");
                    }
                }
            }
        }
        finally
        {
            Directory.Delete(folder, true);
        }
    }

    internal static void DamageIsDetected()
    {
        var folder = Folder();
        try
        {
            using (var state = new State())
            using (var checkpoint = new CheckpointManager(folder))
            {
                state.Add<float>("model", "weight", new float[1000]);
                checkpoint.Save(state, 1);
                var file = Directory.GetFiles(folder, "*.safetensors", SearchOption.AllDirectories)[0];
                using (var stream = new FileStream(file, FileMode.Open))
                {
                    stream.Seek(-5, SeekOrigin.End);
                    stream.WriteByte(1);
                }
                var error = Check.Throws<CkptCorruptException>(() => checkpoint.Verify(), "verify");
                Check.Contains("model.safetensors", error.Message, "file");
                Check.Throws<CkptCorruptException>(() => checkpoint.Load(state), "load");
                Check.Throws<CkptNotFoundException>(() => checkpoint.Load(state, new LoadOptions { Name = "step-99" }),
                    "no such");
            }
        }
        finally
        {
            Directory.Delete(folder, true);
        }
    }

    internal static void PartialLoadsReport()
    {
        using (var storage = Storage.InMemory())
        using (var checkpoint = new CheckpointManager(storage))
        using (var saved = new State())
        using (var other = new State())
        {
            saved.Add<float>("model", "a", new float[] { 1 });
            other.Add<float>("model", "b", new float[] { 2 });
            saved.SetRarelyChanges("model");
            checkpoint.Save(saved, 1);
            Check.Contains("\"b\"", Check.Throws<CkptInvalidArgumentException>(() => checkpoint.Load(other),
                "names").Message.Replace('\'', '"'),
                           "names the tensor");
            var loaded = checkpoint.Load(other, new LoadOptions { Partial = true });
            Check.Equal(1L, loaded.Missing, "missing");
            Check.Equal(1L, loaded.Unexpected, "unexpected");
            Check.Contains("\"name\":\"b\"", other.GetLoadReport(), "report");
            using (var renamed = new State())
            {
                var wide = new double[1];
                renamed.Add<double>("model", "net.a", wide);
                var options = new LoadOptions { AddPrefix = "net." };
                Check.Contains("F32", Check.Throws<CkptInvalidArgumentException>(() => checkpoint.Load(renamed, options),
                    "element types").Message, "names the type");
                options.Convert = Conversion.Lossless;
                Check.Equal(false, checkpoint.Load(renamed, options).PartlyFilled, "partly filled");
                Check.Equal(1.0, wide[0], "converted");
            }
            Check.Equal(1L, checkpoint.GetCoordinator().WorldSize, "coordinator");
            Check.Equal(0L, checkpoint.GetFaultHandler().RetryCount, "handler");
            using (var again = checkpoint.GetStorage())
                Check.Throws<CkptBusyException>(() => new CheckpointManager(again), "the same storage");
        }
    }

    // Returns the message of any exception.
    private static string MessageOf(Action act)
    {
        try
        {
            act();
            return "nothing was thrown";
        }
        catch (CkptException error)
        {
            return error.Message;
        }
    }

    internal static void LoadsWithARenameFunction()
    {
        float[] a = { 1 }, b = { 2 };
        var asked = new List<string>();
        using (var checkpoint = new CheckpointManager(Storage.InMemory()))
        using (var manager = new AsyncManager(checkpoint))
        using (var saved = new State().Add<float>("model", "encoder.a", a).Add<float>("model", "b", b))
        using (var state = new State().Add<float>("model", "a", a).Add<float>("model", "b", b))
        {
            checkpoint.Save(saved, 1);
            a[0] = 0;
            checkpoint.Load(state, null, name =>
            {
                asked.Add(name);
                return name.Replace("encoder.", "");
            });
            Check.Equal("b,encoder.a", string.Join(",", asked), "asked");
            Check.Equal(1f, a[0], "loaded");
            Check.Equal(1L, checkpoint.LoadIfAny(state, null, name => name == "b" ? "a" : "b").Step, "crossed");
            Check.Equal(2f, a[0], "loaded");
            manager.Load(state, rename: name => name == "b" ? null : "a").Wait(); // null: the same
            Check.Equal(1f, a[0], "loaded in the background");
            a[0] = 7;
            var bad = new Dictionary<string, Func<string, string>>
            {
                { "'b' and 'encoder.a'", name => "a" },
                { "is blank", name => "" },
                { "is not in the checkpoint", name => "c" + name },
                { "tensor 'b' of group 'model'", name => { throw new InvalidOperationException("no idea"); } },
                { "no idea", name => { throw new InvalidOperationException("no idea"); } },
                { "checkpoint is in use", name => checkpoint.Latest.Name },
            };
            foreach (var one in bad)
            {
                Check.Contains(one.Key, MessageOf(() => checkpoint.Load(state, null, one.Value)), "load");
                Check.Contains(one.Key, MessageOf(() => manager.Load(state, rename: one.Value).GetAwaiter().GetResult()),
                    "load in the background");
            }
            Check.Equal(7f, a[0], "nothing is written");
        }
    }

    internal static void ALoadReplacesTheValuesOfATree()
    {
        var mine = Tensor.Borrow<float>(new float[2], 2);
        using (var checkpoint = new CheckpointManager(Storage.InMemory()))
        using (var state = new State())
        {
            state.Set("extra", new Dictionary<string, object>
                { { "losses", new object[] { 0.5, 0.25 } }, { "epoch", 12345 }, { "w", new float[] { 1, 2 } } });
            checkpoint.Save(state, 1);
            state.Set("extra", new Dictionary<string, object> { { "losses", new object[0] }, { "epoch", 0 }, { "w", mine } });
            checkpoint.Load(state);
            var loaded = state.Get<Dictionary<object, object>>("extra");
            Check.Equal(2, ((List<object>)loaded["losses"]).Count, "losses");
            Check.Equal(12345L, (long)loaded["epoch"], "epoch");
            Check.Equal(2f, mine.AsSpan<float>()[1], "filled in place");
            state.Set("extra", new Dictionary<string, object> { { "epoch", 7 } });
            Check.Contains("tensor 'w' of group 'extra'", MessageOf(() => checkpoint.Load(state)), "a tensor that is not here");
            Check.Equal(7L, (long)state.Get<Dictionary<object, object>>("extra")["epoch"], "as it was");
        }
    }

    internal static void AKeepFunctionExtendsRetention()
    {
        var asked = new SortedSet<long>();
        var options = new CheckpointManagerOptions { KeepRules = "last:1" };
        using (var storage = Storage.InMemory())
        using (var state = new State().Add<float>("model", "a", new float[1]))
        {
            using (var manager = new CheckpointManager(storage, options, info =>
            {
                asked.Add(info.Step);
                return info.Metric == 0.5;
            }))
            {
                for (var step = 1; step <= 4; ++step)
                    manager.Save(state, new SaveOptions { Step = step, Metric = step == 2 ? 0.5 : 0.25 });
                Check.Equal("4,2", string.Join(",", manager.List().Select(info => info.Step)), "what stays");
                Check.Equal("1,2,3", string.Join(",", asked), "asked");
            }
            using (var manager = new CheckpointManager(storage, options, info => { throw new InvalidOperationException("no idea"); }))
            {
                manager.Save(state, 5);
                Check.Contains("no idea", Check.Throws<CkptCallbackException>(() => manager.Prune(), "prune").Message, "text");
                Check.Equal("5,4,2", string.Join(",", manager.List().Select(info => info.Step)), "nothing is removed");
            }
        }
    }

    private sealed class Counter : IStateful
    {
        internal readonly float[] Values = { 1, 2 };
        internal bool BreakList, BreakRestore;
        internal string Restored;

        public void List(State into)
        {
            if (BreakList) throw new InvalidOperationException("list broke");
            into.Add<float>("values", "v", Values);
            into["position"] = "42";
        }

        public void Restore(State loaded)
        {
            if (BreakRestore) throw new InvalidOperationException("restore broke");
            Restored = loaded["position"];
        }
    }

    internal static void StatefulObjectsSaveAndRestore()
    {
        using (var checkpoint = new CheckpointManager(Storage.InMemory()))
        using (var state = new State())
        {
            var counter = new Counter();
            state.Add("counter", counter);
            GC.Collect();
            checkpoint.Save(state, 1);
            counter.Values[0] = 0;
            checkpoint.Load(state);
            Check.Equal(1f, counter.Values[0], "restored");
            Check.Equal("42", counter.Restored, "value");
            counter.BreakRestore = true;
            Check.Contains("restore broke", Check.Throws<CkptCallbackException>(() => checkpoint.Load(state),
                "load").Message, "text");
            counter.BreakList = true;
            Check.Contains("list broke", Check.Throws<CkptCallbackException>(() => checkpoint.Save(state, 2),
                "save").Message, "text");
        }
    }

    private sealed class Pair : CustomCoordinator
    {
        internal bool Late;

        public override void Barrier(TimeSpan timeout)
        {
            if (Late) throw new CkptTimeoutException("one is late");
        }

        public override void Broadcast(Span<byte> data, long root, TimeSpan timeout)
        {
            data[0] = (byte)root;
        }

        public override void AllGather(ReadOnlySpan<byte> sent, Span<byte> received, TimeSpan timeout)
        {
            sent.CopyTo(received);
            sent.CopyTo(received.Slice(sent.Length));
        }
    }

    internal static void ManagersFindTheNewestTheBestAndSteps()
    {
        var values = new float[4];
        using (var manager = new CheckpointManager(Storage.InMemory()))
        using (var state = new State().Add<float>("model", "a", values))
        {
            Check.That(manager.Latest == null && manager.Best == null && manager.FindStep(1) == null, "none yet");
            for (var step = 1; step <= 3; ++step)
            {
                values[0] = step;
                var metric = step == 1 ? 0.5 : step == 2 ? 0.1 : double.NegativeInfinity;
                Check.Equal(step == 3, manager.Save(state, new SaveOptions { Step = step, Metric = metric }).MetricIgnored, "infinite");
            }
            Check.Equal(3L, manager.Latest.Step, "newest");
            Check.That(manager.Best.Step == 2 && manager.Best.Metric == 0.1, "best: " + manager.Best);
            Check.That(manager.FindStep(1).Step == 1 && manager.FindStep(9) == null, "of a step");
            Check.Equal(1L, manager.Load(state, 1).Step, "loaded by step");
            Check.Equal(1f, values[0], "what that step had");
            Check.Throws<CkptNotFoundException>(() => manager.Load(state, 9), "no such step");
            Check.Equal(manager.Latest.Name, manager.Verify(manager.Latest.Name).Name, "verified");
            manager.Remove(2);
            Check.Equal("3,1", string.Join(",", manager.List().Select(one => one.Step)), "the others");
            Check.That(manager.Best.Step != 2, "the best of the others");
            manager.Pin(1);
            Check.That(manager.FindStep(1).Pinned && !manager.Latest.Pinned, "pinned");
            Check.Throws<CkptInvalidStateException>(() => manager.Remove(1), "a pinned one");
            Check.Equal(0, manager.Prune("last:1", true).Count, "only a pinned one is old");
            manager.Unpin(1);
            Check.Equal("1", string.Join(",", manager.Prune("last:1", true).Select(one => one.Step)), "a dry run");
            Check.Throws<CkptInvalidArgumentException>(() => manager.Prune("last"), "no rule");
            manager.Remove(manager.Latest.Name);
            Check.Equal(1L, manager.Latest.Step, "what is left");
            Check.Throws<CkptNotFoundException>(() => manager.Remove(2), "removed");
            Check.Throws<CkptNotFoundException>(() => manager.Remove("no-such"), "unknown");
            manager.Save(state, 3);
            manager.Load(state, 1);
            var back = manager.Save(state, 2);
            Check.That(back.RolledBack && back.Generation == 1, "rolled back");
            Check.Equal("2,1,3", string.Join(",", manager.List().Select(one => one.Step)), "the line first");
            Check.That(manager.FindStep(3).Abandoned && !manager.Latest.Abandoned, "abandoned");
            Check.Equal("3", string.Join(",", manager.PruneAbandoned(true).Select(one => one.Step)), "a dry run");
            Check.Equal("3", string.Join(",", manager.PruneAbandoned().Select(one => one.Step)), "pruned");
            Check.Equal("2,1", string.Join(",", manager.List().Select(one => one.Step)), "the line");
        }
    }

    internal static void AModelAndItsOptimizerInOneCall()
    {
        using (var chain = EngineTests.Model())
        using (var optimizer = Optimizer.Sgd(chain, 0.1, 0.9))
        using (var both = State.Of(chain, optimizer))
        using (var alone = State.Of(chain))
        {
            Check.Equal(chain.Parameters().Count, (int)alone.TensorCount, "a model alone");
            Check.Equal(alone.TensorCount + optimizer.Tensors().Count, both.TensorCount, "both");
            using (var manager = new CheckpointManager(Storage.InMemory()))
            {
                manager.Save(both, 1);
                using (var reader = manager.OpenReader())
                    Check.Equal("model,optimizer", string.Join(",", reader.Select(one => one.Group).Distinct()), "groups");
            }
        }
    }

    internal static void CustomCoordinators()
    {
        var pair = new Pair();
        using (var coordinator = Coordinator.Custom(1, 2, pair))
        {
            Check.Equal(1L, coordinator.Rank, "rank");
            Check.Equal(2L, coordinator.WorldSize, "size");
            coordinator.Barrier(TimeSpan.FromSeconds(1));
            var data = new byte[2];
            coordinator.Broadcast(data, 1, TimeSpan.FromSeconds(1));
            Check.Equal((byte)1, data[0], "broadcast");
            var all = new byte[4];
            coordinator.AllGather(new byte[] { 5, 6 }, all, TimeSpan.FromSeconds(1));
            Check.Equal("5,6,5,6", string.Join(",", all), "gathered");
            Check.Throws<CkptInvalidArgumentException>(() => coordinator.AllGather(new byte[2], new byte[3], TimeSpan.Zero),
                "room");
            pair.Late = true;
            Check.Throws<CkptTimeoutException>(() => coordinator.Barrier(TimeSpan.Zero), "late");
        }
        using (var alone = new Coordinator()) alone.Barrier(TimeSpan.Zero);
    }

    internal static void PlainFiles()
    {
        var folder = Folder();
        try
        {
            var path = Path.Combine(folder, "x.safetensors");
            Safetensors.Write(path, new Dictionary<string, Tensor> { { "a", Tensor.From(new long[] { 1L << 40 }) } },
                "{\"by\":\"me\"}");
            Check.Equal(1L << 40, Safetensors.Read(path)["a"].AsReadOnlySpan<long>()[0], "64 bits");
            using (var reader = new Reader(path)) Check.Equal("me", reader.GetMetadata()["by"], "metadata");
            Check.Throws<CkptNotFoundException>(() => new Reader(path + "x"), "no file");
        }
        finally
        {
            Directory.Delete(folder, true);
        }
    }
}
