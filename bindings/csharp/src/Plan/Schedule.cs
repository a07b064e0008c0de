using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>An immutable list of actions for one step of training. Enumerating yields its actions, without ever holding them
    /// all. Several threads may use it at once.</summary>
    public sealed unsafe partial class Schedule : NativeObject, IEnumerable<ScheduleAction>
    {
        internal Schedule(NativeHandle handle) : base(handle) { }

        internal static Schedule Owning(IntPtr schedule)
            => new Schedule(new NativeHandle(schedule, native.ckpt_schedule_release));

        internal static Schedule Owned(Maker make) => new Schedule(Created(make, native.ckpt_schedule_release));

        /// <summary>Creates a schedule with a planner: "store-all", "recompute-all", "periodic:4", "auto:64MiB", ...
        /// The CkptOverBudgetException of a budget states the smallest one that works.</summary>
        /// <param name="profile">Profile of the chain.</param>
        /// <param name="planner">One of KnownPlanners.</param>
        public static Schedule Create(Profile profile, string planner)
            => Owned((out IntPtr created) => native.ckpt_schedule_create(HandleOf(profile), planner, out created));

        /// <summary>The form of each planner, with a description and the ranges of its values.</summary>
        public static IReadOnlyList<string> KnownPlanners => native.ckpt_schedule_get_known_planners().Split('\n');

        /// <summary>Creates a schedule from actions. Checks their kinds only; Verify checks everything.</summary>
        /// <param name="layers">Number of layers of the chain.</param>
        /// <param name="actions">The actions, the last of which is End.</param>
        public static Schedule FromActions(long layers, IEnumerable<ScheduleAction> actions)
        {
            var list = actions.ToArray();
            IntPtr created;
            fixed (ScheduleAction* first = list) native.ckpt_schedule_create_list(layers, (IntPtr)first, list.Length, out created);
            return Owning(created);
        }

        /// <summary>Returns a cursor at the first action.</summary>
        public Cursor GetCursor() => new Cursor(this);

        /// <summary>Enumerates the actions, including End.</summary>
        /// <returns>The enumerator.</returns>
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

    /// <summary>Follows a strategy that adapts: queries it again between steps, and passes on the measurements of executors that
    /// use this follower. Several threads may use it at once.</summary>
    public sealed partial class Follower : NativeObject
    {
        /// <summary>Returns the schedule of the next step: queries the strategy for each layer.</summary>
        /// <param name="changed">Whether it differs from the last one; only then a new executor is needed.</param>
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
