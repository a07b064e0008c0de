using System;
using System.Diagnostics.CodeAnalysis;
using System.Linq;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Formulas for the time between two checkpoints, in seconds. Arguments are above 0 and finite.</summary>
    public static unsafe partial class Intervals
    {
        /// <summary>Fits a Weibull law to gaps between failures by maximum likelihood.</summary>
        /// <param name="gapSeconds">The gaps; at least two must have ended in a failure.</param>
        /// <param name="failed">False: the gap ended without a failure. null: all failed.</param>
        /// <param name="scaleSeconds">The scale of the law.</param>
        /// <returns>The shape, 0.2 .. 5.</returns>
        public static double FitWeibull(double[] gapSeconds, [AllowNull] bool[] failed, out double scaleSeconds)
        {
            if (gapSeconds == null) throw new ArgumentNullException("gapSeconds");
            var flags = failed == null ? new int[0] : failed.Select(flag => flag ? 1 : 0).ToArray();
            double shape;
            fixed (double* gaps = gapSeconds)
            fixed (int* marks = flags)
                native.ckpt_weibull_fit(gaps, gapSeconds.Length, marks, flags.Length, out shape, out scaleSeconds);
            return shape;
        }
    }
}
