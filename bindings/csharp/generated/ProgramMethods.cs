// Generated from include/ckpt by tools/api: do not edit.
using Ckpt.Interop;

namespace Ckpt
{
    public partial class Program
    {
        /// <summary>Returns the program as JSON, as docs/guests.md describes it.</summary>
        public string ToJson()
        {
            return native.ckpt_program_get_json(Handle);
        }
    }
}
