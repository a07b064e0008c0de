using System;
using System.Collections.Generic;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>What planning must know of a chain: bytes and seconds of every layer. Chain.Profile makes one; or build it layer by
    /// layer, on one thread at a time.</summary>
    public sealed unsafe partial class Profile : NativeObject
    {
        /// <summary>An empty profile.</summary>
        /// <param name="inputBytes">Of the chain's input, at least 0.</param>
        public Profile(long inputBytes) : this(Made(inputBytes))
        {
        }

        internal Profile(NativeHandle handle) : base(handle)
        {
        }

        internal static Profile Owned(Maker make)
        {
            return new Profile(Made(make, native.ckpt_profile_release));
        }

        private static NativeHandle Made(long inputBytes)
        {
            return Made((out IntPtr made) => native.ckpt_profile_create(inputBytes, out made), native.ckpt_profile_release);
        }

        /// <summary>Appends a layer.</summary>
        /// <param name="layer">What it is.</param>
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

        /// <summary>A chain of like layers, the steps of a time-stepping code: as little memory for 10^9 as for one.</summary>
        /// <param name="layerCount">At least 1.</param>
        /// <param name="layer">What each is.</param>
        /// <param name="option">The one way to run it.</param>
        /// <returns>The profile.</returns>
        public static Profile Uniform(long layerCount, LayerProfile layer, OptionProfile option)
        {
            using (var memory = new CallMemory())
            {
                return Owned((out IntPtr made) => native.ckpt_profile_create_uniform(
                    layerCount, LayerProfile.Native(layer, memory), OptionProfile.Native(option, memory), out made));
            }
        }

        /// <summary>What ToJson wrote; CkptCorruptException for another text.</summary>
        /// <param name="json">The text.</param>
        /// <returns>The profile.</returns>
        public static Profile FromJson(string json)
        {
            return Owned((out IntPtr made) => native.ckpt_profile_create_from_json(json, out made));
        }

        /// <summary>Says what a tier, a place that is slower than memory, can do.</summary>
        /// <param name="tier">1 .. 3.</param>
        /// <param name="profile">What it can do.</param>
        /// <returns>This profile.</returns>
        public Profile SetTier(int tier, TierProfile profile)
        {
            using (var memory = new CallMemory()) native.ckpt_profile_set_tier(Handle, tier, TierProfile.Native(profile, memory));
            return this;
        }

        /// <summary>What holds for the whole chain.</summary>
        public ProfileFlag Flags
        {
            get { return (ProfileFlag)Get<uint>(native.ckpt_profile_get_flags); }
            set { native.ckpt_profile_set_flags(Handle, (uint)value); }
        }

        /// <summary>What was added as a layer.</summary>
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

        /// <summary>What was added as an option of a layer.</summary>
        /// <param name="layer">0 .. LayerCount - 1.</param>
        /// <param name="option">0 .. the layer's options - 1.</param>
        /// <returns>The option.</returns>
        public OptionProfile GetOption(long layer, int option = 0)
        {
            return OptionProfile.Filled(found => native.ckpt_profile_get_option(Handle, layer, option, found));
        }

    }

    public sealed unsafe partial class LayerProfile
    {
        /// <summary>Not blank.</summary>
        public string Name { get; set; } = "";

        /// <summary>Ways to run it, in what Profile.GetLayer gives.</summary>
        public int OptionCount { get; internal set; }
    }
}
