// Generated from include/ckpt by tools/api: do not edit.
using System;
using Ckpt.Interop;

namespace Ckpt
{
    public partial class Program
    {
        internal Program(NativeHandle handle) : base(handle)
        {
        }

        /// <summary>Creates the program of a schedule on a chain's profile; neither is needed afterwards. Offsets are the same as
        /// in a <see cref="ScheduleExecutor"/>: arenas are as large as <c>Schedule.ReservedBytes</c> reports.
        /// <see cref="CkptStatus.InvalidSchedule"/> as <c>Schedule.Verify</c>, <see cref="CkptStatus.OutOfRange"/> above 2^22
        /// operations.</summary>
        public Program(Schedule schedule, Profile profile)
            : this(Created((out IntPtr created) =>
                native.ckpt_program_create(HandleOf(schedule), HandleOf(profile), out created), native.ckpt_program_release))
        {
        }

        /// <summary>Returns the size of a tier's arena (0 .. 3); it must begin at a multiple of 64 bytes.</summary>
        public long GetArenaBytes(int tier = 0)
        {
            long value;
            native.ckpt_program_get_arena_bytes(Handle, tier, out value);
            return value;
        }

        /// <summary>Returns the program as JSON, as docs/how-to/bring-your-own-framework.md describes it.</summary>
        public string ToJson()
        {
            return native.ckpt_program_get_json(Handle);
        }
    }
}
