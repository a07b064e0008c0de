// Generated from include/ckpt by tools/api: do not edit.

namespace Ckpt
{
    /// <summary>The kind of a node of a tree.</summary>
    public enum TreeKind
    {
        /// <summary>No value.</summary>
        Null = 0,
        /// <summary>Truth value.</summary>
        Boolean = 1,
        /// <summary>Whole number of 64 bits with sign.</summary>
        Integer = 2,
        /// <summary>Whole number beyond 64 bits, as text: "-0x1f...".</summary>
        BigInteger = 3,
        /// <summary>Floating-point number of 64 bits, also NaN (bit for bit) and infinities.</summary>
        Number = 4,
        /// <summary>Complex number: real and imaginary part, 64 bits each.</summary>
        Complex = 5,
        /// <summary>String in UTF-8; lone surrogates of other languages' strings take three bytes each.</summary>
        Text = 6,
        /// <summary>Sequence of bytes.</summary>
        Bytes = 7,
        /// <summary>Mutable sequence of bytes, in languages that have a separate type for it.</summary>
        Bytearray = 8,
        /// <summary>Path of the writer's system, as text.</summary>
        Path = 9,
        /// <summary>Path of a POSIX system, as text.</summary>
        PosixPath = 10,
        /// <summary>Path of Windows, as text.</summary>
        WindowsPath = 11,
        /// <summary>Container: parts follow.</summary>
        List = 12,
        /// <summary>Container: parts follow; an immutable list.</summary>
        Tuple = 13,
        /// <summary>Container: keys follow, each before its value.</summary>
        Dict = 14,
        /// <summary>Container: a dict in which the order is part of the value.</summary>
        OrderedDict = 15,
        /// <summary>Container with a class's name: names of fields follow, each before its value.</summary>
        NamedTuple = 16,
        /// <summary>Container with a class's name: names of fields follow, each before its value.</summary>
        Dataclass = 17,
        /// <summary>Tensor of the group.</summary>
        Tensor = 18,
        /// <summary>Container of two parts: a value, and a dict of its attributes by name (format 2).</summary>
        Attributes = 19,
    }

    /// <summary>The type of a tensor of a tree in the writer's program.</summary>
    public enum TreeForm
    {
        /// <summary>Array of a numeric library (NumPy), or of the language.</summary>
        Array = 0,
        /// <summary>Scalar of a numeric library, without dimensions.</summary>
        Scalar = 1,
        /// <summary>Tensor of PyTorch.</summary>
        Torch = 2,
        /// <summary>Tensor of libckpt.</summary>
        Tensor = 3,
        /// <summary>Torch.nn.Parameter; the attribute "requires_grad" is stored when it is false (format 2).</summary>
        Parameter = 4,
    }
}
