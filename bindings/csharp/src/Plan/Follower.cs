using System;
using Ckpt.Interop;
using Ckpt.Strategies;

namespace Ckpt
{
    /// <summary>Follows a strategy that changes its mind: asks it again between steps, and lets it learn what executors with this
    /// follower run. Several threads may use it at once.</summary>
    public sealed class Follower : NativeObject
    {
        /// <summary>One that has not asked yet.</summary>
        /// <param name="profile">Of the chain; copied.</param>
        /// <param name="strategy">Kept alive.</param>
        public Follower(Profile profile, Strategy strategy) : base(Made(profile, strategy))
        {
        }

        private static NativeHandle Made(Profile profile, Strategy strategy)
        {
            IntPtr follower;
            native.ckpt_follower_create(HandleOf(profile), HandleOf(strategy), out follower);
            return new NativeHandle(follower, native.ckpt_follower_release);
        }

        /// <summary>The schedule of the next step: asks the strategy about each layer.</summary>
        /// <param name="changed">Whether it is another than the last one: only then is a new executor needed.</param>
        /// <returns>The schedule.</returns>
        public Schedule Next(out bool changed)
        {
            IntPtr schedule;
            int another;
            native.ckpt_follower_next(Handle, out schedule, out another);
            changed = another != 0;
            return Schedule.Owning(schedule);
        }
    }
}
