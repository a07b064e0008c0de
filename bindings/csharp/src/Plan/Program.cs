using System;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>A placed schedule: every buffer with its place in one arena, every operation in its order. For those who run schedules
    /// on memory of their own; docs/guests.md says how. Immutable.</summary>
    public sealed unsafe partial class Program : NativeObject
    {
        /// <summary>The program of a schedule on a chain's profile; neither is needed afterwards.</summary>
        /// <param name="schedule">That is placed.</param>
        /// <param name="profile">Of the chain.</param>
        public Program(Schedule schedule, Profile profile) : base(Made(schedule, profile))
        {
        }

        private static NativeHandle Made(Schedule schedule, Profile profile)
        {
            return Made((out IntPtr made) => native.ckpt_program_create(HandleOf(schedule), HandleOf(profile), out made),
                        native.ckpt_program_release);
        }

        /// <summary>Size of a tier's arena, which must begin at a multiple of 64 bytes.</summary>
        /// <param name="tier">0: memory; 1 .. 3 slower places.</param>
        /// <returns>Bytes.</returns>
        public long GetArenaBytes(int tier = 0)
        {
            long bytes;
            native.ckpt_program_get_arena_bytes(Handle, tier, out bytes);
            return bytes;
        }

        /// <summary>The buffers, which operations name by their numbers.</summary>
        /// <returns>All of them.</returns>
        public ProgramBuffer[] GetBuffers()
        {
            return NativeList.Made(native.ckpt_program_get_buffers(Handle),
                at => new ProgramBuffer(new ckpt_program_buffer(at, false)));
        }

        /// <summary>The operations, in the order of issue.</summary>
        /// <returns>All of them.</returns>
        public ProgramOperation[] GetOperations()
        {
            return NativeList.Made(native.ckpt_program_get_operations(Handle),
                at => new ProgramOperation(new ckpt_program_operation(at, false)));
        }

    }
}
