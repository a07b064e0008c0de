// Generated from include/ckpt by tools/api: do not edit.
using System;
using System.Runtime.InteropServices;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Flags of a call of the driver: a sum of flags.</summary>
    [Flags]
    public enum DriveFlag : uint
    {
        /// <summary>None of the flags.</summary>
        None = 0,
        /// <summary>The layers ran before in this step: restore the ambient state (random numbers, statistics) of the start of
        /// their first run.</summary>
        Again = 1,
        /// <summary>Only the layer's backward reads its output: a layer with a backward that reads it returns it, other layers
        /// return none.</summary>
        NoOutput = 2,
        /// <summary>Last use of the input: the callback owns the handle, also if it fails; an in-place step overwrites
        /// it.</summary>
        TakeInput = 4,
        /// <summary>Last use of the output that a backward reads: the callback owns the handle, also if it fails.</summary>
        TakeOutput = 8,
    }

    /// <summary>One call of the driver: the operation to do. Fields that a kind does not use are 0.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public partial struct DriveCall
    {
        private int kind;
        private int flags;
        private long first;
        private long last;
        private int option;
        private int micro_batch;
        private int item;
        private int tier;
        private int slot;
        private int reserved;
        private long transfer;
        private long action;
        private long layers;
        private int reserved2;
        private int reserved3;

        /// <summary>The operation: <see cref="ActionKind.Forward"/>, <see cref="ActionKind.Record"/>,
        /// <see cref="ActionKind.Backward"/>, <see cref="ActionKind.Turn"/>, <see cref="ActionKind.StoreBegin"/>,
        /// <see cref="ActionKind.LoadBegin"/>, <see cref="ActionKind.Await"/> or <see cref="ActionKind.Drop"/> of
        /// <see cref="ActionKind"/>.</summary>
        public ActionKind Kind { get { return (ActionKind)kind; } set { kind = (int)value; } }

        /// <summary>Sum of <see cref="DriveFlag"/>.</summary>
        public DriveFlag Flags { get { return (DriveFlag)flags; } set { flags = (int)value; } }

        /// <summary>First layer of the call; or the index i of the item.</summary>
        public long First { get { return first; } set { first = value; } }

        /// <summary>One past the last layer of the call.</summary>
        public long Last { get { return last; } set { last = value; } }

        /// <summary>Option of the layers; or of the item, for a <see cref="Item.Tape"/>.</summary>
        public int Option { get { return option; } set { option = value; } }

        /// <summary>Number of the micro-batch: 0.</summary>
        public int MicroBatch { get { return micro_batch; } set { micro_batch = value; } }

        /// <summary>Kind of item of <see cref="ActionKind.StoreBegin"/>, <see cref="ActionKind.LoadBegin"/>,
        /// <see cref="ActionKind.Await"/> and <see cref="ActionKind.Drop"/>.</summary>
        public Item Item { get { return (Item)item; } set { item = (int)value; } }

        /// <summary>Tier of the item: 0 memory; 1 .. 3 slower places.</summary>
        public int Tier { get { return tier; } set { tier = value; } }

        /// <summary>Place within the tier, &gt;= 0; of <see cref="ActionKind.Forward"/>: the buffer of the result, as the
        /// schedule's action names it.</summary>
        public int Slot { get { return slot; } set { slot = value; } }

        /// <summary>Id of the transfer, from its <see cref="ActionKind.StoreBegin"/> or <see cref="ActionKind.LoadBegin"/> to its
        /// <see cref="ActionKind.Await"/>.</summary>
        public long Transfer { get { return transfer; } set { transfer = value; } }

        /// <summary>Index of the schedule's action that causes the call, from 0.</summary>
        public long Action { get { return action; } set { action = value; } }

        /// <summary>Number of layers of the chain; 0 while it is unknown in an open-ended schedule.</summary>
        public long Layers { get { return layers; } set { layers = value; } }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("DriveCall", "Kind", Kind, "Flags", Flags, "First", First, "Last", Last, "Option", Option,
                "MicroBatch", MicroBatch, "Item", Item, "Tier", Tier, "Slot", Slot, "Transfer", Transfer, "Action", Action,
                "Layers", Layers);
        }
    }
}
