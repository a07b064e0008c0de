using System;
using System.Runtime.InteropServices;
using Ckpt.Strategies;

namespace Ckpt.Interop
{
    internal sealed class StrategyCalls : StrategyFunctions
    {
        private readonly Func<StrategyQuestion, bool> onDecide;
        private readonly Action onReset;
        private readonly Action<string> onAccess;

        internal StrategyCalls(Func<StrategyQuestion, bool> onDecide, Action onReset, Action<string> onAccess)
        {
            this.onDecide = onDecide;
            this.onReset = onReset;
            this.onAccess = onAccess;
        }

        // ckpt_swig::Shape.
        [StructLayout(LayoutKind.Sequential)]
        private unsafe struct NativeShape
        {
            internal long* Lengths;
            internal long Rank;
        }

        public override unsafe bool decide(string layerName, int dtype, IntPtr shape, long bytes, long layerIndex)
        {
            var given = (NativeShape*)shape;
            var lengths = new long[given->Rank];
            for (var i = 0; i < lengths.Length; ++i) lengths[i] = given->Lengths[i];
            return onDecide(new StrategyQuestion(layerName, (DType)dtype, lengths, bytes, layerIndex));
        }

        public override void reset()
        {
            if (onReset != null) onReset();
        }

        public override void access(string layerName)
        {
            if (onAccess != null) onAccess(layerName);
        }
    }
}
