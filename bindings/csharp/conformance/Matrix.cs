using System;
using System.Collections.Generic;
using System.Linq;
using Ckpt;

// The checkpoint that every language writes and every language reads.
internal static class Matrix
{
    private const string LongGroup = "modèle";

    private sealed class Expected
    {
        internal string Group, Name, DType;
        internal long[] Shape;
        internal long Seed;
    }

    private static readonly KeyValuePair<string, string>[] values =
    {
        new KeyValuePair<string, string>("step", "42"),
        new KeyValuePair<string, string>("data_position", "{\"byte\":4096}"),
        new KeyValuePair<string, string>(
            "größe ☃", "{\"list\":[1,-2,9007199254740993,true,null],\"text\":\"漢字 🙂 \\\"quoted\\\" \\\\ line\\nend\"}"),
    };

    private static List<Expected> Tensors()
    {
        var all = new List<Expected>();
        foreach (var dtype in Enum.GetValues(typeof(DType)).Cast<DType>().Where(dtype => dtype != DType.None).OrderBy(dtype =>
            (int)dtype))
        {
            var name = DTypes.Name(dtype);
            all.Add(new Expected { Group = "dtypes", Name = name, DType = name, Shape = new long[] { 3, 8 }, Seed = (long)dtype });
        }
        all.Add(new Expected { Group = LongGroup, Name = "gewicht/ß ☃ 漢字 🙂", DType = "F32", Shape = new long[] { 2, 3, 4 },
            Seed = 30 });
        all.Add(new Expected { Group = LongGroup, Name = "empty", DType = "F64", Shape = new long[] { 0, 5 }, Seed = 31 });
        all.Add(new Expected { Group = LongGroup, Name = "scalar", DType = "I64", Shape = new long[0], Seed = 32 });
        all.Add(new Expected { Group = LongGroup, Name = "long", DType = "U8", Shape = new long[] { 100003 }, Seed = 33 });
        return all;
    }

    private static State Made(List<Tensor> owned, bool filled)
    {
        var state = new State();
        foreach (var t in Tensors())
        {
            owned.Add(Scenario.MadeTensor(t.DType, t.Shape, filled ? t.Seed : 99));
            state.Add(t.Group, t.Name, owned[owned.Count - 1]);
        }
        return state;
    }

    internal static int Write(string directory)
    {
        var owned = new List<Tensor>();
        using (var state = Made(owned, true))
        using (var checkpoint = new CheckpointManager(directory))
        {
            foreach (var value in values) state[value.Key] = value.Value;
            checkpoint.Save(state, new SaveOptions { Step = 7, Seed = ulong.MaxValue, Prefix = "matrix" });
            Console.WriteLine("wrote " + owned.Count + " tensors and " + values.Length + " values");
        }
        return 0;
    }

    internal static int Read(string directory)
    {
        var owned = new List<Tensor>();
        var written = new List<Tensor>();
        using (var state = Made(owned, false))
        using (var checkpoint = new CheckpointManager(directory, new CheckpointManagerOptions { ReadOnly = true }))
        {
            var loaded = checkpoint.Load(state);
            if (loaded.Step != 7 || loaded.Seed != ulong.MaxValue) return Unequal("checkpoint", loaded.Name);
            Made(written, true).Dispose();
            var all = Tensors();
            for (var i = 0; i < all.Count; ++i)
                if (!owned[i].BitEqual(written[i])) return Unequal("tensor", all[i].Name);
            foreach (var value in values)
                if (state[value.Key] != value.Value) return Unequal("value", value.Key);
            Console.WriteLine("read " + all.Count + " tensors and " + values.Length + " values, all equal");
        }
        return 0;
    }

    private static int Unequal(string what, string name)
    {
        Console.Error.WriteLine(what + " " + name + " is not as written");
        return 1;
    }
}
