using System;

namespace Ckpt.Interop
{
    internal sealed class SourceFunction : AsyncSource
    {
        private readonly CheckpointSource function;

        internal SourceFunction(CheckpointSource function)
        {
            this.function = function;
        }

        public override void read(string group, string name, long data, long offset, IntPtr buffer)
        {
            function(group, name, (IntPtr)data, offset, NativeBytes.Of(buffer));
        }
    }
}
