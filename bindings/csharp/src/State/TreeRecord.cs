using System.Collections.Generic;

namespace Ckpt
{
    /// <summary>A dataclass or named tuple that another language has written: its fields by name. No class is loaded.</summary>
    public sealed class TreeRecord : Dictionary<string, object>
    {
        /// <summary>Creates a record without fields.</summary>
        /// <param name="className">Name of the class in the other language.</param>
        /// <param name="isTuple">A named tuple; false: a dataclass.</param>
        public TreeRecord(string className, bool isTuple)
        {
            ClassName = className;
            IsTuple = isTuple;
        }

        /// <summary>The name of its class, prefixed with the module's name, as written.</summary>
        public string ClassName { get; }

        /// <summary>Whether it is a named tuple; false: a dataclass.</summary>
        public bool IsTuple { get; }
    }
}
