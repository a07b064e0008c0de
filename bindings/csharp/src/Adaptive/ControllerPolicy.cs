using Ckpt.Interop;

namespace Ckpt.Adaptive
{
    /// <summary>How a controller finds the time between saves.</summary>
    public enum ControllerPolicy
    {
        /// <summary>Experts on the failure rate, weighed by what each would have cost so far.</summary>
        Auto = native.CKPT_POLICY_AUTO,
        /// <summary>The threshold rule on the last observed task.</summary>
        Threshold = native.CKPT_POLICY_THRESHOLD,
        /// <summary>Cost against expected loss, with the learned rate.</summary>
        ExpectedValue = native.CKPT_POLICY_EXPECTED_VALUE,
        /// <summary>Young's interval with a given MTBF and the measured cost.</summary>
        Young = native.CKPT_POLICY_YOUNG,
        /// <summary>Daly's interval, the same.</summary>
        Daly = native.CKPT_POLICY_DALY,
        /// <summary>Daly's interval for the mean of a Gamma posterior.</summary>
        Bayes = native.CKPT_POLICY_BAYES,
        /// <summary>By the hazard of a law fitted to the gaps so far.</summary>
        Weibull = native.CKPT_POLICY_WEIBULL,
        /// <summary>A given interval.</summary>
        Fixed = native.CKPT_POLICY_FIXED,
    }
}
