
namespace Ckpt
{
    /// <summary>Properties of element types.</summary>
    public static partial class DTypes
    {
        /// <summary>Returns the element type of a C# type: float is F32, long is I64, ... Throws CkptUnsupportedException for one
        /// that has none.</summary>
        /// <typeparam name="T">A number, or bool.</typeparam>
        public static DType Of<T>() where T : struct
        {
            var type = typeof(T);
            if (type == typeof(float)) return DType.F32;
            if (type == typeof(double)) return DType.F64;
            if (type == typeof(long)) return DType.I64;
            if (type == typeof(int)) return DType.I32;
            if (type == typeof(short)) return DType.I16;
            if (type == typeof(sbyte)) return DType.I8;
            if (type == typeof(byte)) return DType.U8;
            if (type == typeof(ushort)) return DType.U16;
            if (type == typeof(uint)) return DType.U32;
            if (type == typeof(ulong)) return DType.U64;
            if (type == typeof(bool)) return DType.Bool;
            if (type.FullName == "System.Half") return DType.F16; // netstandard2.0 does not define it
            throw new CkptUnsupportedException("type " + type.Name + ": expected an element type of tensors");
        }
    }
}
