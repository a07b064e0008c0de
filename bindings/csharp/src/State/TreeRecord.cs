using System.Collections.Generic;

namespace Ckpt
{
    /// <summary>A dataclass or named tuple that another language has written: its fields by name. No class is looked for.</summary>
    public sealed class TreeRecord : Dictionary<string, object>
    {
        /// <summary>A record without fields.</summary>
        /// <param name="className">Of the other language.</param>
        /// <param name="isTuple">A named tuple; false: a dataclass.</param>
        public TreeRecord(string className, bool isTuple)
        {
            ClassName = className;
            IsTuple = isTuple;
        }

        /// <summary>The name of its class, with the module's name before it, as the writer has it.</summary>
        public string ClassName { get; }

        /// <summary>A named tuple; false: a dataclass.</summary>
        public bool IsTuple { get; }
    }
}
