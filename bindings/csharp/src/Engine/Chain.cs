using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>A sequence of layers. Use from one thread at a time.</summary>
    public sealed unsafe partial class Chain : NativeObject
    {
        /// <summary>Creates a chain of these layers, which it keeps alive.</summary>
        /// <param name="layers">Each belongs to one chain at most.</param>
        public Chain(params Layer[] layers) : this(0, layers) { }

        /// <summary>Creates a piece of a longer chain.</summary>
        /// <param name="firstLayer">Global number of its first layer.</param>
        /// <param name="layers">Each belongs to one chain at most.</param>
        public Chain(long firstLayer, params Layer[] layers)
            : base(Created((out IntPtr created) => native.ckpt_chain_create(firstLayer, out created), native.ckpt_chain_release))
        {
            foreach (var layer in layers) Add(layer);
        }

        /// <summary>Appends layer i of a graph.</summary>
        /// <param name="layer">Belongs to no other chain; kept alive.</param>
        /// <param name="inputs">The values that it reads: value 0 is the input of the chain, value k+1 the output of layer
        /// k.</param>
        /// <returns>The chain.</returns>
        public Chain Add(Layer layer, params long[] inputs)
        {
            using (var memory = new CallMemory())
            {
                native.ckpt_chain_add_with_inputs(Handle, HandleOf(layer), memory.Of(Given(inputs, "inputs")), inputs.Length);
            }
            return this;
        }

        /// <summary>Returns the parameters of the built-in layers; their tensors share the chain's memory.</summary>
        /// <returns>All of them, in order.</returns>
        public IReadOnlyList<ChainParameter> Parameters()
        {
            var count = Get<long>(native.ckpt_chain_get_parameter_count);
            var parameters = new List<ChainParameter>();
            for (long i = 0; i < count; ++i)
            {
                IntPtr name, value, gradient;
                native.ckpt_chain_get_parameter(Handle, i, out name, out value, out gradient);
                parameters.Add(new ChainParameter(Utf8.Text(name), Tensor.Owning(value), Tensor.Owning(gradient)));
            }
            GC.KeepAlive(this);
            return parameters;
        }

        /// <summary>Returns the profile for planning, for inputs of this dtype and shape. Bytes are exact.</summary>
        /// <param name="input">Dtype and shape.</param>
        /// <param name="measuredSteps">Runs that time every layer; 0: seconds stay 0.</param>
        /// <param name="pool">Threads to use; null: as many as the process may use.</param>
        public Profile Profile(TensorSpec input, int measuredSteps = 0, [AllowNull] WorkerPool pool = null)
            => Ckpt.Profile.FromChain(this, input, measuredSteps, pool);

        /// <summary>Times every layer in steps of the whole chain. Needs the memory of storing everything; the chain accepts no
        /// further layers.</summary>
        /// <param name="step">The data of the steps.</param>
        /// <param name="measuredSteps">1 .. 32.</param>
        /// <param name="pool">Threads to use; null: as many as the process may use.</param>
        public Profile MeasuredProfile(Step step, int measuredSteps, [AllowNull] WorkerPool pool = null)
            => Ckpt.Profile.Measured(this, step, measuredSteps, pool);
    }

    /// <summary>A tensor of a chain or an optimizer by name; it shares their memory.</summary>
    public sealed class ChainParameter
    {
        internal ChainParameter(string name, Tensor value, Tensor gradient)
        {
            Name = name;
            Value = value;
            Gradient = gradient;
        }

        /// <summary>"layer.weight", ...</summary>
        public string Name { get; }

        /// <summary>Its value.</summary>
        public Tensor Value { get; }

        /// <summary>Its gradient.</summary>
        public Tensor Gradient { get; }
    }
}
