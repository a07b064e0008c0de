using System;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>A place in a schedule, for those who run its actions themselves. One thread at a time.</summary>
    public sealed unsafe partial class Cursor : NativeObject
    {
        /// <summary>The next action. After End it is End again.</summary>
        /// <returns>The action.</returns>
        public ScheduleAction Next() => NativeList.Made(native.ckpt_cursor_next(Handle), at => *(ScheduleAction*)at)[0];

        /// <summary>Up to capacity next actions; none behind End.</summary>
        /// <param name="capacity">At least 1.</param>
        /// <returns>The actions.</returns>
        public ScheduleAction[] NextMany(int capacity)
        {
            if (capacity < 1) throw new CkptInvalidArgumentException("capacity is " + capacity + "; at least 1");
            return NativeList.Made(native.ckpt_cursor_next_many(Handle, capacity), at => *(ScheduleAction*)at);
        }

        /// <summary>The place as bytes, for Restore in this or another process.</summary>
        /// <returns>The bytes.</returns>
        public byte[] Save() => NativeList.Bytes(native.ckpt_cursor_save(Handle));

        /// <summary>Moves to a saved place of an equal schedule. CkptCorruptException for bytes that are none.</summary>
        /// <param name="place">From Save.</param>
        public void Restore(ReadOnlySpan<byte> place)
        {
            fixed (byte* bytes = &System.Runtime.InteropServices.MemoryMarshal.GetReference(place))
                native.ckpt_cursor_restore(Handle, (IntPtr)bytes, place.Length);
        }
    }
}
