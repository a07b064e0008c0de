using System.Diagnostics.CodeAnalysis;

namespace Ckpt
{
    public sealed unsafe partial class Step
    {
        /// <summary>Creates the data of a step.</summary>
        /// <param name="input">The input of the chain.</param>
        /// <param name="targets">The targets of a loss layer; null when no layer needs them.</param>
        public Step(Tensor input, [AllowNull] Tensor targets = null)
        {
            Input = input;
            Targets = targets;
        }
    }
}
