using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using Ckpt.Interop;


namespace Ckpt
{
    /// <summary>An immutable recipe of actions for one step of training. Enumerating gives its actions, without ever holding them
    /// all. Several threads may use it at once.</summary>
    public sealed unsafe partial class Schedule : NativeObject, IEnumerable<ScheduleAction>
    {
        internal Schedule(NativeHandle handle) : base(handle)
        {
        }

        internal static Schedule Owning(IntPtr schedule)
        {
            return new Schedule(new NativeHandle(schedule, native.ckpt_schedule_release));
        }

        internal static Schedule Owned(Maker make)
        {
            return new Schedule(Made(make, native.ckpt_schedule_release));
        }

        /// <summary>By a planner: "store-all", "recompute-all", "periodic:4", "auto:64MiB", ...
        /// CkptOverBudgetException of budget gives the smallest one that works.</summary>
        /// <param name="profile">Of the chain.</param>
        /// <param name="planner">KnownPlanners lists them.</param>
        /// <returns>The schedule.</returns>
        public static Schedule Create(Profile profile, string planner)
        {
            return Owned((out IntPtr made) => native.ckpt_schedule_create(HandleOf(profile), planner, out made));
        }

        /// <summary>Each planner's form, what it makes, and the ranges of its values.</summary>
        public static IReadOnlyList<string> KnownPlanners
        {
            get { return native.ckpt_schedule_get_known_planners().Split('\n'); }
        }

        /// <summary>Like the planner "periodic", with segments that begin at the given layers.</summary>
        /// <param name="profile">Of the chain.</param>
        /// <param name="begins">Ascending; the first is 0.</param>
        /// <returns>The schedule.</returns>
        public static Schedule Segments(Profile profile, params long[] begins)
        {
            IntPtr made;
            fixed (long* first = begins) native.ckpt_schedule_create_segments(HandleOf(profile), first, begins.Length, out made);
            return Owning(made);
        }

        /// <summary>Asks the strategy once per layer and freezes its answers. CkptCallbackException when one of yours
        /// throws.</summary>
        /// <param name="profile">Of the chain.</param>
        /// <param name="strategy">Asked now; a Follower asks it again.</param>
        /// <returns>The schedule.</returns>
        public static Schedule FromStrategy(Profile profile, ICheckpointStrategy strategy)
        {
            using (var memory = new CallMemory())
                return Owned((out IntPtr made) => native.ckpt_schedule_create_from_strategy(HandleOf(profile), memory.Of(strategy),
                    out made));
        }

        /// <summary>For a number of steps that is not known yet: see Cursor.Finalize.</summary>
        /// <param name="period">Keeps the input of every so many-th step; 0 records every step.</param>
        /// <param name="layerFlags">Of all layers.</param>
        /// <returns>The schedule.</returns>
        public static Schedule OpenEnded(long period, LayerFlag layerFlags = LayerFlag.NeedsInput | LayerFlag.Deterministic)
        {
            return Owned((out IntPtr made) => native.ckpt_schedule_create_open_ended(period, (uint)layerFlags, out made));
        }

        /// <summary>From actions of your own; only their kinds are checked here: see Verify.</summary>
        /// <param name="layers">Of the chain.</param>
        /// <param name="actions">The last is End.</param>
        /// <returns>The schedule.</returns>
        public static Schedule FromActions(long layers, IEnumerable<ScheduleAction> actions)
        {
            var list = actions.ToArray();
            IntPtr made;
            fixed (ScheduleAction* first = list) native.ckpt_schedule_create_list(layers, (IntPtr)first, list.Length, out made);
            return Owning(made);
        }

        private string Borrowed(Getter<IntPtr> getter)
        {
            var text = Utf8.Text(Get(getter));
            GC.KeepAlive(this);
            return text;
        }

        /// <summary>Bytes that a machine must have: an arena with a place for every buffer.</summary>
        /// <param name="profile">Of the chain.</param>
        /// <returns>The bytes, at least the peak.</returns>
        public long ReservedBytes(Profile profile)
        {
            long reserved;
            native.ckpt_schedule_place(Handle, HandleOf(profile), out reserved);
            return reserved;
        }

        /// <summary>Bytes that a tier must have: a place for the longest item of each of its slots.</summary>
        /// <param name="profile">Of the chain.</param>
        /// <param name="tier">1 .. 3.</param>
        /// <returns>The bytes.</returns>
        public long ReservedBytes(Profile profile, int tier)
        {
            long reserved;
            native.ckpt_schedule_place_tier(Handle, HandleOf(profile), tier, out reserved);
            return reserved;
        }

        /// <summary>A cursor at the first action.</summary>
        /// <returns>The cursor.</returns>
        public Cursor GetCursor()
        {
            return new Cursor(this);
        }

        /// <summary>Another reference to the same schedule.</summary>
        /// <returns>The reference.</returns>
        public Schedule Share()
        {
            return new Schedule(Shared(Handle, native.ckpt_schedule_retain, native.ckpt_schedule_release));
        }

        /// <summary>The actions, End included.</summary>
        /// <returns>One after the other.</returns>
        public IEnumerator<ScheduleAction> GetEnumerator()
        {
            using (var cursor = new Cursor(this))
            {
                for (;;)
                {
                    var actions = cursor.NextMany(1024);
                    foreach (var action in actions) yield return action;
                    if (actions.Length < 1024) yield break;
                }
            }
        }

        IEnumerator IEnumerable.GetEnumerator()
        {
            return GetEnumerator();
        }
    }

    /// <summary>Follows a strategy that changes its mind: asks it again between steps, and lets it learn what executors with this
    /// follower run. Several threads may use it at once.</summary>
    public sealed class Follower : NativeObject
    {
        /// <summary>One that has not asked yet.</summary>
        /// <param name="profile">Of the chain; copied.</param>
        /// <param name="strategy">Kept alive.</param>
        public Follower(Profile profile, ICheckpointStrategy strategy) : base(Made(profile, strategy))
        {
        }

        private static NativeHandle Made(Profile profile, ICheckpointStrategy strategy)
        {
            using (var memory = new CallMemory())
                return Made((out IntPtr made) => native.ckpt_follower_create(HandleOf(profile), memory.Of(strategy), out made),
                    native.ckpt_follower_release);
        }

        /// <summary>The schedule of the next step: asks the strategy about each layer.</summary>
        /// <param name="changed">Whether it is another than the last one: only then is a new executor needed.</param>
        /// <returns>The schedule.</returns>
        public Schedule Next(out bool changed)
        {
            IntPtr schedule;
            int another;
            native.ckpt_follower_next(Handle, out schedule, out another);
            changed = another != 0;
            return Schedule.Owning(schedule);
        }
    }

    public partial struct ScheduleAction
    {
        /// <summary>The kind's name in the C API: "FORWARD", "DROP", ...</summary>
        public string KindName
        {
            get { return native.ckpt_action_kind_name(kind); }
        }
    }
}
