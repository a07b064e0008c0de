using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using Ckpt.Interop;
using Ckpt.Strategies;

namespace Ckpt
{
    /// <summary>An immutable recipe of actions for one step of training. Enumerating gives its actions, without ever holding them
    /// all. Several threads may use it at once.</summary>
    public sealed unsafe class Schedule : NativeObject, IEnumerable<ScheduleAction>
    {
        private delegate void Make(out IntPtr schedule);

        internal Schedule(NativeHandle handle) : base(handle)
        {
        }

        internal static Schedule Owning(IntPtr schedule)
        {
            return new Schedule(new NativeHandle(schedule, native.ckpt_schedule_release));
        }

        private static Schedule Made(Make make)
        {
            IntPtr schedule;
            make(out schedule);
            return Owning(schedule);
        }

        /// <summary>By a planner: "store-all", "recompute-all", "periodic:4", "budget:64MiB", ...
        /// CheckpointOverBudgetException of budget gives the smallest one that works.</summary>
        /// <param name="profile">Of the chain.</param>
        /// <param name="planner">KnownPlanners lists them.</param>
        /// <returns>The schedule.</returns>
        public static Schedule Create(Profile profile, string planner)
        {
            return Made((out IntPtr made) => native.ckpt_schedule_create(HandleOf(profile), planner, out made));
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

        /// <summary>Asks the strategy once per layer and freezes its answers. CheckpointCallbackException when one of yours
        /// throws.</summary>
        /// <param name="profile">Of the chain.</param>
        /// <param name="strategy">Asked now; a Follower asks it again.</param>
        /// <returns>The schedule.</returns>
        public static Schedule FromStrategy(Profile profile, Strategy strategy)
        {
            return Made((out IntPtr made) => native.ckpt_schedule_create_from_strategy(HandleOf(profile), HandleOf(strategy),
                out made));
        }

        /// <summary>For a number of steps that is not known yet: see Cursor.Finalize.</summary>
        /// <param name="period">Keeps the input of every so many-th step; 0 records every step.</param>
        /// <param name="layerFlags">Of all layers.</param>
        /// <returns>The schedule.</returns>
        public static Schedule OpenEnded(long period, LayerFlags layerFlags = LayerFlags.Default)
        {
            return Made((out IntPtr made) => native.ckpt_schedule_create_open_ended(period, (uint)layerFlags, out made));
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

        /// <summary>"store-all", "periodic(4)", ...</summary>
        public string Name
        {
            get { return native.ckpt_schedule_get_name(Handle); }
        }

        /// <summary>What the planner "budget" did not look at when it chose this schedule, and why; "" when nothing was left out.</summary>
        public string LeftOut
        {
            get { return native.ckpt_schedule_get_left_out(Handle); }
        }

        /// <summary>A number that equal recipes share and different ones practically never.</summary>
        public ulong Fingerprint
        {
            get
            {
                ulong fingerprint;
                native.ckpt_schedule_get_fingerprint(Handle, out fingerprint);
                return fingerprint;
            }
        }

        /// <summary>Layers of the chain; null when open-ended.</summary>
        public long? Layers
        {
            get
            {
                long layers;
                native.ckpt_schedule_get_layer_count(Handle, out layers);
                return layers < 0 ? (long?)null : layers;
            }
        }

        /// <summary>Replays the schedule without running anything. CheckpointInvalidScheduleException names the action that breaks
        /// a rule.</summary>
        /// <param name="profile">Of the chain.</param>
        /// <returns>What it costs.</returns>
        public PlanReport Verify(Profile profile)
        {
            using (var report = new ckpt_plan_report())
            {
                native.ckpt_schedule_verify(Handle, HandleOf(profile), report);
                return new PlanReport(report);
            }
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
}
