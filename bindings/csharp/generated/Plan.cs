// Generated from include/ckpt by tools/api: do not edit.
using System;
using System.Runtime.InteropServices;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>The kind of an item in memory. <see cref="Item.Input"/>(i) and <see cref="Item.Grad"/>(i) have the bytes of
    /// x_i, <see cref="Item.Tape"/>(i, option) the layer's tape bytes under that option.</summary>
    public enum Item
    {
        /// <summary>No item.</summary>
        None = 0,
        /// <summary><see cref="Item.Input"/>(i): x_i, i = 0 .. n; its bytes are those of x_i. <see cref="Item.Input"/>(0) exists
        /// when a step begins; <see cref="Item.Input"/>(n) is the chain's output.</summary>
        Input = 1,
        /// <summary><see cref="Item.Tape"/>(i, option): the values that layer i recorded for its backward; its bytes are the
        /// layer's tape bytes under that option.</summary>
        Tape = 2,
        /// <summary><see cref="Item.Grad"/>(i): the gradient with respect to x_i; its bytes are those of x_i.</summary>
        Grad = 3,
    }

    /// <summary>Kind of an action. Memory changes only at actions, as each kind documents; nothing else is kept or
    /// dropped.</summary>
    public enum ActionKind
    {
        /// <summary>No value.</summary>
        None = 0,
        /// <summary>Runs layers first .. last-1 without recording, under one option; needs <see cref="Item.Input"/>(first), creates
        /// <see cref="Item.Input"/>(last), keeps nothing between.</summary>
        Forward = 1,
        /// <summary>Runs layers first .. last-1 and records: needs <see cref="Item.Input"/>(first), creates
        /// <see cref="Item.Tape"/>(i, option) and <see cref="Item.Input"/>(i+1) of each layer i.</summary>
        ForwardTape = 2,
        /// <summary>Runs layers last-1 down to first backward: needs <see cref="Item.Grad"/>(i+1), <see cref="Item.Tape"/>(i,
        /// option), and <see cref="Item.Input"/>(i) or <see cref="Item.Input"/>(i+1) if the layer's flags require it; creates
        /// <see cref="Item.Grad"/>(i); ends <see cref="Item.Grad"/>(i+1) and <see cref="Item.Tape"/>(i, option). Exactly once for
        /// each layer and micro-batch.</summary>
        Backward = 3,
        /// <summary>Begins to copy an item into (tier, slot), tier &gt;= 1; the item may be dropped at once, but its bytes count
        /// until the <see cref="ActionKind.Await"/>.</summary>
        StoreBegin = 4,
        /// <summary>Begins to copy the item in (tier, slot) back to memory; its bytes count from here, it is usable after the
        /// <see cref="ActionKind.Await"/>.</summary>
        LoadBegin = 5,
        /// <summary>Waits for a transfer of <see cref="ActionKind.StoreBegin"/> or <see cref="ActionKind.LoadBegin"/>.</summary>
        Await = 6,
        /// <summary>Ends an item (tier 0), or the item in a slot of another tier.</summary>
        Drop = 7,
        /// <summary>Sends a copy of an item to a neighbour stage of a pipeline; the item is kept until its
        /// <see cref="ActionKind.Drop"/>.</summary>
        Send = 8,
        /// <summary>Receives an item from a neighbour stage. In the schedule of a pipeline's stage every micro-batch's
        /// <see cref="Item.Input"/> arrives this way; the schedule of a whole chain has no <see cref="ActionKind.Send"/> and
        /// <see cref="ActionKind.Receive"/>.</summary>
        Receive = 9,
        /// <summary>Ends the forward part: needs <see cref="Item.Input"/>(n), passes it to the caller, creates
        /// <see cref="Item.Grad"/>(n); last stage only.</summary>
        Turn = 10,
        /// <summary>Ends the step: only <see cref="Item.Grad"/>(0) may exist.</summary>
        End = 11,
        /// <summary>Runs one layer and records, only for its backward: needs <see cref="Item.Input"/>(first), creates
        /// <see cref="Item.Tape"/>(first, option), and <see cref="Item.Input"/>(last) only if the layer has the flag NEEDS_OUTPUT.
        /// last is first + 1. Runs the option's record (<c>HasRecord</c>); without one it runs forward, and an output that is not
        /// an item counts as workspace while it runs.</summary>
        Record = 12,
        /// <summary>Runs layers first .. last-1 without recording, each in place: needs <see cref="Item.Input"/>(first), which it
        /// ends, and creates <see cref="Item.Input"/>(last) in the same buffer. While layer k runs, the buffer counts the larger of
        /// x_k and x_{k+1}. Not for an <see cref="Item.Input"/> that a <see cref="ActionKind.StoreBegin"/> is copying. slot names
        /// the buffer in schedules of adjoint codes, as for the result of their <see cref="ActionKind.Forward"/>; else it is
        /// 0.</summary>
        Advance = 13,
    }

    /// <summary>Properties of a layer's backward and recomputation for planning: a sum of flags.</summary>
    [Flags]
    public enum LayerFlag : uint
    {
        /// <summary>None of the flags.</summary>
        None = 0,
        /// <summary>Backward reads the layer's input.</summary>
        NeedsInput = 1,
        /// <summary>Backward reads the layer's output.</summary>
        NeedsOutput = 2,
        /// <summary>Recomputing forward produces the same bits; without this flag the layer is never recomputed.</summary>
        Deterministic = 4,
        /// <summary>Backward computes no gradient of the input: only for layer 0 of a chain, and for layers of a graph that read
        /// only value 0, with an input that has no gradient (tokens).</summary>
        NoInputGradient = 8,
        /// <summary>Forward may write its output over its input, and backward the gradient of its input over that of its output: an
        /// element-wise layer. After the first layer of a <see cref="ActionKind.Forward"/>, the layer writes its output into the
        /// buffer of its input, and its <see cref="ActionKind.Backward"/> writes <see cref="Item.Grad"/>(i) into the buffer of
        /// <see cref="Item.Grad"/>(i+1); while the layer runs that buffer counts the larger of the two.</summary>
        InPlace = 16,
        /// <summary>Backward can add to an existing gradient of its input; without this flag it writes a second buffer, which is
        /// then added. Used in graphs, for a value that several layers read.</summary>
        AddsGradient = 32,
    }

    /// <summary>Properties of a whole chain: a sum of flags.</summary>
    [Flags]
    public enum ProfileFlag : uint
    {
        /// <summary>None of the flags.</summary>
        None = 0,
        /// <summary>The caller keeps <see cref="Item.Input"/>(0) for the whole step: its <see cref="ActionKind.Drop"/> frees no
        /// bytes.</summary>
        KeepsInput = 1,
        /// <summary>The caller keeps <see cref="Item.Input"/>(n) from its computation to the end of the step: its
        /// <see cref="ActionKind.Drop"/> frees no bytes.</summary>
        KeepsOutput = 2,
        /// <summary>Memory comes from an allocator of the caller, not from one arena: budgets limit live bytes, not reserved
        /// ones.</summary>
        OwnAllocator = 4,
    }

    /// <summary>One action of a schedule. Fields that a kind does not use are 0.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public partial struct ScheduleAction
    {
        private int kind;
        private int micro_batch;
        private long first;
        private long last;
        private int option;
        private int item;
        private int tier;
        private int slot;
        private long transfer;
        private long reserved0;
        private long reserved1;

        /// <summary>Kind of action.</summary>
        public ActionKind Kind { get { return (ActionKind)kind; } set { kind = (int)value; } }

        /// <summary>Number of the micro-batch, from 0; 0 for a step of one batch.</summary>
        public int MicroBatch { get { return micro_batch; } set { micro_batch = value; } }

        /// <summary>First layer of the action; or the index i of the item.</summary>
        public long First { get { return first; } set { first = value; } }

        /// <summary>One past the last layer of the action.</summary>
        public long Last { get { return last; } set { last = value; } }

        /// <summary>Option of the layers; or of the item, for a <see cref="Item.Tape"/>.</summary>
        public int Option { get { return option; } set { option = value; } }

        /// <summary>Kind of item of <see cref="ActionKind.StoreBegin"/>, <see cref="ActionKind.LoadBegin"/>,
        /// <see cref="ActionKind.Drop"/>, <see cref="ActionKind.Send"/>, <see cref="ActionKind.Receive"/>.</summary>
        public Item Item { get { return (Item)item; } set { item = (int)value; } }

        /// <summary>Tier of the item: 0 memory; 1 .. 3 slower places.</summary>
        public int Tier { get { return tier; } set { tier = value; } }

        /// <summary>Slot within the tier, &gt;= 0; of <see cref="ActionKind.Forward"/> and <see cref="ActionKind.Advance"/>: the
        /// buffer of the result, for code that runs the schedule.</summary>
        public int Slot { get { return slot; } set { slot = value; } }

        /// <summary>Id of a transfer from its <see cref="ActionKind.StoreBegin"/> or <see cref="ActionKind.LoadBegin"/> to its
        /// <see cref="ActionKind.Await"/>.</summary>
        public long Transfer { get { return transfer; } set { transfer = value; } }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("ScheduleAction", "Kind", Kind, "MicroBatch", MicroBatch, "First", First, "Last", Last, "Option",
                Option, "Item", Item, "Tier", Tier, "Slot", Slot, "Transfer", Transfer);
        }
    }

    /// <summary>Properties of one layer for planning.</summary>
    public sealed unsafe partial class LayerProfile
    {
        /// <summary>Sum of <see cref="LayerFlag"/>; default <see cref="LayerFlag.NeedsInput"/> |
        /// <see cref="LayerFlag.Deterministic"/>.</summary>
        public LayerFlag Flags { get; set; } = LayerFlag.NeedsInput | LayerFlag.Deterministic;

        /// <summary>Bytes of the layer's output, and of its gradient, &gt;= 0.</summary>
        public long OutputBytes { get; set; }

        /// <summary>Bytes of the ambient state that is saved before the first forward and restored before a recomputation, &gt;=
        /// 0.</summary>
        public long AmbientBytes { get; set; }

        /// <summary>Element type of the layer's output, for strategies; 0 when not known.</summary>
        public DType DType { get; set; }

        /// <summary>Lengths of the dimensions of the layer's output, for strategies.</summary>
        public long[] Shape { get; set; } = new long[0];

        internal static ckpt_layer_profile Native(LayerProfile from, CallMemory memory)
        {
            if (from == null) return null;
            var to = memory.Add(new ckpt_layer_profile());
            to.flags = (uint)from.Flags;
            to.output_bytes = from.OutputBytes;
            to.ambient_bytes = from.AmbientBytes;
            to.dtype = (int)from.DType;
            to.ndim = from.Shape.Length;
            fixed (long* lengths = NativeList.Lengths(from.Shape)) to.shape = lengths;
            return to;
        }

        internal static LayerProfile Filled(Action<ckpt_layer_profile> fill)
        {
            using (var from = new ckpt_layer_profile())
            {
                fill(from);
                return new LayerProfile { Flags = (LayerFlag)from.flags, OutputBytes = from.output_bytes,
                    AmbientBytes = from.ambient_bytes, DType = (DType)from.dtype, Shape = NativeList.Copied(from.shape,
                    from.ndim) };
            }
        }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("LayerProfile", "Flags", Flags, "OutputBytes", OutputBytes, "AmbientBytes", AmbientBytes, "DType",
                DType, "Shape", Shape);
        }
    }

    /// <summary>Properties of one option (way to run a layer) for planning. Most layers have one.</summary>
    public sealed unsafe partial class OptionProfile
    {
        /// <summary>Bytes that the layer records for its backward, &gt;= 0.</summary>
        public long TapeBytes { get; set; }

        /// <summary>Bytes needed while forward runs, with or without tape, &gt;= 0.</summary>
        public long ForwardWorkspaceBytes { get; set; }

        /// <summary>Bytes needed while backward runs, &gt;= 0.</summary>
        public long BackwardWorkspaceBytes { get; set; }

        /// <summary>Duration of one forward in seconds, &gt;= 0.</summary>
        public double ForwardSeconds { get; set; }

        /// <summary>Duration of one backward in seconds, &gt;= 0.</summary>
        public double BackwardSeconds { get; set; }

        /// <summary>Bytes needed while <see cref="ActionKind.Record"/> runs, &gt;= 0; ignored without
        /// <see cref="HasRecord"/>.</summary>
        public long RecordWorkspaceBytes { get; set; }

        /// <summary>Duration of one <see cref="ActionKind.Record"/> in seconds, &gt;= 0; ignored without
        /// <see cref="HasRecord"/>.</summary>
        public double RecordSeconds { get; set; }

        /// <summary>True: the layer can record without computing its output, with <see cref="RecordWorkspaceBytes"/> and
        /// <see cref="RecordSeconds"/>; false: <see cref="ActionKind.Record"/> runs forward.</summary>
        public bool HasRecord { get; set; }

        /// <summary>Maximum bytes of a backward while it runs, without the layer's input: its tape, both gradients, the output if
        /// it is read, and workspace, &gt;= 0; 0: not known, their sum. For programs with a separate allocator: planners and the
        /// verifier use it; arena and program use the sum.</summary>
        public long BackwardPeakBytes { get; set; }

        internal static ckpt_option_profile Native(OptionProfile from, CallMemory memory)
        {
            if (from == null) return null;
            var to = memory.Add(new ckpt_option_profile());
            to.tape_bytes = from.TapeBytes;
            to.forward_workspace_bytes = from.ForwardWorkspaceBytes;
            to.backward_workspace_bytes = from.BackwardWorkspaceBytes;
            to.forward_seconds = from.ForwardSeconds;
            to.backward_seconds = from.BackwardSeconds;
            to.record_workspace_bytes = from.RecordWorkspaceBytes;
            to.record_seconds = from.RecordSeconds;
            to.has_record = from.HasRecord ? 1 : 0;
            to.backward_peak_bytes = from.BackwardPeakBytes;
            return to;
        }

        internal static OptionProfile Filled(Action<ckpt_option_profile> fill)
        {
            using (var from = new ckpt_option_profile())
            {
                fill(from);
                return new OptionProfile { TapeBytes = from.tape_bytes, ForwardWorkspaceBytes = from.forward_workspace_bytes,
                    BackwardWorkspaceBytes = from.backward_workspace_bytes, ForwardSeconds = from.forward_seconds,
                    BackwardSeconds = from.backward_seconds, RecordWorkspaceBytes = from.record_workspace_bytes,
                    RecordSeconds = from.record_seconds, HasRecord = from.has_record != 0,
                    BackwardPeakBytes = from.backward_peak_bytes };
            }
        }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("OptionProfile", "TapeBytes", TapeBytes, "ForwardWorkspaceBytes", ForwardWorkspaceBytes,
                "BackwardWorkspaceBytes", BackwardWorkspaceBytes, "ForwardSeconds", ForwardSeconds, "BackwardSeconds",
                BackwardSeconds, "RecordWorkspaceBytes", RecordWorkspaceBytes, "RecordSeconds", RecordSeconds, "HasRecord",
                HasRecord, "BackwardPeakBytes", BackwardPeakBytes);
        }
    }

    /// <summary>Properties of a tier, a place that is slower than memory, for planning.</summary>
    public sealed unsafe partial class TierProfile
    {
        /// <summary>Capacity of the tier in bytes, &gt;= 0; 0: no limit.</summary>
        public long CapacityBytes { get; set; }

        /// <summary>Rate of a <see cref="ActionKind.StoreBegin"/>'s copy in bytes per second, &gt;= 0; 0: no limit, it takes no
        /// time.</summary>
        public double WriteBytesPerSecond { get; set; }

        /// <summary>Rate of a <see cref="ActionKind.LoadBegin"/>'s copy in bytes per second, &gt;= 0; 0: no limit, it takes no
        /// time.</summary>
        public double ReadBytesPerSecond { get; set; }

        /// <summary>Duration of a copy of no bytes in seconds, &gt;= 0.</summary>
        public double LatencySeconds { get; set; }

        internal static ckpt_tier_profile Native(TierProfile from, CallMemory memory)
        {
            if (from == null) return null;
            var to = memory.Add(new ckpt_tier_profile());
            to.capacity_bytes = from.CapacityBytes;
            to.write_bytes_per_second = from.WriteBytesPerSecond;
            to.read_bytes_per_second = from.ReadBytesPerSecond;
            to.latency_seconds = from.LatencySeconds;
            return to;
        }

        internal static TierProfile Filled(Action<ckpt_tier_profile> fill)
        {
            using (var from = new ckpt_tier_profile())
            {
                fill(from);
                return new TierProfile { CapacityBytes = from.capacity_bytes, WriteBytesPerSecond = from.write_bytes_per_second,
                    ReadBytesPerSecond = from.read_bytes_per_second, LatencySeconds = from.latency_seconds };
            }
        }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("TierProfile", "CapacityBytes", CapacityBytes, "WriteBytesPerSecond", WriteBytesPerSecond,
                "ReadBytesPerSecond", ReadBytesPerSecond, "LatencySeconds", LatencySeconds);
        }
    }

    /// <summary>The exact memory and time of a schedule on a chain.</summary>
    public sealed unsafe partial class PlanReport
    {
        internal PlanReport(ckpt_plan_report from)
        {
            Actions = from.actions;
            Forwards = from.forwards;
            RecomputedForwards = from.recomputed_forwards;
            StepSeconds = from.step_seconds;
            RecomputedSeconds = from.recomputed_seconds;
            PeakAction = from.peak_action;
            PeakBytes = NativeList.Copied(from.peak_bytes, 4);
            WaitSeconds = from.wait_seconds;
            PeakItems = NativeList.Copied(from.peak_items, 4);
            PeakInputs = NativeList.Copied(from.peak_inputs, 4);
            StoredBytes = NativeList.Copied(from.stored_bytes, 4);
            LoadedBytes = NativeList.Copied(from.loaded_bytes, 4);
        }

        internal static PlanReport Filled(Action<ckpt_plan_report> fill)
        {
            using (var from = new ckpt_plan_report())
            {
                fill(from);
                return new PlanReport(from);
            }
        }

        /// <summary>Number of actions, <see cref="ActionKind.End"/> included.</summary>
        public long Actions { get; }

        /// <summary>Number of layer forwards (each <see cref="ActionKind.Record"/> is one), recomputed ones included.</summary>
        public long Forwards { get; }

        /// <summary>Number of layer forwards beyond the first of each layer.</summary>
        public long RecomputedForwards { get; }

        /// <summary>Duration of the step in seconds: the sum of forwards, records, backwards and waits of AWAITs.</summary>
        public double StepSeconds { get; }

        /// <summary>Duration of the recomputed forwards in seconds, from <c>ForwardSeconds</c> or <c>RecordSeconds</c>.</summary>
        public double RecomputedSeconds { get; }

        /// <summary>Index of the first action with the peak of tier 0.</summary>
        public long PeakAction { get; }

        /// <summary>Peak live bytes of each tier; tier 0 counts items, workspace and ambient state.</summary>
        public long[] PeakBytes { get; }

        /// <summary>Duration of the waits of AWAITs in seconds; included in <see cref="StepSeconds"/>.</summary>
        public double WaitSeconds { get; }

        /// <summary>Maximum number of items (<see cref="Item.Input"/>, <see cref="Item.Tape"/>, <see cref="Item.Grad"/>) in each
        /// tier, x_0 included.</summary>
        public long[] PeakItems { get; }

        /// <summary>Maximum number of INPUTs in each tier, x_0 included: the states that an adjoint code keeps.</summary>
        public long[] PeakInputs { get; }

        /// <summary>Bytes that were copied into each tier; 0 for tier 0.</summary>
        public long[] StoredBytes { get; }

        /// <summary>Bytes that were copied back from each tier; 0 for tier 0.</summary>
        public long[] LoadedBytes { get; }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("PlanReport", "Actions", Actions, "Forwards", Forwards, "RecomputedForwards", RecomputedForwards,
                "StepSeconds", StepSeconds, "RecomputedSeconds", RecomputedSeconds, "PeakAction", PeakAction, "PeakBytes",
                PeakBytes, "WaitSeconds", WaitSeconds, "PeakItems", PeakItems, "PeakInputs", PeakInputs, "StoredBytes",
                StoredBytes, "LoadedBytes", LoadedBytes);
        }
    }

    /// <summary>Memory and time of one schedule of a planner's frontier: no other schedule of the planner takes less time
    /// within its live bytes.</summary>
    public sealed unsafe partial class FrontierPoint
    {
        internal FrontierPoint(ckpt_frontier_point from)
        {
            LiveBytes = from.live_bytes;
            ReservedBytes = from.reserved_bytes;
            RecomputedForwards = from.recomputed_forwards;
            StepSeconds = from.step_seconds;
            RecomputedSeconds = from.recomputed_seconds;
            LostSeconds = from.lost_seconds;
        }

        internal static FrontierPoint Filled(Action<ckpt_frontier_point> fill)
        {
            using (var from = new ckpt_frontier_point())
            {
                fill(from);
                return new FrontierPoint(from);
            }
        }

        /// <summary>Peak live bytes of tier 0.</summary>
        public long LiveBytes { get; }

        /// <summary>Size of the arena that holds all buffers, in bytes.</summary>
        public long ReservedBytes { get; }

        /// <summary>Number of layer forwards beyond the first of each layer.</summary>
        public long RecomputedForwards { get; }

        /// <summary>Duration of the step in seconds.</summary>
        public double StepSeconds { get; }

        /// <summary>Duration of the recomputed forwards in seconds.</summary>
        public double RecomputedSeconds { get; }

        /// <summary>Upper bound, in seconds, by which the optimum may be shorter, if it did not fit in the planner's
        /// tables.</summary>
        public double LostSeconds { get; }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("FrontierPoint", "LiveBytes", LiveBytes, "ReservedBytes", ReservedBytes, "RecomputedForwards",
                RecomputedForwards, "StepSeconds", StepSeconds, "RecomputedSeconds", RecomputedSeconds, "LostSeconds",
                LostSeconds);
        }
    }
}
