using System.Diagnostics.CodeAnalysis;

namespace Ckpt
{
    public sealed unsafe partial class Step
    {
        /// <summary>A step.</summary>
        /// <param name="input">What the chain reads.</param>
        /// <param name="targets">What a loss layer compares with; null when none needs it.</param>
        public Step(Tensor input, [AllowNull] Tensor targets = null)
        {
            Input = input;
            Targets = targets;
        }
    }
}
