using System;
using System.IO;
using System.Linq;
using Ckpt;
using Ckpt.Compat;

// Commands on checkpoints, and on saves and loads in the background.
internal sealed partial class Scenario
{
    private static readonly string[] modeWords = { "copy", "borrow", "deferred" };
    private static readonly string[] fullWords = { "refuse", "wait", "drop_oldest" };

    // Returns the name without the random digits at its end.
    private static string Printed(string name)
    {
        if (string.IsNullOrEmpty(name)) return "-";
        var end = name.LastIndexOf('-');
        return end < 0 ? name : name.Substring(0, end);
    }

    // Returns the name of the checkpoint that is printed so; the argument itself when there is none.
    private static string FullName(CheckpointManager checkpoint, string printed)
    {
        var found = checkpoint.List().FirstOrDefault(info => Printed(info.Name) == printed);
        return found == null ? printed : found.Name;
    }

    private void OnCheckpoints()
    {
        Do("state", c => states.Make(c.Text(1), new State()));
        Do("add", c => states[c.Text(1)].Add(c.Text(2), c.Text(3), tensors[c.Text(4)]));
        Do("sharded", c => states[c.Text(1)].AddShardedTensor(c.Text(2), c.Text(3), DTypes.Find(c.Text(4)),
            Command.ToShape(c.Text(5))));
        Do("block", c => states[c.Text(1)].AddBlock(c.Text(2), c.Text(3), Command.ToShape(c.Text(4)), tensors[c.Text(5)]));
        On("value", c =>
        {
            if (c.Count < 3) return Line(states[c.Text(1)][c.Text(2)]);
            states[c.Text(1)][c.Text(2)] = c.Text(3);
            return nothing;
        });
        Do("checkpoint", c => checkpoints.Make(c.Text(1), new CheckpointManager(directory + "-" + c.Text(2),
            new CheckpointManagerOptions
        {
            KeepLast = c.Integer("keep_last", 0), KeepEvery = c.Integer("keep_every", 0), KeepBest = c.Integer("keep_best", 0),
            BestMetric = c.Integer("larger", 0) != 0 ? BestMetric.Largest : BestMetric.Smallest,
            ReadOnly = c.Integer("read_only", 0) != 0,
        })));
        On("save", c =>
        {
            var options = new SaveOptions { Step = c.Integer("step", 0), Seed = (ulong)c.Integer("seed", 0),
                Prefix = c.Text("prefix", null) };
            if (c.Has("metric")) options.Metric = c.Number("metric", 0);
            var n = checkpoints[c.Text(1)].Save(states[c.Text(2)], options);
            return Line(Printed(n.Name), "step", n.Step, "files", n.Files);
        });
        On("load", c =>
        {
            var checkpoint = checkpoints[c.Text(1)];
            var options = new LoadOptions { Partial = c.Integer("partial", 0) != 0 };
            if (c.Has("name")) options.Name = FullName(checkpoint, c.Text("name", ""));
            var names = c.Text("rename", "").Split(':');
            var n = checkpoint.Load(states[c.Text(2)], options,
                names.Length < 2 ? (Func<string, string>)null : name => name == names[0] ? names[1] : null);
            return Line(Printed(n.Name), "step", n.Step, "seed", (long)n.Seed, "skipped", n.Skipped, "missing", n.Missing,
                "unexpected", n.Unexpected);
        });
        On("list", c => checkpoints[c.Text(1)].List().SelectMany(n => Line(
            Printed(n.Name), "step", n.Step, Library.StatusName(n.Status), "metric", n.Metric == null ? "-"
                : Exact(n.Metric.Value))).ToArray());
        On("rank-values", c =>
        {
            var checkpoint = checkpoints[c.Text(1)];
            return Line(checkpoint.GetRankValues(FullName(checkpoint, c.Text(2)), c.Integer(3)));
        });
        On("check", c =>
        {
            var checkpoint = checkpoints[c.Text(1)];
            var n = checkpoint.Verify(c.Count > 1 ? FullName(checkpoint, c.Text(2)) : null);
            return Line(Printed(n.Name), "files", n.Files, "tensors", n.Tensors);
        });
        Do("read", c =>
        {
            using (var reader = checkpoints[c.Text(1)].OpenReader())
            {
                var index = reader.Find(c.Text(3), c.Text(2));
                tensors.Make(c.Text(4), c.Has("length") ? reader.ReadSlice(index, c.Integer("begin", 0), c.Integer("length", 0))
                    : reader.Read(index));
            }
        });
        Do("damage", c =>
        {
            var path = directory + "-" + c.Text(1) + "/" + FullName(checkpoints[c.Text(2)], c.Text(3)) + "/" + c.Text(4);
            using (var file = new FileStream(path, FileMode.Open))
            {
                file.Seek(c.Integer(5), SeekOrigin.Begin);
                var flipped = file.ReadByte() ^ 1;
                file.Seek(c.Integer(5), SeekOrigin.Begin);
                file.WriteByte((byte)flipped);
            }
        });
    }

    private void OnBackground()
    {
        Do("async", c =>
        {
            var options = new AsyncManagerOptions();
            options.Capacity = c.Integer("capacity", options.Capacity);
            options.History = c.Integer("history", options.History);
            var background = new Background(c.Text(2), new AsyncManager(checkpoints[c.Text(2)], options));
            background.Manager.TaskEnded += (sender, e) => background.EventLog.Add(
                Line(e.Result.Kind == CheckpointTaskKind.Save ? "save" : "load", "step", e.Result.Step,
                    taskWords[(int)e.Result.State])[0]);
            managers.Make(c.Text(1), background);
        });
        Do("start", c =>
        {
            var background = managers[c.Text(2)];
            var how = new CheckpointTaskOptions();
            if (c.Has("gate")) how.GateStep = c.Integer("gate", 0);
            how.Priority = (Priority)c.Integer("priority", 0);
            how.WhenFull = (WhenFull)IndexOf(fullWords, c.Text("full", "refuse"));
            long id;
            if (c.Text(3) == "load")
            {
                var options = new LoadOptions();
                if (c.Has("name")) options.Name = FullName(checkpoints[background.Checkpoint], c.Text("name", ""));
                id = background.Manager.Load(states[c.Text(4)], options, how).Id;
            }
            else
            {
                var source = c.Has("source") ? Source(c.Text("source", "")) : null;
                how.Mode = (StagingMode)IndexOf(modeWords, c.Text("mode", "copy"));
                id = background.Manager.Save(states[c.Text(4)], new SaveOptions { Step = c.Integer("step", 0) }, how,
                    source: source).Id;
            }
            tasks[c.Text(1)] = new BackgroundTask { Manager = c.Text(2), Id = id };
        });
        On("cancel", c => Line(YesNo(Manager(c).Cancel(Known(tasks, c.Text(1)).Id))));
        On("wait", c =>
        {
            var n = Manager(c).Wait(Known(tasks, c.Text(1)).Id);
            return Line(taskWords[(int)n.State], "step", n.Step, Library.StatusName(n.Status), Printed(n.Name));
        });
        Do("end-step", c => managers[c.Text(1)].Manager.EndStep(c.Integer(2)));
        Do("finish", c => managers[c.Text(1)].Manager.Close((CloseMode)IndexOf(new[] { "drain", "cancel" }, c.Text(2))));
    }

    // The same with the names of the reference API.
    private void OnCompat()
    {
        Do("compat", c =>
        {
            var checkpoint = checkpoints[c.Text(2)];
            managers.Make(c.Text(1), new Background(c.Text(2), c.Has("capacity")
                ? new AsyncCheckpointManager(checkpoint, (int)c.Integer("capacity", 0)) : new AsyncCheckpointManager(checkpoint)));
        });
        Do("queue", c => ids[c.Text(1)] = Compat(c.Text(2)).QueueSaveAsync(new Part(),
            c.Text("optimizer", "") == "none" ? null : new Part(), new SaveOptions { Step = c.Integer("step", 0) }));
        On("status", c =>
        {
            var status = Compat(c.Text(1)).GetTaskStatus(IdOf(c.Text(2)));
            return Line(status == null ? "none" : taskWords[(int)status.Value]);
        });
        On("await", c =>
        {
            var n = Compat(c.Text(1)).WaitForCompletionAsync(IdOf(c.Text(2))).GetAwaiter().GetResult();
            return Line(taskWords[(int)n.Status], YesNo(n.Success), Printed(n.CheckpointPath),
                n.CheckpointPath == null ? "no-path" : "path", "error", n.Error == null ? "none" : "some");
        });
        On("cancel-id", c => Line(YesNo(Compat(c.Text(1)).CancelCheckpoint(IdOf(c.Text(2))))));
        On("active", c => Compat(c.Text(1)).GetActiveTasks().SelectMany(n => Line(n.Type == CheckpointTaskType.Save ? "save" : "load",
            taskWords[(int)n.Status], n.StartedAt == null ? "not-begun" : "begun")).ToArray());
    }

    private AsyncCheckpointManager Compat(string name)
    {
        return (AsyncCheckpointManager)managers[name].Manager;
    }

    private long IdOf(string name)
    {
        if (name == "unknown") return 987654321;
        if (name == "all") return 0;
        long id;
        return ids.TryGetValue(name, out id) ? id : Known(tasks, name).Id;
    }

    // A model of one tensor.
    private sealed class Part : IStateful
    {
        private readonly Tensor tensor = new Tensor(DType.F32, 4);

        public void List(State into)
        {
            into.Add("part", "w", tensor);
        }

        public void Restore(State from)
        {
        }
    }

    private AsyncManager Manager(Command c)
    {
        return managers[Known(tasks, c.Text(1)).Manager].Manager;
    }

    // Reads tensors instead of the library.
    private static CheckpointSource Source(string how)
    {
        var throws = IndexOf(new[] { "sevens", "throws" }, how) == 1;
        return (group, name, data, offset, buffer) =>
        {
            if (throws) throw new InvalidOperationException("cannot read " + name);
            buffer.Fill(7);
        };
    }
}
