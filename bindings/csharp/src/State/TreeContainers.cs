using System.Collections.Generic;

namespace Ckpt
{
    /// <summary>A dict inside a value of any shape, as it was read: its items, whether it is an ordered dict in another language,
    /// and its attributes. Written again, it is unchanged.</summary>
    public sealed class TreeDict : Dictionary<object, object>
    {
        /// <summary>Creates a dict without items.</summary>
        /// <param name="isOrdered">An ordered dict (Python's OrderedDict); false: a dict.</param>
        public TreeDict(bool isOrdered)
        {
            IsOrdered = isOrdered;
            Attributes = new Dictionary<string, object>();
        }

        /// <summary>Whether its order is part of its value in the language that wrote it.</summary>
        public bool IsOrdered { get; }

        /// <summary>The attributes of the dict by name: empty for most dicts; "_metadata" of a state_dict of
        /// PyTorch.</summary>
        public Dictionary<string, object> Attributes { get; }
    }

    /// <summary>A list inside a value of any shape, as it was read, and whether it is a tuple in another language. Written again,
    /// it is unchanged.</summary>
    public sealed class TreeList : List<object>
    {
        /// <summary>Creates a list without parts.</summary>
        /// <param name="isTuple">A tuple; false: a list.</param>
        public TreeList(bool isTuple) { IsTuple = isTuple; }

        /// <summary>Whether it is a tuple in the language that wrote it.</summary>
        public bool IsTuple { get; }
    }

    /// <summary>A value of any shape with attributes, such as a PyTorch tensor with "requires_grad". A TreeDict holds its
    /// attributes itself. Requested as the type of the value, it is returned without its attributes.</summary>
    public sealed class Attributed
    {
        /// <summary>Creates a value with attributes.</summary>
        /// <param name="value">Not an Attributed.</param>
        /// <param name="attributes">By name: at least one.</param>
        public Attributed(object value, Dictionary<string, object> attributes)
        {
            Value = value;
            Attributes = attributes;
        }

        /// <summary>The value.</summary>
        public object Value { get; }

        /// <summary>The attributes of the value, by name.</summary>
        public Dictionary<string, object> Attributes { get; }
    }

    // The type of a tree's tensor in the program that wrote it.
    internal struct TensorForm
    {
        internal readonly TreeForm Number;
        internal readonly bool IsBigEndian;
        internal readonly bool IsComplex128;

        internal TensorForm(TreeForm number, bool isBigEndian, bool isComplex128)
        {
            Number = number;
            IsBigEndian = isBigEndian;
            IsComplex128 = isComplex128;
        }
    }
}
