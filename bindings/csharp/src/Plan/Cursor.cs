using System;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>A position in a schedule, for programs that run its actions themselves. Use from one thread at a time.</summary>
    public sealed unsafe partial class Cursor : NativeObject
    {
        /// <summary>Returns the next action. After End it returns End again.</summary>
        /// <returns>The action.</returns>
        public ScheduleAction Next() => NativeList.Created(native.ckpt_cursor_next(Handle), at => *(ScheduleAction*)at)[0];

        /// <summary>Returns up to capacity next actions; none after End.</summary>
        /// <param name="capacity">At least 1.</param>
        /// <returns>The actions.</returns>
        public ScheduleAction[] NextMany(int capacity)
        {
            if (capacity < 1) throw new CkptInvalidArgumentException("capacity " + capacity + ": expected at least 1");
            return NativeList.Created(native.ckpt_cursor_next_many(Handle, capacity), at => *(ScheduleAction*)at);
        }

        /// <summary>Returns the position as bytes, for Restore in this or another process.</summary>
        /// <returns>The bytes.</returns>
        public byte[] Save() => NativeList.Bytes(native.ckpt_cursor_save(Handle));

        /// <summary>Moves to a saved position of an equal schedule. Throws CkptCorruptException for other bytes.</summary>
        /// <param name="place">The bytes from Save.</param>
        public void Restore(ReadOnlySpan<byte> place)
        {
            fixed (byte* bytes = &System.Runtime.InteropServices.MemoryMarshal.GetReference(place))
                native.ckpt_cursor_restore(Handle, (IntPtr)bytes, place.Length);
        }
    }
}
