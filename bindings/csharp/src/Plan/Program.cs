using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>A placed schedule: every buffer with its place in one arena, every operation in its order. For those who run schedules
    /// on memory of their own; docs/how-to/bring-your-own-framework.md says how. Immutable.</summary>
    public sealed unsafe partial class Program : NativeObject
    {
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
