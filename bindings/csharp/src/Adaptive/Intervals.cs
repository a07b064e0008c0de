using System;
using System.Diagnostics.CodeAnalysis;
using System.Linq;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Formulas for the time between two checkpoints. Seconds, above 0 and finite.</summary>
    public static unsafe class Intervals
    {
        private delegate void Formula(out double interval);

        private static double Seconds(Formula formula)
        {
            double interval;
            formula(out interval);
            return interval;
        }

        /// <summary>sqrt(2 C M). Young, CACM 17(9), 1974.</summary>
        /// <param name="costSeconds">Of a save.</param>
        /// <param name="mtbfSeconds">Mean time between failures.</param>
        /// <returns>Seconds of work.</returns>
        public static double Young(double costSeconds, double mtbfSeconds)
        {
            return Seconds((out double interval) => native.ckpt_interval_young(costSeconds, mtbfSeconds, out interval));
        }

        /// <summary>The same to a higher order. Daly, Future Generation Computer Systems 22(3), 2006.</summary>
        /// <param name="costSeconds">Of a save.</param>
        /// <param name="mtbfSeconds">Mean time between failures.</param>
        /// <returns>Seconds of work.</returns>
        public static double Daly(double costSeconds, double mtbfSeconds)
        {
            return Seconds((out double interval) => native.ckpt_interval_daly(costSeconds, mtbfSeconds, out interval));
        }

        /// <summary>The work at which the expected loss equals the expected cost, for exponential failures.</summary>
        /// <param name="costSeconds">Of a save.</param>
        /// <param name="mtbfSeconds">Mean time between failures.</param>
        /// <returns>Seconds of work.</returns>
        public static double ExpectedValue(double costSeconds, double mtbfSeconds)
        {
            return Seconds((out double interval) => native.ckpt_interval_expected_value(costSeconds, mtbfSeconds, out interval));
        }

        /// <summary>By the hazard of a Weibull law at an age.</summary>
        /// <param name="costSeconds">Of a save.</param>
        /// <param name="shape">Of the law.</param>
        /// <param name="scaleSeconds">Of the law.</param>
        /// <param name="ageSeconds">Since the last failure.</param>
        /// <returns>Seconds of work.</returns>
        public static double Weibull(double costSeconds, double shape, double scaleSeconds, double ageSeconds)
        {
            return Seconds((out double interval) => native.ckpt_interval_weibull(costSeconds, shape, scaleSeconds, ageSeconds,
                out interval));
        }

        /// <summary>Fits a Weibull law to gaps between failures by maximum likelihood.</summary>
        /// <param name="gapSeconds">At least two that ended in a failure.</param>
        /// <param name="failed">False: the gap ended without a failure. null: all failed.</param>
        /// <param name="scaleSeconds">Of the law.</param>
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
