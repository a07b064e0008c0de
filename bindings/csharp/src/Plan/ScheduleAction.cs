using System.Runtime.InteropServices;

namespace Ckpt
{
    /// <summary>One action of a schedule: 64 bytes, the same in every version. Fields that a kind does not use are 0.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct ScheduleAction
    {
        private int kind;
        private int microBatch;
        private long first;
        private long last;
        private int option;
        private int item;
        private int tier;
        private int slot;
        private long transfer;
        private long reserved0;
        private long reserved1;

        /// <summary>What is done.</summary>
        public ActionKind Kind
        {
            get { return (ActionKind)kind; }
            set { kind = (int)value; }
        }

        /// <summary>The kind's name in the C API: "FORWARD", "DROP", ...</summary>
        public string KindName
        {
            get { return Ckpt.Interop.native.ckpt_action_kind_name(kind); }
        }

        /// <summary>0 for a step of one batch.</summary>
        public int MicroBatch
        {
            get { return microBatch; }
            set { microBatch = value; }
        }

        /// <summary>The first layer; or the item's index.</summary>
        public long First
        {
            get { return first; }
            set { first = value; }
        }

        /// <summary>One past the last layer.</summary>
        public long Last
        {
            get { return last; }
            set { last = value; }
        }

        /// <summary>The layers' option; or the item's, for a tape.</summary>
        public int Option
        {
            get { return option; }
            set { option = value; }
        }

        /// <summary>The item of StoreBegin, LoadBegin, Drop, Send and Receive.</summary>
        public ActionItem Item
        {
            get { return (ActionItem)item; }
            set { item = (int)value; }
        }

        /// <summary>0: memory; else a slower place.</summary>
        public int Tier
        {
            get { return tier; }
            set { tier = value; }
        }

        /// <summary>Place within the tier.</summary>
        public int Slot
        {
            get { return slot; }
            set { slot = value; }
        }

        /// <summary>Names a transfer from its begin to its Await.</summary>
        public long Transfer
        {
            get { return transfer; }
            set { transfer = value; }
        }

        /// <summary>"FORWARD first=0 last=4", ...</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return KindName + " first=" + first + " last=" + last;
        }
    }
}
