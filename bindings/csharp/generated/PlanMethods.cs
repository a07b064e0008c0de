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
            : this(Made((out IntPtr made) =>
                native.ckpt_cursor_create(HandleOf(schedule), out made), native.ckpt_cursor_release))
        {
        }

        /// <summary>Sets the number of steps of an open-ended schedule to n (n &gt;= the steps that were already returned, n &gt;=
        /// 1). Once. <see cref="CkptStatus.InvalidState"/> when the number is known already.</summary>
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

        /// <summary>Creates a follower of a strategy, which it keeps alive; the profile is copied. Once it has been asked for a
        /// schedule, only its steps adjust a memory-aware strategy, until it is released. <see cref="CkptStatus.InvalidState"/> for
        /// a profile without layers, or with a layer that has no option.</summary>
        public Follower(Profile profile, ICheckpointStrategy strategy)
            : this(MadeWith((CallMemory memory, out IntPtr made) =>
                native.ckpt_follower_create(HandleOf(profile), memory.Of(strategy), out made), native.ckpt_follower_release))
        {
        }
    }

    public partial class Profile
    {
        internal Profile(NativeHandle handle) : base(handle)
        {
        }

        /// <summary>Creates an empty profile of a chain whose input x_0 has inputBytes (&gt;= 0).</summary>
        public Profile(long inputBytes)
            : this(Made((out IntPtr made) => native.ckpt_profile_create(inputBytes, out made), native.ckpt_profile_release))
        {
        }

        /// <summary>Creates the profile of a chain of layerCount (&gt;= 1) like layers with one option: the steps of a
        /// time-stepping code. x_0 has the layer's <c>OutputBytes</c> too, and every layer is called "step". Takes the same little
        /// memory for any layerCount; what was created so takes no further layers and options
        /// (<see cref="CkptStatus.InvalidState"/>).</summary>
        public static Profile Uniform(long layerCount, LayerProfile layer, OptionProfile option)
        {
            return new Profile(MadeWith((CallMemory memory, out IntPtr made) =>
                native.ckpt_profile_create_uniform(layerCount, LayerProfile.Native(Given(layer, "layer"), memory),
                    OptionProfile.Native(Given(option, "option"), memory), out made), native.ckpt_profile_release));
        }

        /// <summary>Creates the profile that <c>Profile.Json</c> wrote. <see cref="CkptStatus.Corrupt"/> for a text that is none:
        /// the message says what is wrong, and where.</summary>
        public static Profile FromJson(string json)
        {
            return new Profile(Made((out IntPtr made) =>
                native.ckpt_profile_create_from_json(json, out made), native.ckpt_profile_release));
        }

        /// <summary>Says what a tier (1 .. 3) can do; until then it is as a new <see cref="TierProfile"/> says.</summary>
        public Profile SetTier(int tier, TierProfile tierProfile)
        {
            using (var memory = new CallMemory())
            {
                native.ckpt_profile_set_tier(Handle, tier, TierProfile.Native(tierProfile, memory));
                return this;
            }
        }

        /// <summary>Returns what is known of a tier (1 .. 3).</summary>
        public TierProfile GetTier(int tier)
        {
            return TierProfile.Filled(filled => native.ckpt_profile_get_tier(Handle, tier, filled));
        }

        /// <summary>Gets or sets what <c>Profile.SetFlags</c> set.</summary>
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

        /// <summary>Returns the bytes of the chain's input x_0.</summary>
        public long InputBytes
        {
            get
            {
                long value;
                native.ckpt_profile_get_input_bytes(Handle, out value);
                return value;
            }
        }

        /// <summary>Returns what was added as option (0 .. option_count-1) of layer.</summary>
        public OptionProfile GetOption(long layer, int option = 0)
        {
            return OptionProfile.Filled(filled => native.ckpt_profile_get_option(Handle, layer, option, filled));
        }

        /// <summary>Returns the profile as JSON, as docs/reference/plan.md describes it: seconds read back to the same
        /// bits.</summary>
        public string ToJson()
        {
            return native.ckpt_profile_get_json(Handle);
        }

        /// <summary>Makes the whole frontier of a planner in one run: returns what its schedules cost, by rising live bytes and
        /// falling step seconds (where the profile has no seconds at all, falling recomputed forwards). planner: "chain" or
        /// "tapes"; <see cref="CkptStatus.NotFound"/> for another name. A budget takes the fastest point whose reserved bytes fit,
        /// a budget of tapes also one of chain's, and the smallest budget that works is the least of them. Every call computes
        /// anew; the points are placed, one after another, as far as they are asked for. Beyond 128 layers there are some points of
        /// the frontier, all placed by each call, and a budget may find better ones between them.</summary>
        public IReadOnlyList<FrontierPoint> GetFrontier(string planner)
        {
            return NativeList.Made(native.ckpt_profile_get_frontier(Handle, planner), at =>
                new FrontierPoint(new ckpt_frontier_point(at, false)));
        }
    }

    public unsafe partial class Schedule
    {
        /// <summary>Returns another reference to the same schedule, to be disposed of by itself.</summary>
        public Schedule Share()
        {
            return new Schedule(Shared(Handle, native.ckpt_schedule_retain, native.ckpt_schedule_release));
        }

        /// <summary>Creates a schedule as periodic:SEGMENTS does, with segments that begin at the given layers: <c>BeginsCount</c>
        /// of them, strictly ascending, the first is 0.</summary>
        public static Schedule Segments(Profile profile, params long[] begins)
        {
            return new Schedule(MadeWith((CallMemory memory, out IntPtr made) =>
                native.ckpt_schedule_create_segments(HandleOf(profile), memory.Of(Given(begins, "begins")), begins.Length,
                    out made), native.ckpt_schedule_release));
        }

        /// <summary>Creates a schedule from a strategy: asks it once per layer, in order, about each layer's output, and freezes
        /// its answers. Meanwhile its callbacks can add nothing to the profile (<see cref="CkptStatus.InvalidState"/>). A chosen
        /// layer begins a segment (boundary) or is recomputed alone while all others record (recompute), as the strategy says. The
        /// schedule knows nothing of the strategy afterwards: <c>Follower.Next</c> asks again. <see cref="CkptStatus.Callback"/>
        /// when a custom one fails.</summary>
        public static Schedule FromStrategy(Profile profile, ICheckpointStrategy strategy)
        {
            return new Schedule(MadeWith((CallMemory memory, out IntPtr made) =>
                native.ckpt_schedule_create_from_strategy(HandleOf(profile), memory.Of(strategy), out made),
                    native.ckpt_schedule_release));
        }

        /// <summary>Creates a schedule for a number of steps that is not known when the forward part begins: keeps the input of
        /// every period-th step (period &gt;= 1), or records every step (period 0). All layers have the given
        /// <see cref="LayerFlag"/> flags. Its cursors go on forward until <c>Cursor.Finalize</c>.</summary>
        public static Schedule OpenEnded(long period, LayerFlag flags = LayerFlag.NeedsInput | LayerFlag.Deterministic)
        {
            return new Schedule(Made((out IntPtr made) =>
                native.ckpt_schedule_create_open_ended(period, (uint)flags, out made), native.ckpt_schedule_release));
        }

        /// <summary>Returns the schedule's name for logs and tables: "store-all", "periodic(4)", ...; it lives as long as the
        /// schedule.</summary>
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

        /// <summary>Returns what the planner auto, chain or tapes did not look at when it chose this schedule, and why, in one
        /// line; "" when nothing was left out, and when the schedule was made otherwise. It lives as long as the
        /// schedule.</summary>
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

        /// <summary>Returns a number that equal recipes of the same name share and different ones practically never. The same on
        /// machines of the same byte order.</summary>
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

        /// <summary>Replays the schedule against the profile without running anything, and fills report. Bytes of tier 0. x_0 is
        /// there at the start. A layer that runs forward first makes its output (<see cref="Item.Input"/> or not), then its tape,
        /// then what it needs of ambient state, then its workspace, and runs; then the workspace goes, and what it ends. So inside
        /// <see cref="ActionKind.Forward"/> [first, last) layer k &gt; first still has x_k, which is no item, and ends it;
        /// <see cref="ActionKind.ForwardTape"/> ends nothing. A layer that runs backward first makes <see cref="Item.Grad"/>(i),
        /// then its workspace; then the workspace, the tape and <see cref="Item.Grad"/>(i+1) go. Ambient state is made at a layer's
        /// first forward and goes behind its backward; a second one is there while the layer runs forward again. A buffer that is
        /// overwritten in place (<see cref="ActionKind.Advance"/>, <see cref="LayerFlag.InPlace"/>) counts the larger of both for
        /// the layer, with its workspace, and then the new one; a backward that makes no gradient of its input overwrites nothing.
        /// An item that is dropped, or that <see cref="ActionKind.Backward"/> ends, while a <see cref="ActionKind.StoreBegin"/>
        /// copies it counts until the <see cref="ActionKind.Await"/>, and once more where it is made again meanwhile. A tier above
        /// 0 counts an item from its <see cref="ActionKind.StoreBegin"/> to the <see cref="ActionKind.Drop"/>. Items. An item is
        /// there from what makes it (of a copy into a tier or back: its <see cref="ActionKind.StoreBegin"/> or
        /// <see cref="ActionKind.LoadBegin"/>) to what ends it; one that is overwritten in place is not there any more when the
        /// other one is. Time. Layers run one after another, for <c>ForwardSeconds</c>, <c>RecordSeconds</c>
        /// (<see cref="ActionKind.Record"/>, with <c>HasRecord</c>) or <c>BackwardSeconds</c>. Each tier has one queue of writes
        /// and one of reads: a copy begins when its <see cref="ActionKind.StoreBegin"/> or <see cref="ActionKind.LoadBegin"/> is
        /// met and those before it in its queue have ended, and takes <c>LatencySeconds</c> + bytes / rate; an
        /// <see cref="ActionKind.Await"/> waits for its end. <see cref="CkptStatus.InvalidSchedule"/>, and the message names the
        /// action's index, for an action (fields that its kind does not use are not looked at; <c>MicroBatch</c> is, in every kind;
        /// a <see cref="ActionKind.Drop"/> of a tier above 0 uses tier and slot alone) that - names layers beyond the chain or
        /// none, an option that a layer does not have, an item, tier or slot (&lt; 0) that cannot be; has another <c>MicroBatch</c>
        /// than 0 (but for a stage); runs more than one layer by <see cref="ActionKind.Record"/>; - needs or drops an item that is
        /// not there or is still being loaded; makes one (<see cref="ActionKind.LoadBegin"/> does, too) that is there; - ends in
        /// place (<see cref="ActionKind.Advance"/>, or <see cref="ActionKind.Backward"/> of an in-place layer) an item that is
        /// being copied; - runs a layer forward again that is not deterministic; runs one backward a second time; runs one with
        /// ambient state forward behind its backward; turns a second time; sends or receives (but for a stage); - begins a transfer
        /// under an id that is under way, or awaits one that is not; stores into a slot that is taken, or loads from or drops one
        /// that is empty; loads from a slot another item than it holds, or before its store was awaited; drops one in transfer;
        /// holds more in a tier than its capacity; - ends the step before layer 0 ran backward, with a transfer under way, a slot
        /// taken, or any other item than <see cref="Item.Grad"/>(0) left. <see cref="CkptStatus.OutOfRange"/> when live bytes, or
        /// those copied into a tier or back from it, pass 2^63 - 1. Streams: takes memory for what is live, not for the schedule's
        /// length. Open-ended schedules are replayed with the profile's length.</summary>
        public PlanReport Verify(Profile profile)
        {
            return PlanReport.Filled(filled => native.ckpt_schedule_verify(Handle, HandleOf(profile), filled));
        }

        /// <summary>Assigns every buffer of the schedule an offset in one arena; returns the arena's size: the reserved bytes that
        /// a machine must have, at least the peak live bytes (offsets are multiples of 64; gaps between live buffers count).
        /// Streams like the verifier: past some thousands of buffers they are placed in the order of time alone, which may need
        /// more room than looking at whole lives. <see cref="CkptStatus.InvalidSchedule"/> as <c>Schedule.Verify</c>,
        /// <see cref="CkptStatus.OutOfRange"/> when the arena would pass 2^63 - 1.</summary>
        public long ReservedBytes(Profile profile)
        {
            long value;
            native.ckpt_schedule_place(Handle, HandleOf(profile), out value);
            return value;
        }

        /// <summary>Returns what a tier (1 .. 3) must have: each of the tier's slots is as long as the longest item that it ever
        /// holds, rounded up to 64. <see cref="CkptStatus.InvalidSchedule"/> as <c>Schedule.Verify</c>,
        /// <see cref="CkptStatus.OutOfRange"/> when the sum would pass 2^63 - 1.</summary>
        public long ReservedBytes(Profile profile, int tier)
        {
            long value;
            native.ckpt_schedule_place_tier(Handle, HandleOf(profile), tier, out value);
            return value;
        }
    }
}
