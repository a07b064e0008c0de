// Generated from include/ckpt by tools/api: do not edit.
using System;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>How an operation runs: a sum of flags.</summary>
    [Flags]
    public enum OperationFlag : uint
    {
        /// <summary>None of the flags.</summary>
        None = 0,
        /// <summary>The layer ran before in this step: its ambient state is restored first, from the buffer ambient.</summary>
        Again = 1,
        /// <summary>The result overwrites the operand: both buffers have the same offset.</summary>
        InPlace = 2,
    }

    /// <summary>A buffer, and the operations between which it is live.</summary>
    public sealed unsafe partial class ProgramBuffer
    {
        internal ProgramBuffer(ckpt_program_buffer from)
        {
            Bytes = from.bytes;
            Offset = from.offset;
            First = from.first;
            Last = from.last;
            Index = from.index;
            Item = (Item)from.item;
            Tier = from.tier;
            Option = from.option;
            MicroBatch = from.micro_batch;
            Slot = from.slot;
        }

        internal static ProgramBuffer Filled(Action<ckpt_program_buffer> fill)
        {
            using (var from = new ckpt_program_buffer())
            {
                fill(from);
                return new ProgramBuffer(from);
            }
        }

        /// <summary>Number of bytes, &gt;= 0.</summary>
        public long Bytes { get; }

        /// <summary>Offset in its tier's arena in bytes, a multiple of 64; negative for a buffer of 0 bytes.</summary>
        public long Offset { get; }

        /// <summary>Index of the operation that writes it first; negative for x_0, which exists from the start.</summary>
        public long First { get; }

        /// <summary>Index of the last operation that uses it; the number of operations for <see cref="Item.Grad"/>(0), which
        /// outlives the step.</summary>
        public long Last { get; }

        /// <summary>Index i of <see cref="Item.Input"/>(i) and <see cref="Item.Grad"/>(i); else the layer.</summary>
        public long Index { get; }

        /// <summary>Item that it holds: one of <see cref="Item"/>; <see cref="Item.None"/> for workspace and ambient
        /// state.</summary>
        public Item Item { get; }

        /// <summary>Tier of its arena: 0 memory; 1 .. 3 slower places.</summary>
        public int Tier { get; }

        /// <summary>Option of the layer, for a <see cref="Item.Tape"/>.</summary>
        public int Option { get; }

        /// <summary>Number of the micro-batch, from 0.</summary>
        public int MicroBatch { get; }

        /// <summary>Slot within the tier, for a tier above 0.</summary>
        public int Slot { get; }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("ProgramBuffer", "Bytes", Bytes, "Offset", Offset, "First", First, "Last", Last, "Index", Index,
                "Item", Item, "Tier", Tier, "Option", Option, "MicroBatch", MicroBatch, "Slot", Slot);
        }
    }

    /// <summary>One operation. Buffers are indices into the list of buffers; -1 for none.</summary>
    public sealed unsafe partial class ProgramOperation
    {
        internal ProgramOperation(ckpt_program_operation from)
        {
            Kind = (ActionKind)from.kind;
            Flags = (OperationFlag)from.flags;
            Layer = from.layer;
            Option = from.option;
            MicroBatch = from.micro_batch;
            Stream = from.stream;
            Transfer = from.transfer;
            Input = from.input;
            Output = from.output;
            Tape = from.tape;
            Workspace = from.workspace;
            GradOutput = from.grad_output;
            GradInput = from.grad_input;
            Ambient = from.ambient;
            PresentAmbient = from.present_ambient;
            Action = from.action;
        }

        internal static ProgramOperation Filled(Action<ckpt_program_operation> fill)
        {
            using (var from = new ckpt_program_operation())
            {
                fill(from);
                return new ProgramOperation(from);
            }
        }

        /// <summary>Kind of operation: <see cref="ActionKind.Forward"/>, _FORWARD_TAPE (with output), _RECORD, _BACKWARD, _TURN,
        /// _SEND, _RECEIVE, _STORE_BEGIN, _LOAD_BEGIN or _AWAIT.</summary>
        public ActionKind Kind { get; }

        /// <summary>Sum of <see cref="OperationFlag"/>.</summary>
        public OperationFlag Flags { get; }

        /// <summary>Layer that runs; or the index of the item that is moved.</summary>
        public long Layer { get; }

        /// <summary>Option of the layer that runs; or of a <see cref="Item.Tape"/> that is moved.</summary>
        public int Option { get; }

        /// <summary>Number of the micro-batch, from 0.</summary>
        public int MicroBatch { get; }

        /// <summary>Stream to which it is issued: 0 computes, 2 t - 1 writes to tier t, 2 t reads from it.</summary>
        public int Stream { get; }

        /// <summary>Id of the transfer, of <see cref="ActionKind.StoreBegin"/>, <see cref="ActionKind.LoadBegin"/> and
        /// <see cref="ActionKind.Await"/>.</summary>
        public long Transfer { get; }

        /// <summary>Buffer that is read: the layer's input, or the source of a copy; for a <see cref="ActionKind.Backward"/> if the
        /// layer needs it.</summary>
        public long Input { get; }

        /// <summary>Buffer that is written: the layer's output, or the target of a copy; a <see cref="ActionKind.Backward"/> reads
        /// it if the layer needs it.</summary>
        public long Output { get; }

        /// <summary>Buffer that a recording forward writes and a <see cref="ActionKind.Backward"/> reads.</summary>
        public long Tape { get; }

        /// <summary>Scratch buffer of the operation.</summary>
        public long Workspace { get; }

        /// <summary>Buffer of the output's gradient: <see cref="ActionKind.Backward"/> reads it, <see cref="ActionKind.Turn"/>
        /// writes it.</summary>
        public long GradOutput { get; }

        /// <summary>Buffer of the input's gradient, which a <see cref="ActionKind.Backward"/> writes.</summary>
        public long GradInput { get; }

        /// <summary>Buffer of the layer's ambient state: written by its first forward, read when it runs again.</summary>
        public long Ambient { get; }

        /// <summary>Buffer that keeps the current ambient state while the layer runs again.</summary>
        public long PresentAmbient { get; }

        /// <summary>Index of the schedule's action that contains the operation, from 0.</summary>
        public long Action { get; }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("ProgramOperation", "Kind", Kind, "Flags", Flags, "Layer", Layer, "Option", Option, "MicroBatch",
                MicroBatch, "Stream", Stream, "Transfer", Transfer, "Input", Input, "Output", Output, "Tape", Tape, "Workspace",
                Workspace, "GradOutput", GradOutput, "GradInput", GradInput, "Ambient", Ambient, "PresentAmbient",
                PresentAmbient, "Action", Action);
        }
    }
}
