using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using System.Threading;
using Ckpt;
using Ckpt.Compat;

// Checkpoints of several ranks, which are threads of this process, each with its own manager of one directory.
internal static class RanksTests
{
    private static readonly TimeSpan Minute = TimeSpan.FromMinutes(1);
    private const int Rows = 8;
    private const int Columns = 6;
    private static readonly float[] Whole = Enumerable.Range(0, Rows * Columns).Select(i => i * 0.5f - 3).ToArray();
    private static readonly double[] Bias = Enumerable.Range(0, 1000).Select(i => 1.0 / (i + 1)).ToArray();

    // Returns the result of each rank.
    private static T[] OnRanks<T>(int ranks, Func<int, Coordinator, T> work)
    {
        var rankGroup = new CoordinatorsTests.RankGroup(ranks);
        var returned = new T[ranks];
        var failures = new Exception[ranks];
        var threads = Enumerable.Range(0, ranks).Select(rank => new Thread(() =>
        {
            try
            {
                using (var coordinator = Coordinator.Custom(rank, ranks, new CoordinatorsTests.GatheringRank(rankGroup, rank)))
                    returned[rank] = work(rank, coordinator);
            }
            catch (Exception error)
            {
                failures[rank] = error;
            }
        })).ToArray();
        foreach (var thread in threads) thread.Start();
        foreach (var thread in threads) thread.Join();
        Check.Equal("", string.Join("\n", failures.Where(error => error != null)), "no rank failed");
        return returned;
    }

    // Returns the result of each rank. If a rank fails, the others fail by the timeout of their managers.
    private static T[] OnRanks<T>(string path, int ranks, Func<int, CheckpointManager, T> work,
                                  CheckpointManagerOptions options = null)
    {
        return OnRanks(ranks, (rank, coordinator) =>
        {
            using (var manager = new CheckpointManager(path, new CheckpointManagerOptions
            {
                Coordinator = coordinator,
                Timeout = options == null ? Minute : options.Timeout,
                KeepLast = options == null ? 0 : options.KeepLast,
            }))
                return work(rank, manager);
        });
    }

    // Runs a test in a new directory.
    private static void InFolder(Action<string> test)
    {
        var folder = StateTests.Folder();
        try
        {
            test(Path.Combine(folder, "run"));
        }
        finally
        {
            Directory.Delete(folder, true);
        }
    }

    private static float[] ColumnsOf(int begin, int end)
    {
        return Whole.Where((element, i) => i % Columns >= begin && i % Columns < end).ToArray();
    }

    private static float[] RowsOf(int begin, int end)
    {
        return Whole.Skip(begin * Columns).Take((end - begin) * Columns).ToArray();
    }

    // w by rows, in two blocks on the last rank; v by columns, all on rank 0; b on each.
    private static State StateOf(int rank, int ranks)
    {
        var state = new State().Add<double>("model", "b", Bias).AddShardedTensor("model", "w", DType.F32, Rows, Columns)
            .AddShardedTensor("model", "v", DType.F32, Rows, Columns);
        var end = (rank + 1) * Rows / ranks;
        var rows = rank == ranks - 1 ? 2 : Rows;
        for (var begin = rank * Rows / ranks; begin < end; begin += rows)
        {
            var last = Math.Min(begin + rows, end);
            state.AddBlock<float>("model", "w", new long[] { begin, 0 }, RowsOf(begin, last), last - begin, Columns);
        }
        for (var begin = 0; begin < Columns && rank == 0; begin += 3)
            using (var block = Tensor.From(ColumnsOf(begin, begin + 3), Rows, 3))
                state.AddBlock("model", "v", new long[] { 0, begin }, block);
        state["epoch"] = "2";
        state["generator"] = "{\"seed\":" + rank + "}";
        return state;
    }

    private static SaveResult[] SaveOn(string path, int ranks)
    {
        return OnRanks(path, ranks, (rank, manager) =>
        {
            using (var state = StateOf(rank, ranks)) return manager.Save(state, 3);
        });
    }

    private static CheckpointManager Look(string path)
    {
        return new CheckpointManager(path, new CheckpointManagerOptions { ReadOnly = true });
    }

    internal static void SaveOfTwo()
    {
        InFolder(path =>
        {
            var results = SaveOn(path, 2);
            Check.Equal(results[0].Name, results[1].Name, "name");
            Check.Equal(results[0].Bytes, results[0].RankBytes + results[1].RankBytes, "bytes of both");
            var written = 2 * Whole.Length * sizeof(float) + Bias.Length * sizeof(double); // the bias is written once
            Check.That(written < results[1].Bytes && results[1].Bytes < written + 2000, "bytes " + results[1]);
            Check.That(results[1].RankBytes > Whole.Length * sizeof(float) / 2, "rows " + results[1]);
            using (var manager = Look(path))
            {
                var info = manager.Latest;
                Check.Equal(2L, info.WorldSize, "ranks");
                for (var rank = 0; rank < 2; ++rank)
                    Check.Equal("{\"epoch\":2,\"generator\":{\"seed\":" + rank + "}}", manager.GetRankValues(info.Name, rank), "values");
                Check.Contains("rank is 2", Check.Throws<CkptOutOfRangeException>(() => manager.GetRankValues(info.Name, 2),
                    "no such rank").Message, "text");
                Check.Contains("rank is -1", Check.Throws<CkptInvalidArgumentException>(() => manager.GetRankValues(info.Name, -1),
                    "no rank").Message, "text");
                Check.Throws<CkptNotFoundException>(() => manager.GetRankValues("none", 0), "no such checkpoint");
            }
        });
    }

    internal static void SaveInTheBackground()
    {
        InFolder(path =>
        {
            var results = OnRanks(path, 2, (rank, manager) =>
            {
                using (var background = new AsyncManager(manager))
                using (var state = new State())
                {
                    state.AddShardedTensor("model", "w", DType.F32, Rows, Columns);
                    state.AddBlock<float>("model", "w", new long[] { 4 * rank, 0 }, RowsOf(4 * rank, 4 * rank + 4), 4, Columns);
                    var task = background.Save(state, new SaveOptions { Step = 5 });
                    Check.Equal(CheckpointTaskState.Completed, task.Wait().State, "task");
                    return background.GetSaveResult(task.Id);
                }
            });
            Check.Equal(results[0].Name, results[1].Name, "name");
            Check.Equal(results[0].Bytes, results[0].RankBytes + results[1].RankBytes, "bytes of both");
            using (var manager = Look(path)) Check.Equal(2L, manager.FindStep(5).WorldSize, "ranks");
        });
    }

    internal static void OneRankSavesTheUsualFormat()
    {
        InFolder(path =>
        {
            using (var manager = new CheckpointManager(path))
            using (var saved = StateOf(0, 1))
            using (var loaded = new State())
            {
                float[] w = new float[Whole.Length], v = new float[Whole.Length];
                var b = new double[Bias.Length];
                var result = manager.Save(saved, 4);
                Check.Equal(result.Bytes, result.RankBytes, "bytes");
                loaded.Add<float>("model", "w", w, Rows, Columns).Add<float>("model", "v", v, Rows, Columns).Add<double>("model", "b", b);
                Check.Equal(1L, manager.Load(loaded).WorldSize, "ranks");
                Check.That(w.SequenceEqual(Whole) && v.SequenceEqual(Whole) && b.SequenceEqual(Bias), "elements");
                Check.Equal("{\"epoch\":2,\"generator\":{\"seed\":0}}", manager.GetRankValues(result.Name, 0), "values");
            }
        });
    }

    // Loads the rank's columns of w, a row of v, all of b, and its values.
    private static string LoadOne(CheckpointManager manager, int rank, int ranks, int saved)
    {
        int begin = rank * Columns / ranks, end = (rank + 1) * Columns / ranks;
        float[] some = new float[Rows * (end - begin)], row = new float[Columns];
        var b = new double[Bias.Length];
        using (var state = new State())
        {
            state.Add<double>("model", "b", b).AddShardedTensor("model", "w", DType.F32, Rows, Columns)
                .AddBlock<float>("model", "w", new long[] { 0, begin }, some, Rows, end - begin)
                .AddShardedTensor("model", "v", DType.F32, Rows, Columns)
                .AddBlock<float>("model", "v", new long[] { rank, 0 }, row, 1, Columns);
            var loaded = manager.Load(state);
            Check.That(loaded.WorldSize == saved && loaded.Step == 3, "loaded " + loaded);
            Check.That(some.SequenceEqual(ColumnsOf(begin, end)), "columns");
            Check.That(row.SequenceEqual(RowsOf(rank, rank + 1)), "row");
            Check.That(b.SequenceEqual(Bias), "replicated");
            Check.Equal("2", state["epoch"], "value of all");
            Check.Equal(saved != ranks, state.GetLoadReport().Contains("\"by_rank\":[\"generator\"]"), "left to the ranks");
            return state.Find("generator");
        }
    }

    private static void LoadOn(int saved, int ranks)
    {
        InFolder(path =>
        {
            SaveOn(path, saved);
            var values = OnRanks(path, ranks, (rank, manager) => LoadOne(manager, rank, ranks, saved));
            for (var rank = 0; rank < ranks; ++rank)
                Check.Equal(saved == ranks ? "{\"seed\":" + rank + "}" : null, values[rank], "value of the rank");
        });
    }

    internal static void LoadOnTheSameNumberOfRanks()
    {
        LoadOn(2, 2);
    }

    internal static void LoadOnMoreAndFewerRanks()
    {
        LoadOn(2, 3);
        LoadOn(3, 1);
    }

    internal static void OneProcessReadsAllRanks()
    {
        InFolder(path =>
        {
            SaveOn(path, 2);
            using (var manager = Look(path))
            using (var reader = manager.OpenReader(null, Ckpt.Verify.Full))
            {
                foreach (var name in new[] { "w", "v" })
                    using (var whole = reader.Read(name)) Check.That(whole.ToArray<float>().SequenceEqual(Whole), name);
                Check.Equal(3L, manager.Verify().Tensors, "tensors");
            }
        });
    }

    // ---- Mistakes ----

    private static void Refused<TException>(Action act, string text) where TException : Exception
    {
        Check.Contains(text, Check.Throws<TException>(act, text).Message, "message");
    }

    internal static void InvalidBlocks()
    {
        using (var state = new State())
        using (var block = new Tensor(DType.F32, 2, 3))
        using (var doubles = new Tensor(DType.F64, 2, 3))
        {
            state.AddShardedTensor("model", "w", DType.F32, 4, 3);
            Refused<CkptOutOfRangeException>(() => state.AddBlock("model", "w", new long[] { 3, 0 }, block),
                "offsets[0] is 3 for a block of 2; 'w' has 4");
            Refused<CkptOutOfRangeException>(() => state.AddBlock("model", "w", new long[] { 0, -1 }, block), "offsets[1] is -1");
            Refused<CkptInvalidArgumentException>(() => state.AddBlock("model", "w", new long[] { 0 }, block), "ndim is 1");
            Refused<CkptInvalidArgumentException>(() => state.AddBlock("model", "w", new long[2], doubles), "tensor is F64; 'w' is F32");
            Refused<CkptNotFoundException>(() => state.AddBlock("model", "v", new long[2], block), "no sharded tensor 'v'");
            Refused<CkptAlreadyExistsException>(() => state.AddShardedTensor("model", "w", DType.F32, 4, 3), "'w'");
            Refused<CkptInvalidArgumentException>(() => state.AddShardedTensor("model", "x", DType.F32, 4, -1), "-1");
            Refused<ArgumentNullException>(() => state.AddShardedTensor("model", "x", DType.F32, null), "shape");
            Refused<ArgumentNullException>(() => state.AddBlock("model", "w", null, block), "offsets");
            state.AddBlock("model", "w", new long[] { 2, 0 }, block);
            Check.Equal(1L, state.TensorCount, "tensors");
            using (var storage = Storage.InMemory())
            using (var manager = new CheckpointManager(storage))
                Refused<CkptInvalidArgumentException>(() => manager.Save(state, 1), "[0:2, 0:3] is in no block");
        }
    }

    private static string Refusal(CheckpointManager manager, State state, SaveOptions options)
    {
        return Check.Throws<CkptInvalidArgumentException>(() => manager.Save(state, options), "save").Message;
    }

    internal static void RanksThatDiffer()
    {
        InFolder(path =>
        {
            var texts = OnRanks(path, 2, (rank, manager) =>
            {
                using (var shapes = new State().AddShardedTensor("model", "w", DType.F32, 4 + rank, 3))
                using (var lengths = new State().Add<double>("model", "b", new double[5 + rank]))
                using (var replicas = new State().Add<double>("model", "c", new double[] { rank, 1 }))
                {
                    manager.Save(replicas, 1);
                    return new[]
                    {
                        Refusal(manager, shapes, new SaveOptions { Step = 2 }), Refusal(manager, lengths, new SaveOptions { Step = 2 }),
                        Refusal(manager, replicas, new SaveOptions { Step = 2, CheckReplicas = true }),
                    };
                }
            });
            for (var i = 0; i < 3; ++i)
            {
                Check.Equal(texts[0][i], texts[1][i], "on every rank");
                Check.That(Regex.IsMatch(texts[0][i], "tensor ['\"]" + "wbc"[i] + "['\"]"), texts[0][i]);
                Check.Contains("rank 1", texts[0][i], "text");
            }
            using (var manager = Look(path))
                Check.Equal("1", string.Join(" ", manager.List().Select(info => info.Step)), "steps");
        });
    }

    internal static void AMissingRank()
    {
        InFolder(path =>
        {
            OnRanks(path, 2, (rank, manager) =>
            {
                using (var state = new State().Add<double>("model", "b", Bias))
                    if (rank == 0) Check.Throws<CkptTimeoutException>(() => manager.Save(state, 1), "alone");
                return 0;
            }, new CheckpointManagerOptions { Timeout = TimeSpan.FromSeconds(1) });
            Refused<CkptInvalidArgumentException>(() => new CheckpointManager(path,
                new CheckpointManagerOptions { Timeout = TimeSpan.FromTicks(-2) }), "time -");
        });
    }

    // ---- Arguments that one rank cannot convert: the others would wait for it until their timeout ----

    // The arguments of one rank. IsWrong: with an argument that cannot be converted.
    private sealed class Given
    {
        internal CheckpointManager Manager;
        internal AsyncCheckpointManager Tasks;
        internal State State;
        internal bool IsWrong;

        internal State OpenOrClosed
        {
            get
            {
                if (!IsWrong) return State;
                var closed = new State();
                closed.Dispose();
                return closed;
            }
        }

        internal string Json => IsWrong ? Surrogate : "1";

        internal CheckpointTaskOptions How => new CheckpointTaskOptions { Timeout = IsWrong ? TimeSpan.FromTicks(-2) : Minute };
    }

    private sealed class Model : IStateful
    {
        public void List(State into)
        {
            into["epoch"] = "1";
        }

        public void Restore(State loaded)
        {
        }
    }

    private static readonly string Surrogate = new string((char)0xd800, 1);

    private static readonly Dictionary<string, Action<Given>> WrongCalls = new Dictionary<string, Action<Given>>
    {
        { "save, string", with => with.Manager.Save(with.State, new SaveOptions { Step = 2, MetadataJson = with.Json }) },
        { "save, closed state", with => with.Manager.Save(with.OpenOrClosed, 2) },
        { "load, string", with => with.Manager.Load(with.State, new LoadOptions { EnvironmentJson = with.Json }) },
        { "load, closed state", with => with.Manager.Load(with.OpenOrClosed) },
        { "background save, string", with =>
            with.Tasks.Save(with.State, new SaveOptions { Step = 2, MetadataJson = with.Json }) },
        { "background save, timeout", with => with.Tasks.Save(with.State, new SaveOptions { Step = 2 }, with.How) },
        { "background save, closed state", with => with.Tasks.Save(with.OpenOrClosed, new SaveOptions { Step = 2 }) },
        { "background save, no model", with => with.Tasks.QueueSaveAsync(with.IsWrong ? null : new Model(), null) },
        { "background save, cancelled", with =>
            with.Tasks.Save(with.State, cancellationToken: new CancellationToken(with.IsWrong)) },
        { "background load, string", with => with.Tasks.Load(with.State, new LoadOptions { EnvironmentJson = with.Json }) },
        { "background load, timeout", with => with.Tasks.Load(with.State, null, with.How) },
        { "background load, closed state", with => with.Tasks.Load(with.OpenOrClosed) },
        { "controller, timeout", with =>
            {
                using (var controller = new Controller())
                {
                    controller.BeginRun(0);
                    controller.Save(1, with.Tasks, with.State, new SaveOptions { Step = 2 }, with.How);
                }
            }
        },
        { "controller, closed", with =>
            {
                using (var controller = new Controller())
                {
                    controller.BeginRun(0);
                    if (with.IsWrong) controller.Dispose();
                    controller.Save(1, with.Tasks, with.State, new SaveOptions { Step = 2 });
                }
            }
        },
    };

    private static Exception ThrownBy(Action act)
    {
        try
        {
            act();
        }
        catch (Exception error)
        {
            return error;
        }
        throw new InvalidOperationException("nothing was thrown");
    }

    // Checks the exceptions of both ranks, of each call.
    private static void CheckRefusals(Dictionary<string, Exception[]> thrown)
    {
        var unexpected = thrown.Where(each => !(each.Value[0] is CkptInvalidArgumentException
            && each.Value[0].Message.Contains("rank 1") && !each.Value[1].Message.Contains("rank")));
        Check.Equal("", string.Join("\n", unexpected.Select(each => each.Key + ": " + each.Value[0] + "\n" + each.Value[1])),
            "refused");
    }

    internal static void AnArgumentThatOneRankCannotConvertFailsOnAllAtOnce()
    {
        var thrown = new Dictionary<string, Exception[]>();
        foreach (var call in WrongCalls)
            InFolder(path => thrown.Add(call.Key, OnRanks(path, 2, (rank, manager) =>
            {
                using (var tasks = new AsyncCheckpointManager(manager))
                using (var state = new State().Add<double>("model", "b", (double[])Bias.Clone()))
                {
                    manager.Save(state, 1);
                    var error = ThrownBy(() =>
                        call.Value(new Given { Manager = manager, Tasks = tasks, State = state, IsWrong = rank == 1 }));
                    manager.Save(state, 3); // the managers remain usable
                    tasks.Save(state, new SaveOptions { Step = 4 }).Wait();
                    tasks.Load(state).Wait();
                    Check.Equal("4 3 1", string.Join(" ", manager.List().Select(info => info.Step)), "steps");
                    return error;
                }
            })));
        CheckRefusals(thrown);
    }

    internal static void ARankThatCannotMakeItsManagerFailsAllAtOnce()
    {
        InFolder(path =>
        {
            var closed = new Storage(path);
            closed.Dispose();
            var wrong = new Dictionary<string, Func<CheckpointManagerOptions, bool, CheckpointManager>>
            {
                { "timeout", (with, isWrong) =>
                    {
                        if (isWrong) with.Timeout = TimeSpan.FromTicks(-2);
                        return new CheckpointManager(path, with);
                    }
                },
                { "string", (with, isWrong) =>
                    {
                        if (isWrong) with.KeepRules = Surrogate;
                        return new CheckpointManager(path, with);
                    }
                },
                { "closed storage", (with, isWrong) =>
                    {
                        using (var storage = new Storage(path)) return new CheckpointManager(isWrong ? closed : storage, with);
                    }
                },
                { "path", (with, isWrong) => new CheckpointManager(isWrong ? Surrogate : path, with) },
                { "URI", (with, isWrong) => new CheckpointManager(isWrong ? "unknown://" : path, with) },
            };
            var thrown = new Dictionary<string, Exception[]>();
            foreach (var make in wrong)
                thrown.Add(make.Key, OnRanks(2, (rank, coordinator) =>
                {
                    var options = new CheckpointManagerOptions { Coordinator = coordinator, Timeout = Minute };
                    var error = ThrownBy(() => make.Value(options, rank == 1).Dispose());
                    var right = new CheckpointManagerOptions { Coordinator = coordinator, Timeout = Minute };
                    new CheckpointManager(path, right).Dispose();
                    return error;
                }));
            CheckRefusals(thrown);
        });
    }

    internal static void OnlyRank0ChangesTheStorage()
    {
        InFolder(path =>
        {
            var steps = OnRanks(path, 2, (rank, manager) =>
            {
                for (var step = 1; step <= 2; ++step)
                    using (var state = StateOf(rank, 2)) manager.Save(state, step);
                if (rank == 1) Refused<CkptInvalidStateException>(() => manager.Pin(2), "rank");
                using (var coordinator = manager.GetCoordinator())
                    coordinator.Barrier(Minute); // rank 0 has removed old checkpoints
                return string.Join(" ", manager.List().Select(info => info.Step));
            }, new CheckpointManagerOptions { Timeout = Minute, KeepLast = 1 });
            Check.Equal("2 2", string.Join(" ", steps), "steps");
        });
    }
}
