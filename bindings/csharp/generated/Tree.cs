// Generated from include/ckpt by tools/api: do not edit.

namespace Ckpt
{
    /// <summary>What a node of a tree is.</summary>
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
        /// <summary>Two such numbers: the real and the imaginary part.</summary>
        Complex = 5,
        /// <summary>Text in UTF-8; lone surrogates of other languages' texts are three bytes each in it.</summary>
        Text = 6,
        /// <summary>Any row of bytes.</summary>
        Bytes = 7,
        /// <summary>Row of bytes that can be changed, in languages that have two types.</summary>
        Bytearray = 8,
        /// <summary>Path of the writer's system, as text.</summary>
        Path = 9,
        /// <summary>Path of a POSIX system, as text.</summary>
        PosixPath = 10,
        /// <summary>Path of Windows, as text.</summary>
        WindowsPath = 11,
        /// <summary>Container: parts follow.</summary>
        List = 12,
        /// <summary>Container: parts follow; a list that cannot be changed.</summary>
        Tuple = 13,
        /// <summary>Container: keys, each with its value behind it, follow.</summary>
        Dict = 14,
        /// <summary>Container: a dict whose order is a part of its value.</summary>
        OrderedDict = 15,
        /// <summary>Container with a class's name: names of fields, each with its value behind it, follow.</summary>
        NamedTuple = 16,
        /// <summary>Container with a class's name: names of fields, each with its value behind it, follow.</summary>
        Dataclass = 17,
        /// <summary>Tensor of the group.</summary>
        Tensor = 18,
        /// <summary>Container of two parts: a value, and a dict of its attributes by name (format 2).</summary>
        Attributes = 19,
    }

    /// <summary>What a tensor of a tree was in the writer's program.</summary>
    public enum TreeForm
    {
        /// <summary>Array of a library for numbers (NumPy), or of the language.</summary>
        Array = 0,
        /// <summary>Single number of such a library, without dimensions.</summary>
        Scalar = 1,
        /// <summary>Tensor of PyTorch.</summary>
        Torch = 2,
        /// <summary>Tensor of libckpt.</summary>
        Tensor = 3,
        /// <summary>Torch.nn.Parameter; the attribute "requires_grad" is stored when it is false (format 2).</summary>
        Parameter = 4,
    }
}
