using System;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>What planning must know of a chain: bytes and seconds of every layer. Chain.Profile makes one; or build it layer by
    /// layer, on one thread at a time.</summary>
    public sealed unsafe class Profile : NativeObject
    {
        /// <summary>An empty profile.</summary>
        /// <param name="inputBytes">Of the chain's input, at least 0.</param>
        public Profile(long inputBytes) : this(Made(inputBytes))
        {
        }

        internal Profile(NativeHandle handle) : base(handle)
        {
        }

        internal static Profile Owning(IntPtr profile)
        {
            return new Profile(new NativeHandle(profile, native.ckpt_profile_release));
        }

        private static NativeHandle Made(long inputBytes)
        {
            IntPtr profile;
            native.ckpt_profile_create(inputBytes, out profile);
            return new NativeHandle(profile, native.ckpt_profile_release);
        }

        /// <summary>Appends a layer.</summary>
        /// <param name="layer">What it is.</param>
        /// <param name="options">Ways to run it; none: one of 0 bytes and 0 seconds.</param>
        /// <returns>This profile.</returns>
        public Profile AddLayer(LayerProfile layer, params OptionProfile[] options)
        {
            if (layer == null) throw new ArgumentNullException("layer");
            using (var made = new ckpt_layer_profile())
            {
                made.flags = (uint)layer.Flags;
                made.output_bytes = layer.OutputBytes;
                made.ambient_bytes = layer.AmbientBytes;
                if (layer.Output != null)
                {
                    var spec = layer.Output.Native;
                    made.dtype = spec.DType;
                    made.ndim = spec.Rank;
                    made.shape = spec.Shape;
                }
                native.ckpt_profile_add_layer(Handle, layer.Name, made);
            }
            foreach (var option in options.Length == 0 ? new[] { new OptionProfile() } : options)
            {
                using (var made = new ckpt_option_profile())
                {
                    made.tape_bytes = option.TapeBytes;
                    made.forward_workspace_bytes = option.ForwardWorkspaceBytes;
                    made.backward_workspace_bytes = option.BackwardWorkspaceBytes;
                    made.forward_seconds = option.ForwardSeconds;
                    made.backward_seconds = option.BackwardSeconds;
                    native.ckpt_profile_add_option(Handle, made);
                }
            }
            return this;
        }

        /// <summary>Number of layers.</summary>
        public long Layers
        {
            get
            {
                long layers;
                native.ckpt_profile_get_layer_count(Handle, out layers);
                return layers;
            }
        }

        /// <summary>Bytes of the chain's input.</summary>
        public long InputBytes
        {
            get
            {
                long bytes;
                native.ckpt_profile_get_input_bytes(Handle, out bytes);
                return bytes;
            }
        }

        /// <summary>What was added as a layer.</summary>
        /// <param name="layer">0 .. Layers - 1.</param>
        /// <returns>The layer.</returns>
        public LayerProfile Layer(long layer)
        {
            using (var found = new ckpt_layer_profile())
            {
                IntPtr name;
                int options;
                native.ckpt_profile_get_layer(Handle, layer, found, out name, out options);
                var made = new LayerProfile(Utf8.Text(name), options, found);
                GC.KeepAlive(this);
                return made;
            }
        }

        /// <summary>What was added as an option of a layer.</summary>
        /// <param name="layer">0 .. Layers - 1.</param>
        /// <param name="option">0 .. the layer's options - 1.</param>
        /// <returns>The option.</returns>
        public OptionProfile Option(long layer, int option = 0)
        {
            using (var found = new ckpt_option_profile())
            {
                native.ckpt_profile_get_option(Handle, layer, option, found);
                return new OptionProfile(found);
            }
        }
    }
}
