using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Numerics;
using System.Text;
using Ckpt.Interop;

namespace Ckpt
{
    // Writes and reads trees, and maps their nodes to C# types.
    internal sealed unsafe class Trees : NativeObject
    {
        private readonly Stack<string> path = new Stack<string>(); // of the value that is being added
        private readonly Dictionary<object, Tensor> arrays = new Dictionary<object, Tensor>(); // added arrays
        private readonly Dictionary<string, Tensor> tensors = new Dictionary<string, Tensor>(); // tensors read, by name and form
        private long next; // next node to read

        private Trees(Maker make) : base(Created(make, native.ckpt_tree_release)) { }

        internal static void Set(State state, string group, object value)
        {
            using (var tree = new Trees(native.ckpt_tree_create))
            {
                tree.Add(value);
                native.ckpt_state_set_tree(state.Handle, group, tree.Handle);
                foreach (var tensor in tree.arrays.Values) tensor.Dispose();
            }
        }

        internal static T Get<T>(State state, string group)
        {
            using (var tree = new Trees((out IntPtr created) => native.ckpt_tree_create_from_state(state.Handle, group, out created)))
                return As<T>(tree.Read());
        }

        // Reads a value. key: the only key of a dictionary to read; null: everything.
        internal static T Get<T>(Reader reader, string group, string key)
        {
            using (var tree = new Trees((out IntPtr created) => native.ckpt_tree_create_from_reader(reader.Handle, group, out created)))
            {
                if (key != null) native.ckpt_tree_find(tree.Handle, 0, key, out tree.next);
                return As<T>(tree.Read());
            }
        }

        // ---- Writing ----

        private void Add(object value)
        {
            if (value == null || value is DBNull) native.ckpt_tree_add_null(Handle);
            else if (value is bool) native.ckpt_tree_add_boolean(Handle, (bool)value ? 1 : 0);
            else if (value is sbyte || value is byte || value is short || value is ushort || value is int || value is uint || value is long)
                native.ckpt_tree_add_integer(Handle, Convert.ToInt64(value, CultureInfo.InvariantCulture));
            else if (value is ulong) AddWhole((ulong)value);
            else if (value is BigInteger) AddWhole((BigInteger)value);
            else if (value is float || value is double)
                native.ckpt_tree_add_number(Handle, Convert.ToDouble(value, CultureInfo.InvariantCulture));
            else if (value is Complex) native.ckpt_tree_add_complex(Handle, ((Complex)value).Real, ((Complex)value).Imaginary);
            else if (value is string || value is char) AddBytes(TreeKind.Text, Encoded(value.ToString()));
            else if (value.GetType() == typeof(byte[])) AddBytes(TreeKind.Bytes, (byte[])value); // `is` also accepts an sbyte[]
            else if (value is Tensor) AddTensor((Tensor)value);
            else if (!AddArray(value)) AddContainer(value);
        }

        private void AddTensor(Tensor tensor)
        {
            var form = tensor.Form;
            native.ckpt_tree_add_tensor(Handle, (int)form.Number, form.IsBigEndian ? 1 : 0, form.IsComplex128 ? 1 : 0, HandleOf(tensor));
        }

        private void AddWhole(BigInteger whole)
        {
            var digits = BigInteger.Abs(whole).ToString("x", CultureInfo.InvariantCulture);
            AddBytes(TreeKind.BigInteger, Encoded((whole.Sign < 0 ? "-0x" : "0x") + digits));
        }

        private void AddBytes(TreeKind kind, byte[] bytes)
        {
            fixed (byte* first = bytes) native.ckpt_tree_add_bytes(Handle, (int)kind, (IntPtr)first, bytes.Length);
        }

        private bool AddArray(object value)
        {
            Tensor tensor;
            if (!arrays.TryGetValue(value, out tensor))
            {
                tensor = Copied<float>(value) ?? Copied<double>(value) ?? Copied<int>(value) ?? Copied<long>(value)
                    ?? Copied<short>(value) ?? Copied<ushort>(value) ?? Copied<uint>(value) ?? Copied<ulong>(value)
                    ?? Copied<sbyte>(value) ?? Copied<byte>(value) ?? Copied<bool>(value);
#if NET
                tensor = tensor ?? Copied<Half>(value);
#endif
                if (tensor == null) return false;
                arrays.Add(value, tensor);
            }
            native.ckpt_tree_add_tensor(Handle, (int)TreeForm.Array, 0, 0, HandleOf(tensor));
            return true;
        }

        // Does not use `as`: the runtime also converts an int[] to a uint[]. A T[,] has two dimensions.
        private static Tensor Copied<T>(object value) where T : struct
        {
            var array = value as Array;
            if (array == null || value.GetType().GetElementType() != typeof(T)) return null;
            var shape = Enumerable.Range(0, array.Rank).Select(dimension => array.GetLongLength(dimension)).ToArray();
            return Tensor.From(array as T[] ?? array.Cast<T>().ToArray(), shape);
        }

        private void AddContainer(object value)
        {
            var record = value as TreeRecord;
            var dict = value as TreeDict;
            var attributed = value as Attributed;
            var items = value as IDictionary;
            var parts = value as IEnumerable;
            if (record != null)
            {
                var kind = record.IsTuple ? TreeKind.NamedTuple : TreeKind.Dataclass;
                native.ckpt_tree_add_container(Handle, (int)kind, record.ClassName, record.Count);
                AddItems(record);
            }
            else if (attributed != null) AddAttributed(attributed.Value, attributed.Attributes);
            else if (dict != null && dict.Attributes.Count > 0) AddAttributed(dict, dict.Attributes);
            else if (items != null) AddMap(items);
            else if (parts != null)
            {
                var all = parts.Cast<object>().ToList();
                var list = value as TreeList;
                var kind = list != null && list.IsTuple ? TreeKind.Tuple : TreeKind.List;
                native.ckpt_tree_add_container(Handle, (int)kind, null, all.Count);
                for (var i = 0; i < all.Count; ++i) AddInside(i.ToString(CultureInfo.InvariantCulture), all[i]);
            }
            else
            {
                var where = path.Count == 0 ? "the tree" : string.Join(".", path.Reverse());
                throw new CkptUnsupportedException(where + ": a " + value.GetType().FullName + " cannot be stored in a tree");
            }
        }

        private void AddAttributed(object value, Dictionary<string, object> attributes)
        {
            native.ckpt_tree_add_container(Handle, (int)TreeKind.Attributes, null, 2);
            var dict = value as TreeDict;
            if (dict != null) AddMap(dict);
            else Add(value);
            native.ckpt_tree_add_container(Handle, (int)TreeKind.Dict, null, attributes.Count);
            AddItems(attributes);
        }

        private void AddMap(IDictionary items)
        {
            var dict = items as TreeDict;
            var kind = dict != null && dict.IsOrdered ? TreeKind.OrderedDict : TreeKind.Dict;
            native.ckpt_tree_add_container(Handle, (int)kind, null, items.Count);
            AddItems(items);
        }

        private void AddItems(IDictionary items)
        {
            foreach (DictionaryEntry item in items)
            {
                Add(item.Key);
                AddInside(Convert.ToString(item.Key, CultureInfo.InvariantCulture), item.Value);
            }
        }

        private void AddInside(string label, object value)
        {
            path.Push(label);
            Add(value);
            path.Pop();
        }

        // ---- Reading ----

        private object Read()
        {
            int kind;
            long count, end, whole;
            double real, imaginary;
            var here = next++;
            native.ckpt_tree_get_node(Handle, here, out kind, out count, out end);
            switch ((TreeKind)kind)
            {
                case TreeKind.Null:
                    return null;
                case TreeKind.Boolean:
                    native.ckpt_tree_get_integer(Handle, here, out whole);
                    return whole != 0;
                case TreeKind.Integer:
                    native.ckpt_tree_get_integer(Handle, here, out whole);
                    return whole;
                case TreeKind.BigInteger:
                    return Whole(TextAt(here));
                case TreeKind.Number:
                    native.ckpt_tree_get_number(Handle, here, out real, out imaginary);
                    return real;
                case TreeKind.Complex:
                    native.ckpt_tree_get_number(Handle, here, out real, out imaginary);
                    return new Complex(real, imaginary);
                case TreeKind.Text:
                case TreeKind.Path:
                case TreeKind.PosixPath:
                case TreeKind.WindowsPath:
                    return TextAt(here);
                case TreeKind.Bytes:
                case TreeKind.Bytearray:
                    return BytesAt(here);
                case TreeKind.List:
                case TreeKind.Tuple:
                    var parts = new TreeList((TreeKind)kind == TreeKind.Tuple);
                    for (long i = 0; i < count; ++i) parts.Add(Read());
                    return parts;
                case TreeKind.Dict:
                case TreeKind.OrderedDict:
                    var items = new TreeDict((TreeKind)kind == TreeKind.OrderedDict);
                    for (long i = 0; i < count; ++i)
                    {
                        var key = Read() ?? DBNull.Value;
                        items[key] = Read();
                    }
                    return items;
                case TreeKind.NamedTuple:
                case TreeKind.Dataclass:
                    var record = new TreeRecord(TextAt(here), (TreeKind)kind == TreeKind.NamedTuple);
                    for (long i = 0; i < count; ++i)
                    {
                        var name = (string)Read();
                        record[name] = Read();
                    }
                    return record;
                case TreeKind.Tensor:
                    return TensorAt(here);
                case TreeKind.Attributes:
                    var value = Read();
                    return WithAttributes(value, (TreeDict)Read());
                default:
                    throw new CkptUnsupportedException("the tree contains a node of the unknown kind " + kind);
            }
        }

        private static object WithAttributes(object value, TreeDict attributes)
        {
            var dict = value as TreeDict;
            var byName = dict != null ? dict.Attributes : new Dictionary<string, object>();
            foreach (var attribute in attributes) byName[(string)attribute.Key] = attribute.Value;
            return dict != null ? value : new Attributed(value, byName);
        }

        private static BigInteger Whole(string text)
        {
            var negative = text[0] == '-';
            var digits = "0" + text.Substring(negative ? 3 : 2); // the first digit is the sign
            var whole = BigInteger.Parse(digits, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture);
            return negative ? -whole : whole;
        }

        private object TensorAt(long index)
        {
            int form, isBigEndian, isComplex128;
            native.ckpt_tree_get_form(Handle, index, out form, out isBigEndian, out isComplex128);
            var key = form + " " + isBigEndian + " " + isComplex128 + " " + TextAt(index);
            Tensor tensor;
            if (!tensors.TryGetValue(key, out tensor))
            {
                tensor = Tensor.Owned((out IntPtr created) => native.ckpt_tree_get_tensor(Handle, index, out created));
                tensor.Form = new TensorForm((TreeForm)form, isBigEndian != 0, isComplex128 != 0);
                tensors.Add(key, tensor);
            }
            return (TreeForm)form != TreeForm.Scalar ? tensor : Scalar(tensor, isComplex128 != 0);
        }

        private static object Scalar(Tensor tensor, bool isComplex128)
        {
            if (tensor.ElementCount != (isComplex128 ? 2 : 1)) return tensor;
            if (isComplex128) return new Complex(tensor.ToArray<double>()[0], tensor.ToArray<double>()[1]);
            switch (tensor.DType)
            {
                case DType.Bool: return tensor.ToArray<bool>()[0];
                case DType.I8: return (long)tensor.ToArray<sbyte>()[0];
                case DType.U8: return (long)tensor.ToArray<byte>()[0];
                case DType.I16: return (long)tensor.ToArray<short>()[0];
                case DType.U16: return (long)tensor.ToArray<ushort>()[0];
                case DType.I32: return (long)tensor.ToArray<int>()[0];
                case DType.U32: return (long)tensor.ToArray<uint>()[0];
                case DType.I64: return tensor.ToArray<long>()[0];
                case DType.U64:
                    var whole = tensor.ToArray<ulong>()[0];
                    return whole <= long.MaxValue ? (object)(long)whole : new BigInteger(whole);
                case DType.F32: return (double)tensor.ToArray<float>()[0];
                case DType.F64: return tensor.ToArray<double>()[0];
                default: return tensor;
            }
        }

        private byte[] BytesAt(long index) => NativeList.Bytes(native.ckpt_tree_get_bytes(Handle, index));

        private string TextAt(long index) => Decoded(BytesAt(index));

        // ---- Conversion to the requested type ----

        private static T As<T>(object value)
        {
            if (value is T) return (T)value;
            var attributed = value as Attributed;
            if (attributed != null) return As<T>(attributed.Value);
            if (value == null && default(T) == null) return default(T);
            var tensor = value as Tensor;
            var created = tensor == null ? Number(value, typeof(T)) : Elements(tensor, typeof(T));
            if (created is T) return (T)created;
            throw new CkptInvalidArgumentException("value: expected a " + typeof(T) + ", found a "
                + (value == null ? "null" : value.GetType().ToString()));
        }

        private static object Number(object value, Type wanted)
        {
            var type = Nullable.GetUnderlyingType(wanted) ?? wanted;
            if (!(value is long) && !(value is double && type == typeof(float))) return null;
            if (type == typeof(BigInteger)) return new BigInteger((long)value);
            if (!type.IsPrimitive || type == typeof(bool) || type == typeof(char)) return null;
            try
            {
                var created = Convert.ChangeType(value, type, CultureInfo.InvariantCulture);
                var isRounded = value is long && (created is float || created is double)
                    && new BigInteger(Convert.ToDouble(created, CultureInfo.InvariantCulture)) != (long)value;
                return isRounded ? throw new OverflowException() : created;
            }
            catch (OverflowException)
            {
                throw new CkptInvalidArgumentException("value " + value + ": exceeds the range of " + type.Name);
            }
        }

        private static object Elements(Tensor tensor, Type type)
        {
            if (type == typeof(float[])) return tensor.ToArray<float>();
            if (type == typeof(double[])) return tensor.ToArray<double>();
            if (type == typeof(int[])) return tensor.ToArray<int>();
            if (type == typeof(long[])) return tensor.ToArray<long>();
            if (type == typeof(short[])) return tensor.ToArray<short>();
            if (type == typeof(ushort[])) return tensor.ToArray<ushort>();
            if (type == typeof(uint[])) return tensor.ToArray<uint>();
            if (type == typeof(ulong[])) return tensor.ToArray<ulong>();
            if (type == typeof(sbyte[])) return tensor.ToArray<sbyte>();
            if (type == typeof(byte[])) return tensor.ToArray<byte>();
#if NET
            if (type == typeof(Half[])) return tensor.ToArray<Half>();
#endif
            return type == typeof(bool[]) ? tensor.ToArray<bool>() : null;
        }

        // ---- UTF-8, extended by lone surrogates as three bytes each ----

        private static byte[] Encoded(string text)
        {
            var bytes = new List<byte>(text.Length + 8);
            for (var i = 0; i < text.Length; ++i)
            {
                var isPair = char.IsHighSurrogate(text[i]) && i + 1 < text.Length && char.IsLowSurrogate(text[i + 1]);
                var point = isPair ? char.ConvertToUtf32(text[i], text[++i]) : text[i];
                if (point < 0x80)
                {
                    bytes.Add((byte)point);
                    continue;
                }
                var more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
                bytes.Add((byte)((0xFF00 >> more + 1 & 0xFF) | point >> 6 * more));
                while (more-- > 0) bytes.Add((byte)(0x80 | (point >> 6 * more & 0x3F)));
            }
            return bytes.ToArray();
        }

        private static string Decoded(byte[] bytes)
        {
            var text = new StringBuilder(bytes.Length);
            for (var i = 0; i < bytes.Length;)
            {
                int lead = bytes[i++];
                var more = lead < 0x80 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
                var point = more == 0 ? lead : lead & 0x3F >> more;
                while (more-- > 0) point = point << 6 | (bytes[i++] & 0x3F);
                if (point < 0x10000) text.Append((char)point);
                else text.Append(char.ConvertFromUtf32(point));
            }
            return text.ToString();
        }
    }
}
