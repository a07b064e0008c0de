using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>How a state is loaded.</summary>
    public sealed class LoadOptions
    {
        /// <summary>The library's defaults.</summary>
        public LoadOptions()
        {
            using (var defaults = new ckpt_load_options())
            {
                Verify = (VerifyMode)defaults.verify;
                Partial = defaults.partial != 0;
                InPlace = defaults.in_place != 0;
            }
        }

        /// <summary>Full by default, or None.</summary>
        public VerifyMode Verify { get; set; }

        /// <summary>Of one checkpoint, without falling back; null: the newest valid one.</summary>
        [MaybeNull, AllowNull]
        public string Name { get; set; }

        /// <summary>Of this run; when it differs from the checkpoint's a warning is logged. null: not compared.</summary>
        [MaybeNull, AllowNull]
        public string EnvironmentJson { get; set; }

        /// <summary>Whether names may differ; see State.LoadReport.</summary>
        public bool Partial { get; set; }

        /// <summary>Whether bytes are read straight into the tensors: faster, but undefined after a load that fails.</summary>
        public bool InPlace { get; set; }

        // texts: keeps what the struct borrows.
        internal ckpt_load_options Native(TextMemory texts)
        {
            var options = new ckpt_load_options();
            options.verify = (int)Verify;
            options.name = texts.Of(Name);
            options.environment_json = texts.Of(EnvironmentJson);
            options.partial = Partial ? 1 : 0;
            options.in_place = InPlace ? 1 : 0;
            return options;
        }
    }
}
