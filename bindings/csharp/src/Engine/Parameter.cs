namespace Ckpt
{
    /// <summary>A tensor of a chain or an optimizer by name; it shares their memory.</summary>
    public sealed class Parameter
    {
        internal Parameter(string name, Tensor value, Tensor gradient)
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
