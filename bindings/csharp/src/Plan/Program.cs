using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>A placed schedule: every buffer with its offset in one arena, all operations in order. For programs that run
    /// schedules in their own memory; see docs/how-to/bring-your-own-framework.md. Immutable.</summary>
    public sealed unsafe partial class Program : NativeObject
    {
        /// <summary>Returns the buffers, to which operations refer by number.</summary>
        /// <returns>All of them.</returns>
        public ProgramBuffer[] GetBuffers()
        {
            return NativeList.Created(native.ckpt_program_get_buffers(Handle),
                at => new ProgramBuffer(new ckpt_program_buffer(at, false)));
        }

        /// <summary>Returns the operations, in the order of issue.</summary>
        /// <returns>All of them.</returns>
        public ProgramOperation[] GetOperations()
        {
            return NativeList.Created(native.ckpt_program_get_operations(Handle),
                at => new ProgramOperation(new ckpt_program_operation(at, false)));
        }
    }
}
