using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Linq;
using Ckpt.Interop;

namespace Ckpt.Strategies
{
    /// <summary>Answers for one layer after the other whether to checkpoint it: from a text, a config, other strategies, or
    /// functions of yours. Several threads may ask at once.</summary>
    public unsafe class Strategy : NativeObject, ICheckpointStrategy
    {
        internal delegate void Make(out IntPtr made);

        internal delegate void MakeNamed(IntPtr* names, long count, IntPtr* excluded, long excludedCount, out IntPtr made);

        /// <summary>From the text form: "interval:2", "any(size:1MiB,interval:8)", ... CheckpointInvalidArgumentException tells
        /// which piece is wrong, CheckpointNotFoundException lists the known kinds.</summary>
        /// <param name="text">The text.</param>
        public Strategy(string text) : this(Made((out IntPtr made) => native.ckpt_strategy_create(text, out made)))
        {
        }

        internal Strategy(NativeHandle handle) : base(handle)
        {
        }

        internal static NativeHandle Made(Make make)
        {
            IntPtr made;
            make(out made);
            return new NativeHandle(made, native.ckpt_strategy_release);
        }

        internal static NativeHandle Named(IEnumerable<string> names, IEnumerable<string> excluded, MakeNamed make)
        {
            using (var texts = new TextMemory())
            {
                var chosen = names == null ? new string[0] : names.ToArray();
                var refused = excluded == null ? new string[0] : excluded.ToArray();
                IntPtr made;
                make(texts.Of(chosen), chosen.Length, texts.Of(refused), refused.Length, out made);
                return new NativeHandle(made, native.ckpt_strategy_release);
            }
        }

        private delegate void MakeOfChildren(IntPtr* children, long count, out IntPtr made);

        private static Strategy OfChildren(IEnumerable<Strategy> children, MakeOfChildren make)
        {
            var kept = children.ToArray();
            var handles = Handles(kept);
            IntPtr made;
            fixed (IntPtr* first = handles) make(first, kept.Length, out made);
            GC.KeepAlive(kept);
            return new Strategy(new NativeHandle(made, native.ckpt_strategy_release));
        }

        // Bare handles of strategies that the caller keeps alive.
        internal static IntPtr[] Handles(IReadOnlyList<Strategy> strategies)
        {
            return strategies.Select(strategy =>
            {
                if (strategy == null) throw new CheckpointInvalidArgumentException("a strategy of the list is null");
                return strategy.Handle.DangerousGetHandle();
            }).ToArray();
        }

        /// <summary>Yes when at least one child says yes. Every child is asked about every layer; children are kept
        /// alive.</summary>
        /// <param name="children">At least one.</param>
        /// <returns>The strategy.</returns>
        public static Strategy AnyOf(params Strategy[] children)
        {
            return OfChildren(children, native.ckpt_strategy_create_any);
        }

        /// <summary>Yes when every child says yes. Every child is asked about every layer; children are kept alive.</summary>
        /// <param name="children">At least one.</param>
        /// <returns>The strategy.</returns>
        public static Strategy AllOf(params Strategy[] children)
        {
            return OfChildren(children, native.ckpt_strategy_create_all);
        }

        /// <summary>Yes when the child says no.</summary>
        /// <param name="child">Kept alive.</param>
        /// <returns>The strategy.</returns>
        public static Strategy Not(Strategy child)
        {
            return new Strategy(Made((out IntPtr made) => native.ckpt_strategy_create_not(HandleOf(child), out made)));
        }

        /// <summary>Asks the child of the first rule that matches the layer, and no other; the fallback for the rest.</summary>
        /// <param name="rules">A name, a glob, or "#5", "#2..7", "#8.." for layer indices; and what is asked then.</param>
        /// <param name="fallback">For layers that no rule matches.</param>
        /// <returns>The strategy.</returns>
        public static Strategy FirstOf(IEnumerable<KeyValuePair<string, Strategy>> rules, Strategy fallback)
        {
            var kept = rules.ToArray();
            using (var texts = new TextMemory())
            {
                var handles = Handles(kept.Select(rule => rule.Value).ToArray());
                var names = texts.Of(kept.Select(rule => rule.Key).ToArray());
                IntPtr made;
                fixed (IntPtr* children = handles)
                    native.ckpt_strategy_create_first(names, kept.Length, children, kept.Length, HandleOf(fallback), out made);
                GC.KeepAlive(kept);
                return new Strategy(new NativeHandle(made, native.ckpt_strategy_release));
            }
        }

        /// <summary>A strategy that asks a function, on the thread that asks. What it throws makes the question fail with
        /// CheckpointCallbackException. It must not ask its own strategy.</summary>
        /// <param name="decide">True: checkpoint the layer.</param>
        /// <param name="name">What Name gives.</param>
        /// <param name="onReset">The strategy is reset; may be null.</param>
        /// <param name="onAccess">An executor used the activation of the layer; may be null.</param>
        /// <returns>The strategy.</returns>
        public static Strategy Custom(Func<StrategyQuestion, bool> decide, string name = "Custom",
            [AllowNull] Action onReset = null,
                                      [AllowNull] Action<string> onAccess = null)
        {
            if (decide == null) throw new ArgumentNullException("decide");
            return new Strategy(Made((out IntPtr made) =>
                native.ckpt_strategy_create_custom(name, new StrategyCalls(decide, onReset, onAccess), out made)));
        }

        /// <summary>Any kind from one set of values.</summary>
        /// <param name="config">Of which each kind reads its own.</param>
        /// <returns>The strategy.</returns>
        public static Strategy FromConfig(CheckpointConfig config)
        {
            if (config == null) throw new ArgumentNullException("config");
            using (var texts = new TextMemory())
            {
                var names = config.CheckpointLayers.ToArray();
                var excluded = config.ExcludeLayers.ToArray();
                var rules = config.Rules.ToArray();
                var handles = Handles(config.Children);
                IntPtr made;
                fixed (IntPtr* children = handles)
                {
                    native.ckpt_strategy_create_from_config(config.KindText, (int)config.Chosen, config.Interval, texts.Of(names), names.Length,
                                                texts.Of(excluded), excluded.Length, config.MinActivationSizeBytes,
                                                config.MaxMemoryPercentage, HandleOf(config.Tracker), config.TotalSystemMemory,
                                                HandleOf(config.Clock), config.LargeFactor, config.RareAccesses, config.LateShare,
                                                    children,
                                                handles.Length, texts.Of(rules), rules.Length, config.Arguments, out made);
                }
                GC.KeepAlive(config);
                return new Strategy(new NativeHandle(made, native.ckpt_strategy_release));
            }
        }

        /// <summary>Makes a kind known to text and config.</summary>
        /// <param name="name">Letters, digits, '-', '_' and '.'.</param>
        /// <param name="factory">Gets the text behind the kind's name, on the thread that makes the strategy.</param>
        public static void Register(string name, Func<string, Strategy> factory)
        {
            if (factory == null) throw new ArgumentNullException("factory");
            native.ckpt_strategy_register(name, new StrategyMaker(factory));
        }

        /// <summary>Forgets a registered kind; strategies made by it live on.</summary>
        /// <param name="name">As it was registered.</param>
        public static void Unregister(string name)
        {
            native.ckpt_strategy_unregister(name);
        }

        /// <summary>The kinds that text can name.</summary>
        public static IReadOnlyList<string> KnownKinds
        {
            get { return native.ckpt_strategy_get_known_kinds().Split(new[] { ", " }, StringSplitOptions.None); }
        }

        /// <inheritdoc />
        public bool ShouldCheckpoint(string layerId, Tensor activation, long layerIndex)
        {
            int answer;
            native.ckpt_strategy_should_checkpoint(Handle, layerId, HandleOf(activation), layerIndex, out answer);
            return answer != 0;
        }

        /// <summary>Asks about one layer where there is no tensor.</summary>
        /// <param name="layerId">Its name, not blank.</param>
        /// <param name="activation">Dtype and shape.</param>
        /// <param name="layerIndex">Its place in the network, at least 0.</param>
        /// <returns>True: checkpoint it.</returns>
        public bool ShouldCheckpoint(string layerId, TensorSpec activation, long layerIndex)
        {
            if (activation == null) throw new ArgumentNullException("activation");
            int answer;
            fixed (long* lengths = activation.Shape)
            {
                native.ckpt_strategy_should_checkpoint_shape(Handle, layerId, (int)activation.DType, lengths,
                    activation.Shape.Length,
                                                             layerIndex, out answer);
            }
            return answer != 0;
        }

        /// <summary>Tells that the layer's activation was used. Executors do; call it when you run your layers yourself.</summary>
        /// <param name="layerId">The layer's name.</param>
        public void ObserveAccess(string layerId)
        {
            native.ckpt_strategy_observe_access(Handle, layerId);
        }

        /// <inheritdoc />
        public void Reset()
        {
            native.ckpt_strategy_reset(Handle);
        }

        /// <inheritdoc />
        public string Name
        {
            get { return native.ckpt_strategy_get_name(Handle); }
        }

        /// <summary>What a yes means; schedules that were made before stay as they are.</summary>
        public StrategyChosen Chosen
        {
            get
            {
                int chosen;
                native.ckpt_strategy_get_chosen(Handle, out chosen);
                return (StrategyChosen)chosen;
            }
            set { native.ckpt_strategy_set_chosen(Handle, (int)value); }
        }

        /// <summary>What it did since it was made or reset.</summary>
        /// <returns>The counts.</returns>
        public StrategyCounters GetCounters()
        {
            using (var counters = new ckpt_strategy_counters())
            {
                native.ckpt_strategy_get_counters(Handle, counters);
                return new StrategyCounters(counters);
            }
        }

        /// <summary>Another reference to the same strategy.</summary>
        /// <returns>The reference.</returns>
        public Strategy Share()
        {
            return new Strategy(Shared(Handle, native.ckpt_strategy_retain, native.ckpt_strategy_release));
        }
    }
}
