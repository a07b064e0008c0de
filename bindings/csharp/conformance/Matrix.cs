using System;
using System.Collections.Generic;
using System.Linq;
using System.Numerics;
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

    private static State Created(List<Tensor> owned, bool filled)
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
        using (var state = Created(owned, true))
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
        using (var state = Created(owned, false))
        using (var checkpoint = new CheckpointManager(directory, new CheckpointManagerOptions { ReadOnly = true }))
        {
            var loaded = checkpoint.Load(state);
            if (loaded.Step != 7 || loaded.Seed != ulong.MaxValue) return Unequal("checkpoint", loaded.Name);
            Created(written, true).Dispose();
            var all = Tensors();
            for (var i = 0; i < all.Count; ++i)
                if (!owned[i].BitEqual(written[i])) return Unequal("tensor", all[i].Name);
            foreach (var value in values)
                if (state[value.Key] != value.Value) return Unequal("value", value.Key);
            Console.WriteLine("read " + all.Count + " tensors and " + values.Length + " values, all equal");
        }
        return 0;
    }

    // ---- Values of any shape ----

    private static Dictionary<object, object> Tree()
    {
        var module = new TreeDict(true) { { "w", 1.5 }, { "n", 2L } };
        module.Attributes["_metadata"] = new Dictionary<string, object> { { "", new Dictionary<string, object> { { "version", 1L } } } };
        return new Dictionary<object, object>
        {
            { "nothing", null },
            { "truths", new[] { (object)true, false } },
            { "integers", new object[] { 0L, -7L, long.MaxValue, long.MinValue } },
            { "big", new BigInteger(ulong.MaxValue) },
            { "numbers", new object[] { 0.1, BitConverter.Int64BitsToDouble(long.MinValue), 1e300, double.Epsilon, 3.0, double.PositiveInfinity } },
            { "text", "größe ☃ 漢字 🙂 \"quoted\" \\ line\nend\0." },
            { "surrogate", "a\uD800" },
            { "bytes", new byte[] { 0, 255, 127 } },
            { "empty", new object[] { new object[0], new Dictionary<string, int>(), "", new byte[0] } },
            { "keys", new Dictionary<object, object> { { 7L, "seven" }, { "a.b/c", 1L }, { true, 2L }, { DBNull.Value, 3L } } },
            { "deep", new[] { new[] { new Dictionary<string, object[]> { { "x", new object[] { 1L } } } } } },
            { "doubles", new[] { 1.5, -2.5 } },
            { "floats", new[] { 0.5F } },
            { "ints", new[] { 1, -2, 3 } },
            { "longs", new[] { -9007199254740993L } },
            { "none", new double[0] },
            { "module", module },
            { "seconds", new Attributed(0.25, new Dictionary<string, object> { { "unit", "s" } }) },
        };
    }

    // Compares by what the languages have in common: arrays are read as tensors.
    private static bool Same(object left, object right)
    {
        var tensor = right as Tensor;
        if (tensor != null)
        {
            var floats = left as float[];
            using (var mine = floats != null ? Tensor.From(floats, 1) : left is int[] ? Tensor.From((int[])left, 3)
                : left is long[] ? Tensor.From((long[])left, 1) : Tensor.From((double[])left, ((double[])left).Length))
                return mine.BitEqual(tensor) && mine.Shape.SequenceEqual(tensor.Shape);
        }
        if (left is double && right is double) return BitConverter.DoubleToInt64Bits((double)left) == BitConverter.DoubleToInt64Bits((double)right);
        if (left is byte[]) return right is byte[] && ((byte[])left).SequenceEqual((byte[])right);
        var attributed = left as Attributed;
        if (attributed != null)
        {
            var theirs = right as Attributed;
            return theirs != null && Same(attributed.Value, theirs.Value) && Same(attributed.Attributes, theirs.Attributes);
        }
        var dict = left as TreeDict;
        var read = right as TreeDict;
        if (dict != null && (read == null || dict.IsOrdered != read.IsOrdered || !Same(dict.Attributes, read.Attributes))) return false;
        var items = left as System.Collections.IDictionary;
        var others = right as System.Collections.IDictionary;
        if (items != null)
            return others != null && items.Count == others.Count
                && items.Keys.Cast<object>().All(key => others.Contains(key) && Same(items[key], others[key]));
        if (left == null || left is string || !(left is System.Collections.IEnumerable)) return Equals(left, right);
        var parts = ((System.Collections.IEnumerable)left).Cast<object>().ToList();
        var list = right as List<object>;
        return list != null && list.Count == parts.Count && parts.Zip(list, Same).All(same => same);
    }

    internal static int WriteTrees(string directory)
    {
        using (var tensor = Scenario.MadeTensor("BF16", new long[] { 2, 3 }, 5))
        using (var state = new State())
        using (var checkpoint = new CheckpointManager(directory))
            checkpoint.Save(state.Set("values", Tree()).Set("tensors", new[] { tensor, tensor }), new SaveOptions { Step = 1 });
        Console.WriteLine("wrote " + Tree().Count + " values");
        return 0;
    }

    internal static int ReadTrees(string directory)
    {
        using (var tensor = Scenario.MadeTensor("BF16", new long[] { 2, 3 }, 5))
        using (var checkpoint = new CheckpointManager(directory, new CheckpointManagerOptions { ReadOnly = true }))
        using (var reader = checkpoint.OpenReader())
        {
            var expected = Tree();
            var values = reader.Get<Dictionary<object, object>>("values");
            foreach (var item in expected)
                if (!values.ContainsKey(item.Key) || !Same(item.Value, values[item.Key])) return Unequal("value", (string)item.Key);
            var tensors = reader.Get<List<object>>("tensors");
            if (tensors.Count != 2 || !ReferenceEquals(tensors[0], tensors[1]) || !((Tensor)tensors[0]).BitEqual(tensor))
                return Unequal("list", "tensors");
            Console.WriteLine("read " + expected.Count + " values, all equal");
        }
        return 0;
    }

    private static int Unequal(string what, string name)
    {
        Console.Error.WriteLine(what + " " + name + " is not as written");
        return 1;
    }
}
