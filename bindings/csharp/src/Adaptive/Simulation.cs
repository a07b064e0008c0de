using System;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Failures replayed against policies, fixed intervals, Daly's interval, and one who knows the future. Done when it is
    /// made.</summary>
    public sealed partial class Simulation : NativeObject
    {
        /// <summary>Runs it. CkptInvalidArgumentException names what is wrong, also the line of a trace.</summary>
        /// <param name="options">Has a trace or a law.</param>
        public Simulation(SimulationOptions options) : base(Made(options))
        {
        }

        private static NativeHandle Made(SimulationOptions options)
        {
            if (options == null) throw new ArgumentNullException("options");
            using (var memory = new CallMemory())
                return Made((out IntPtr made) => native.ckpt_simulation_create(SimulationOptions.Native(options, memory), out made),
                    native.ckpt_simulation_release);
        }

    }
}
