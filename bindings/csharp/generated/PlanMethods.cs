// Generated from include/ckpt by tools/api: do not edit.
using System;
using System.Collections.Generic;
using Ckpt.Interop;

namespace Ckpt
{
    public partial class Cursor
    {
        internal Cursor(NativeHandle handle) : base(handle)
        {
        }

        /// <summary>Creates a cursor at the schedule's first action. Keeps the schedule alive.</summary>
        public Cursor(Schedule schedule)
            : this(Created((out IntPtr created) =>
                native.ckpt_cursor_create(HandleOf(schedule), out created), native.ckpt_cursor_release))
        {
        }

        /// <summary>Sets the number of steps of an open-ended schedule to layerCount (&gt;= 1, and at least the number of steps
        /// that were already returned). <see cref="CkptStatus.InvalidState"/> when the number is known already.</summary>
        public void Finalize(long layerCount)
        {
            native.ckpt_cursor_finalize(Handle, layerCount);
        }
    }

    public partial class Follower
    {
        internal Follower(NativeHandle handle) : base(handle)
        {
        }

        /// <summary>Creates a follower of a strategy, which it keeps alive; the profile is copied. After its first schedule, only
        /// its steps adjust a memory-aware strategy, until it is released. <see cref="CkptStatus.InvalidState"/> for a profile
        /// without layers, or with a layer without an option.</summary>
        public Follower(Profile profile, ICheckpointStrategy strategy)
            : this(CreatedWith((CallMemory memory, out IntPtr created) =>
                native.ckpt_follower_create(HandleOf(profile), memory.Of(strategy), out created), native.ckpt_follower_release))
        {
        }
    }

    public unsafe partial class Profile
    {
        internal Profile(NativeHandle handle) : base(handle)
        {
        }

        /// <summary>Creates an empty profile of a chain with an input x_0 of inputBytes (&gt;= 0).</summary>
        public Profile(long inputBytes)
            : this(Created((out IntPtr created) =>
                native.ckpt_profile_create(inputBytes, out created), native.ckpt_profile_release))
        {
        }

        /// <summary>Creates the profile of a chain of layerCount (&gt;= 1) equal layers with one option: the steps of a
        /// time-stepping code. x_0 has the layer's <c>OutputBytes</c>, too, and every layer has the name "step". Needs the same
        /// small memory for any layerCount; no layers and options can be added to it
        /// (<see cref="CkptStatus.InvalidState"/>).</summary>
        public static Profile Uniform(long layerCount, LayerProfile layer, OptionProfile option)
        {
            return new Profile(CreatedWith((CallMemory memory, out IntPtr created) =>
                native.ckpt_profile_create_uniform(layerCount, LayerProfile.Native(Given(layer, "layer"), memory),
                    OptionProfile.Native(Given(option, "option"), memory), out created), native.ckpt_profile_release));
        }

        /// <summary>Creates a profile from the JSON of <c>Profile.Json</c>. <see cref="CkptStatus.Corrupt"/> for invalid JSON: the
        /// message names the error and its position.</summary>
        public static Profile FromJson(string json)
        {
            return new Profile(Created((out IntPtr created) =>
                native.ckpt_profile_create_from_json(json, out created), native.ckpt_profile_release));
        }

        /// <summary>Sets the properties of a tier (1 .. 3); the initial ones are those of a new
        /// <see cref="TierProfile"/>.</summary>
        public Profile SetTier(int tier, TierProfile tierProfile)
        {
            using (var memory = new CallMemory())
            {
                native.ckpt_profile_set_tier(Handle, tier, TierProfile.Native(tierProfile, memory));
                return this;
            }
        }

        /// <summary>Returns the properties of a tier (1 .. 3).</summary>
        public TierProfile GetTier(int tier)
        {
            return TierProfile.Filled(filled => native.ckpt_profile_get_tier(Handle, tier, filled));
        }

        /// <summary>Gets or sets the flags of <c>Profile.SetFlags</c>.</summary>
        public ProfileFlag Flags
        {
            get
            {
                uint value;
                native.ckpt_profile_get_flags(Handle, out value);
                return (ProfileFlag)value;
            }
            set
            {
                native.ckpt_profile_set_flags(Handle, (uint)value);
            }
        }

        /// <summary>Returns the number of layers.</summary>
        public long LayerCount
        {
            get
            {
                long value;
                native.ckpt_profile_get_layer_count(Handle, out value);
                return value;
            }
        }

        /// <summary>Returns the size of the chain's input x_0 in bytes.</summary>
        public long InputBytes
        {
            get
            {
                long value;
                native.ckpt_profile_get_input_bytes(Handle, out value);
                return value;
            }
        }

        /// <summary>Returns the properties of an option (0 .. option_count-1) of a layer.</summary>
        public OptionProfile GetOption(long layer, int option = 0)
        {
            return OptionProfile.Filled(filled => native.ckpt_profile_get_option(Handle, layer, option, filled));
        }

        /// <summary>Returns the profile as JSON, as docs/reference/plan.md describes it. Seconds are restored to the same
        /// bits.</summary>
        public string ToJson()
        {
            return native.ckpt_profile_get_json(Handle);
        }

        /// <summary>Computes the whole frontier of a planner in one run: returns the costs of its schedules, by increasing live
        /// bytes and decreasing step seconds (if the profile has no seconds, decreasing recomputed forwards). planner: "chain",
        /// "tapes" or "graph"; <see cref="CkptStatus.NotFound"/> for another name. A budget selects the fastest point with reserved
        /// bytes within it (for tapes: also points of chain). The smallest sufficient budget is the minimum of their reserved
        /// bytes. Every call computes the frontier again; only the requested points are placed, one after another. Above 128 layers
        /// (of a graph: 40) the result has some points of the frontier, all placed by each call, and a budget may find better
        /// schedules between them.</summary>
        public IReadOnlyList<FrontierPoint> GetFrontier(string planner)
        {
            return NativeList.Created(native.ckpt_profile_get_frontier(Handle, planner), at =>
                new FrontierPoint(new ckpt_frontier_point(at, false)));
        }

        /// <summary>Makes the chain a graph: sets the values that a layer (0 .. <c>LayerCount</c>-1) reads. inputs: inputs_count
        /// (&gt;= 1) different values, each 0 .. layer, that its forward reads, in any order; needed: needed_count (&gt;= 0) of
        /// them that its backward reads, which sets or clears the layer's flag NEEDS_INPUT. Layers without a call read as in a
        /// chain. <see cref="CkptStatus.OutOfRange"/> for another layer; <see cref="CkptStatus.InvalidArgument"/> for other values,
        /// and duplicates; <see cref="CkptStatus.InvalidState"/> for a uniform chain. Planners check the whole graph. They fail
        /// with <see cref="CkptStatus.InvalidArgument"/> if a value has no reader and is not an output, or if a layer with the flag
        /// NO_INPUT_GRADIENT reads another value than 0. They also fail if a layer with the flag IN_PLACE reads a value with
        /// another reader.</summary>
        public void SetInputs(long layer, long[] inputs, params long[] needed)
        {
            using (var memory = new CallMemory())
            {
                native.ckpt_profile_set_inputs(Handle, layer, memory.Of(Given(inputs, "inputs")), inputs.Length,
                    memory.Of(Given(needed, "needed")), needed.Length);
            }
        }

        /// <summary>Makes the chain a graph: sets the values (1 .. <c>LayerCount</c>, different, values_count &gt;= 1 of them) that
        /// <see cref="ActionKind.Turn"/> passes to the caller. The caller provides their gradients. Initially only the value of the
        /// last layer. <see cref="CkptStatus.InvalidArgument"/> for other values, <see cref="CkptStatus.InvalidState"/> for a
        /// uniform chain.</summary>
        public void SetOutputs(params long[] values)
        {
            using (var memory = new CallMemory())
            {
                native.ckpt_profile_set_outputs(Handle, memory.Of(Given(values, "values")), values.Length);
            }
        }
    }

    public unsafe partial class Schedule
    {
        /// <summary>Returns another reference to the same schedule, to be disposed of separately.</summary>
        public Schedule Share()
        {
            return new Schedule(Shared(Handle, native.ckpt_schedule_retain, native.ckpt_schedule_release));
        }

        /// <summary>Creates a schedule as periodic:SEGMENTS does, with segments that begin at the given layers: <c>BeginsCount</c>
        /// of them, strictly ascending, the first is 0.</summary>
        public static Schedule Segments(Profile profile, params long[] begins)
        {
            return new Schedule(CreatedWith((CallMemory memory, out IntPtr created) =>
                native.ckpt_schedule_create_segments(HandleOf(profile), memory.Of(Given(begins, "begins")), begins.Length,
                    out created), native.ckpt_schedule_release));
        }

        /// <summary>Creates a schedule from a strategy: asks it once per layer, in order, about each layer's output, and stores its
        /// answers. During this, its callbacks cannot add to the profile (<see cref="CkptStatus.InvalidState"/>). A chosen layer
        /// begins a segment (boundary) or is recomputed separately while all others record (recompute), as the strategy specifies.
        /// The schedule is independent of the strategy afterwards: <c>Follower.Next</c> asks again.
        /// <see cref="CkptStatus.Callback"/> if a custom strategy fails.</summary>
        public static Schedule FromStrategy(Profile profile, ICheckpointStrategy strategy)
        {
            return new Schedule(CreatedWith((CallMemory memory, out IntPtr created) =>
                native.ckpt_schedule_create_from_strategy(HandleOf(profile), memory.Of(strategy), out created),
                    native.ckpt_schedule_release));
        }

        /// <summary>Creates a schedule for a number of steps that is not known when the forward part begins: keeps the input of
        /// every period-th step (period &gt;= 1), or records every step (period 0). All layers have the given
        /// <see cref="LayerFlag"/> flags. Its cursors continue the forward part until <c>Cursor.Finalize</c>.</summary>
        public static Schedule OpenEnded(long period, LayerFlag flags = LayerFlag.NeedsInput | LayerFlag.Deterministic)
        {
            return new Schedule(Created((out IntPtr created) =>
                native.ckpt_schedule_create_open_ended(period, (uint)flags, out created), native.ckpt_schedule_release));
        }

        /// <summary>Returns the schedule's name for logs and tables, for example "store-all" or "periodic(4)".</summary>
        public string Name
        {
            get
            {
                IntPtr value;
                native.ckpt_schedule_get_name(Handle, out value);
                var text = Utf8.Text(value);
                GC.KeepAlive(this);
                return text;
            }
        }

        /// <summary>Returns the alternatives that the planner auto, chain or tapes did not consider for this schedule, with the
        /// reason, in one line; "" when nothing was left out, and for schedules of other planners.</summary>
        public string LeftOut
        {
            get
            {
                IntPtr value;
                native.ckpt_schedule_get_left_out(Handle, out value);
                var text = Utf8.Text(value);
                GC.KeepAlive(this);
                return text;
            }
        }

        /// <summary>Returns a hash of the schedule's name and actions: equal schedules have the same number, different ones almost
        /// certainly not. The same on machines of the same byte order.</summary>
        public ulong Fingerprint
        {
            get
            {
                ulong value;
                native.ckpt_schedule_get_fingerprint(Handle, out value);
                return value;
            }
        }

        /// <summary>Returns the number of layers of the chain that the schedule is for; 0 when open-ended.</summary>
        public long LayerCount
        {
            get
            {
                long value;
                native.ckpt_schedule_get_layer_count(Handle, out value);
                return value;
            }
        }

        /// <summary>Replays the schedule against the profile without running anything, and returns the report. Bytes of tier 0. x_0
        /// exists at the start. A layer that runs forward first allocates its output (an <see cref="Item.Input"/> or not), then its
        /// tape, then its ambient state, then its workspace, and runs; afterwards the workspace and the items that it ends are
        /// freed. So inside <see cref="ActionKind.Forward"/> [first, last) layer k &gt; first still holds x_k, which is not an
        /// item, and ends it; <see cref="ActionKind.ForwardTape"/> ends no item. A layer that runs backward first allocates
        /// <see cref="Item.Grad"/>(i), then its workspace; afterwards the workspace, the tape and <see cref="Item.Grad"/>(i+1) are
        /// freed. Ambient state is allocated at a layer's first forward and freed after its backward; a second one exists while the
        /// layer runs forward again. A buffer that is overwritten in place (<see cref="ActionKind.Advance"/>,
        /// <see cref="LayerFlag.InPlace"/>) counts the larger of both for the layer, with its workspace, and then the new one; a
        /// backward without a gradient of its input overwrites no buffer. An item may be dropped, or ended by
        /// <see cref="ActionKind.Backward"/>, while a <see cref="ActionKind.StoreBegin"/> copies it. It then counts until the
        /// <see cref="ActionKind.Await"/>, and once more if it is created again before that. A tier above 0 counts an item from its
        /// <see cref="ActionKind.StoreBegin"/> to the <see cref="ActionKind.Drop"/>. Items. An item exists from the action that
        /// creates it (for a copy into a tier or back: its <see cref="ActionKind.StoreBegin"/> or
        /// <see cref="ActionKind.LoadBegin"/>) to the action that ends it; an item that is overwritten in place ends when the other
        /// one begins. Time. Layers run one after another, for <c>ForwardSeconds</c>, <c>RecordSeconds</c>
        /// (<see cref="ActionKind.Record"/>, with <c>HasRecord</c>) or <c>BackwardSeconds</c>. Each tier has one queue of writes
        /// and one of reads: a copy begins when its <see cref="ActionKind.StoreBegin"/> or <see cref="ActionKind.LoadBegin"/> is
        /// reached and earlier copies in its queue have ended, and takes <c>LatencySeconds</c> + bytes / rate; an
        /// <see cref="ActionKind.Await"/> waits for its end. <see cref="CkptStatus.InvalidSchedule"/>, with a message that names
        /// the action's index, for an action (fields that its kind does not use are ignored, except <c>MicroBatch</c>, which is
        /// checked in every kind; a <see cref="ActionKind.Drop"/> of a tier above 0 uses only tier and slot) that - names layers
        /// beyond the chain or none, an option that a layer does not have, or an invalid item, tier or slot (&lt; 0); has a
        /// <c>MicroBatch</c> other than 0 (except in a pipeline's stage); runs more than one layer by
        /// <see cref="ActionKind.Record"/>; - needs or drops an item that does not exist or is still being loaded; creates one
        /// (<see cref="ActionKind.LoadBegin"/> does, too) that exists; - ends in place (<see cref="ActionKind.Advance"/>, or
        /// <see cref="ActionKind.Backward"/> of an in-place layer) an item that is being copied; - runs a layer forward again that
        /// is not deterministic; runs one backward a second time; runs one with ambient state forward after its backward; has a
        /// second <see cref="ActionKind.Turn"/>; sends or receives (except in a pipeline's stage); - begins a transfer with an id
        /// that is in use, or awaits one that is not; stores into an occupied slot, or loads from or drops an empty one; loads
        /// another item from a slot than it holds, or before its store was awaited; drops a slot during a transfer; exceeds the
        /// capacity of a tier; - ends the step before layer 0 ran backward, with a transfer in progress, an occupied slot, or any
        /// item other than <see cref="Item.Grad"/>(0). <see cref="CkptStatus.OutOfRange"/> if live bytes, or those copied into a
        /// tier or back from it, exceed 2^63 - 1, or the seconds of the step the range of a double. Streaming: memory use depends
        /// on the number of live items, not on the schedule's length. Open-ended schedules are replayed with the profile's
        /// length.</summary>
        public PlanReport Verify(Profile profile)
        {
            return PlanReport.Filled(filled => native.ckpt_schedule_verify(Handle, HandleOf(profile), filled));
        }

        /// <summary>Returns the bytes to reserve in a tier (0 .. 3). Tier 0, memory: assigns every buffer of the schedule an offset
        /// in one arena, a multiple of 64, and returns the arena's size. It is at least the peak live bytes; gaps between live
        /// buffers count. Streaming like the verifier: above some thousands of buffers they are placed in the order of time only,
        /// which may need more space than a placement by whole lifetimes. Higher tiers: each slot has the size of the longest item
        /// that it ever holds, rounded up to a multiple of 64. <see cref="CkptStatus.InvalidSchedule"/> as <c>Schedule.Verify</c>,
        /// <see cref="CkptStatus.OutOfRange"/> if the arena or the sum would exceed 2^63 - 1.</summary>
        public long ReservedBytes(Profile profile, int tier = 0)
        {
            long value;
            native.ckpt_schedule_place(Handle, HandleOf(profile), tier, out value);
            return value;
        }
    }
}
