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
        internal Schedule(NativeHandle handle) : base(handle) { }

        internal static Schedule Owning(IntPtr schedule)
            => new Schedule(new NativeHandle(schedule, native.ckpt_schedule_release));

        internal static Schedule Owned(Maker make) => new Schedule(Made(make, native.ckpt_schedule_release));

        /// <summary>By a planner: "store-all", "recompute-all", "periodic:4", "auto:64MiB", ...
        /// CkptOverBudgetException of budget gives the smallest one that works.</summary>
        /// <param name="profile">Of the chain.</param>
        /// <param name="planner">KnownPlanners lists them.</param>
        public static Schedule Create(Profile profile, string planner)
            => Owned((out IntPtr made) => native.ckpt_schedule_create(HandleOf(profile), planner, out made));

        /// <summary>Each planner's form, what it makes, and the ranges of its values.</summary>
        public static IReadOnlyList<string> KnownPlanners => native.ckpt_schedule_get_known_planners().Split('\n');

        /// <summary>From actions of your own; only their kinds are checked here: see Verify.</summary>
        /// <param name="layers">Of the chain.</param>
        /// <param name="actions">The last is End.</param>
        public static Schedule FromActions(long layers, IEnumerable<ScheduleAction> actions)
        {
            var list = actions.ToArray();
            IntPtr made;
            fixed (ScheduleAction* first = list) native.ckpt_schedule_create_list(layers, (IntPtr)first, list.Length, out made);
            return Owning(made);
        }

        /// <summary>A cursor at the first action.</summary>
        public Cursor GetCursor() => new Cursor(this);

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
    public sealed partial class Follower : NativeObject
    {
        /// <summary>The schedule of the next step: asks the strategy about each layer.</summary>
        /// <param name="changed">Whether it is another than the last one: only then is a new executor needed.</param>
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
        public string KindName => native.ckpt_action_kind_name(kind);
    }
}
