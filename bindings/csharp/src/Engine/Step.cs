using System.Diagnostics.CodeAnalysis;

namespace Ckpt
{
    /// <summary>One step's data. Tensors are used in place, during the call only.</summary>
    public sealed class Step
    {
        /// <summary>A step.</summary>
        /// <param name="input">Of the executor's dtype and shape.</param>
        /// <param name="targets">What a loss layer compares with; null when none needs it.</param>
        public Step(Tensor input, [AllowNull] Tensor targets = null)
        {
            Input = input;
            Targets = targets;
        }

        /// <summary>What the chain reads.</summary>
        public Tensor Input { get; set; }

        /// <summary>What a loss layer compares with.</summary>
        [MaybeNull, AllowNull]
        public Tensor Targets { get; set; }

        /// <summary>The gradient of the output; null: 1, only for an output of one element.</summary>
        [MaybeNull, AllowNull]
        public Tensor OutputGradient { get; set; }

        /// <summary>Receives the output.</summary>
        [MaybeNull, AllowNull]
        public Tensor Output { get; set; }

        /// <summary>Receives the gradient of the input.</summary>
        [MaybeNull, AllowNull]
        public Tensor InputGradient { get; set; }

        /// <summary>Number of the step: keys dropout.</summary>
        public long Number { get; set; }

        /// <summary>Keys dropout.</summary>
        public ulong Seed { get; set; }

        /// <summary>Global number of the batch's first sample within the step.</summary>
        public long FirstSample { get; set; }

        /// <summary>False: gradients are set to 0 first; true: this step adds to them.</summary>
        public bool Accumulate { get; set; }

        internal Ckpt.Interop.ckpt_step Native()
        {
            var step = new Ckpt.Interop.ckpt_step();
            step.step = Number;
            step.seed = Seed;
            step.first_sample = FirstSample;
            step.input = NativeObject.HandleOf(Input);
            step.targets = NativeObject.HandleOf(Targets);
            step.output_gradient = NativeObject.HandleOf(OutputGradient);
            step.output = NativeObject.HandleOf(Output);
            step.input_gradient = NativeObject.HandleOf(InputGradient);
            step.accumulate = Accumulate ? 1 : 0;
            return step;
        }
    }
}
