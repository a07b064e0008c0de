using System;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>The costs of a chain, for planning: bytes and seconds of every layer. Create it with Chain.Profile, or layer by
    /// layer, on one thread at a time.</summary>
    public sealed unsafe partial class Profile : NativeObject
    {
        /// <summary>Appends a layer.</summary>
        /// <param name="layer">The layer's properties.</param>
        /// <param name="options">Ways to run it; none: one of 0 bytes and 0 seconds.</param>
        /// <returns>This profile.</returns>
        public Profile AddLayer(LayerProfile layer, params OptionProfile[] options)
        {
            if (layer == null) throw new ArgumentNullException("layer");
            using (var memory = new CallMemory())
            {
                native.ckpt_profile_add_layer(Handle, layer.Name, LayerProfile.Native(layer, memory));
                foreach (var option in options.Length == 0 ? new[] { new OptionProfile() } : options)
                    native.ckpt_profile_add_option(Handle, OptionProfile.Native(option, memory));
            }
            return this;
        }

        /// <summary>Returns one layer.</summary>
        /// <param name="layer">0 .. LayerCount - 1.</param>
        /// <returns>The layer, with its name and the number of its options.</returns>
        public LayerProfile GetLayer(long layer)
        {
            var name = IntPtr.Zero;
            var optionCount = 0;
            var found = LayerProfile.Filled(one => native.ckpt_profile_get_layer(Handle, layer, one, out name, out optionCount));
            found.Name = Utf8.Text(name);
            found.OptionCount = optionCount;
            GC.KeepAlive(this);
            return found;
        }
    }

    public sealed unsafe partial class LayerProfile
    {
        /// <summary>The name of the layer, not blank.</summary>
        public string Name { get; set; } = "";

        /// <summary>Number of ways to run the layer, in the result of Profile.GetLayer.</summary>
        public int OptionCount { get; internal set; }
    }
}
