using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Linq;
using System.Text.RegularExpressions;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Decides layer by layer whether to checkpoint. Strategy is one; a custom class can be passed wherever the library
    /// takes a strategy. The tensor that it gets there has an element type and a shape, and no memory.</summary>
    public interface ICheckpointStrategy
    {
        /// <summary>Returns whether to checkpoint one layer.</summary>
        /// <param name="layerId">Its name, not blank.</param>
        /// <param name="activation">Only its element type and shape are read.</param>
        /// <param name="layerIndex">Its index in the network, at least 0.</param>
        /// <returns>True: checkpoint it.</returns>
        bool ShouldCheckpoint(string layerId, Tensor activation, long layerIndex);

        /// <summary>"Interval(2)", "SizeBased(1MB)", ...</summary>
        string Name { get; }

        /// <summary>Restores the state after creation.</summary>
        void Reset();
    }

    /// <summary>Decides layer by layer whether to checkpoint: created from text, other strategies, or custom functions. Several
    /// threads may use it at once.</summary>
    public unsafe partial class Strategy : NativeObject, ICheckpointStrategy
    {
        /// <summary>Creates a strategy from text: "interval:2", "any(size:1MiB,$0)", ... CkptInvalidArgumentException reports the
        /// wrong part, CkptNotFoundException lists the known kinds.</summary>
        /// <param name="text">The text.</param>
        /// <param name="options">Options and children, which text cannot contain; null: none.</param>
        public Strategy(string text, [AllowNull] StrategyOptions options = null) : this(Created(text, options)) { }

        private static NativeHandle Created(string text, StrategyOptions options)
        {
            var children = options == null ? new ICheckpointStrategy[0] : options.Children;
            using (var memory = new CallMemory())
                return Created((out IntPtr created) => native.ckpt_strategy_create_with_options(text, StrategyOptions.Native(options, memory),
                    memory.Of(children.Select(memory.Of)), children.Length, out created));
        }

        internal Strategy(NativeHandle handle) : base(handle) { }

        internal static NativeHandle Created(Maker make) => Created(make, native.ckpt_strategy_release);

        // Creates a strategy that calls a custom object.
        internal static Strategy Wrapping(ICheckpointStrategy asked)
        {
            return Custom(question =>
            {
                var spec = new TensorSpec(question.DType, question.Shape);
                return asked.ShouldCheckpoint(question.LayerName, new Tensor(spec), question.LayerIndex);
            }, asked.Name, asked.Reset);
        }

        /// <summary>Checkpoints every n-th layer, beginning with layer 0.</summary>
        /// <param name="interval">At least 1.</param>
        public static Strategy Interval(long interval = 2)
        {
            return new Strategy(Listed("interval", new[] { Number(interval) }, null));
        }

        /// <summary>Checkpoints layers that are named and not excluded. A name may be a glob: block.*.attn.</summary>
        /// <param name="names">Names or globs.</param>
        /// <param name="excluded">Names or globs; a plain name that is in both is refused.</param>
        public static Strategy Selective([AllowNull] IEnumerable<string> names = null,
                                         [AllowNull] IEnumerable<string> excluded = null)
            => new Strategy(SelectiveText(names, excluded));

        internal static string SelectiveText(IEnumerable<string> names, IEnumerable<string> excluded)
            => Listed("selective", (names ?? new string[0]).Select(Quoted), excluded);

        /// <summary>Checkpoints large activations.</summary>
        /// <param name="thresholdBytes">At least 1.</param>
        /// <param name="excluded">Names or globs of layers that are never chosen.</param>
        public static Strategy SizeBased(long thresholdBytes = 1024 * 1024, [AllowNull] IEnumerable<string> excluded = null)
        {
            return new Strategy(Listed("size", new[] { Number(thresholdBytes) }, excluded));
        }

        /// <summary>Checkpoints every n-th layer; n decreases while memory is short.</summary>
        /// <param name="maxShare">A share of total memory in (0, 1].</param>
        /// <param name="tracker">Tracker of the live bytes; null: the executor's, else the process's.</param>
        /// <param name="totalBytes">Total memory; 0: the memory available to the process.</param>
        /// <param name="clock">null: the monotonic clock.</param>
        public static Strategy MemoryAware(double maxShare = 0.8, [AllowNull] MemoryTracker tracker = null, long totalBytes = 0,
                                           [AllowNull] Clock clock = null)
        {
            return new Strategy(Listed("memory-aware", new[] { Number(maxShare) }, null),
                new StrategyOptions { Tracker = tracker, TotalBytes = totalBytes, Clock = clock });
        }

        /// <summary>Checkpoints large, rarely used and late layers, after observing the first ones.</summary>
        /// <param name="excluded">Names or globs of layers that are never chosen.</param>
        /// <param name="largeFactor">Layers with more than this many times the mean bytes are chosen.</param>
        /// <param name="rareAccesses">Layers accessed fewer times than this are chosen.</param>
        /// <param name="lateShare">Layers with an index beyond this share of the known layers are chosen.</param>
        public static Strategy Smart([AllowNull] IEnumerable<string> excluded = null, double largeFactor = 1.5, long rareAccesses = 2,
                                     double lateShare = 0.7)
        {
            return new Strategy(Listed("smart", new[] { Number(largeFactor), Number(rareAccesses), Number(lateShare) }, excluded));
        }

        /// <summary>Checkpoints a layer when at least one child does. Queries every child for every layer; children are kept
        /// alive.</summary>
        /// <param name="children">At least one.</param>
        public static Strategy AnyOf(params ICheckpointStrategy[] children)
        {
            return new Strategy("any" + Numbered(new string[0], children.Length), new StrategyOptions { Children = children });
        }

        /// <summary>Checkpoints a layer when every child does. Queries every child for every layer; children are kept
        /// alive.</summary>
        /// <param name="children">At least one.</param>
        public static Strategy AllOf(params ICheckpointStrategy[] children)
        {
            return new Strategy("all" + Numbered(new string[0], children.Length), new StrategyOptions { Children = children });
        }

        /// <summary>Checkpoints a layer when the child does not.</summary>
        /// <param name="child">Kept alive.</param>
        public static Strategy Not(ICheckpointStrategy child)
        {
            return new Strategy("not($0)", new StrategyOptions { Children = new[] { child } });
        }

        /// <summary>Uses the child of the first rule that matches the layer, and no other; the fallback for the rest.</summary>
        /// <typeparam name="T">Strategy, or a custom class.</typeparam>
        /// <param name="rules">A name, a glob, or "#5", "#2..7", "#8.." for layer indices; with the strategy to use.</param>
        /// <param name="fallback">For layers that no rule matches.</param>
        public static Strategy FirstOf<T>(IEnumerable<KeyValuePair<string, T>> rules, ICheckpointStrategy fallback)
            where T : ICheckpointStrategy
        {
            var kept = rules.ToArray();
            var children = kept.Select(rule => (ICheckpointStrategy)rule.Value).Concat(new[] { fallback }).ToArray();
            return new Strategy("first" + Numbered(kept.Select(rule => Quoted(rule.Key) + "=").ToArray(), children.Length),
                new StrategyOptions { Children = children });
        }

        // ---- Pieces of text ----

        private static string Number(IFormattable number)
            => number.ToString(number is double ? "R" : null, CultureInfo.InvariantCulture);

        // Quotes a name or glob as one argument, so that it may contain any character.
        private static string Quoted(string name)
        {
            if (name == null) throw new CkptInvalidArgumentException("a name of a list is null");
            return '"' + Regex.Replace(name, "(\\\\.)|\"", found => found.Groups[1].Success ? found.Value : "\\\"", RegexOptions.Singleline) + '"';
        }

        internal static string Listed(string kind, IEnumerable<string> arguments, IEnumerable<string> excluded)
        {
            var all = arguments.Concat((excluded ?? new string[0]).Select(name => "!" + Quoted(name))).ToArray();
            return all.Length == 0 ? kind : kind + ":" + string.Join(",", all);
        }

        // "(a=$0,$1)"
        private static string Numbered(string[] before, int count)
        {
            return "(" + string.Join(",", Enumerable.Range(0, count).Select(i => (i < before.Length ? before[i] : "") + "$" + i)) + ")";
        }

        /// <summary>Creates a strategy that calls a function, on the thread that queries it. If the function throws, the query
        /// fails with CkptCallbackException. It must not query its own strategy.</summary>
        /// <param name="decide">True: checkpoint the layer.</param>
        /// <param name="name">The result of Name.</param>
        /// <param name="onReset">Called when the strategy is reset; may be null.</param>
        /// <param name="onAccess">Called when an executor used the activation of the layer; may be null.</param>
        public static Strategy Custom(Func<StrategyQuestion, bool> decide, string name = "Custom",
                                      [AllowNull] Action onReset = null, [AllowNull] Action<string> onAccess = null)
        {
            if (decide == null) throw new ArgumentNullException("decide");
            return new Strategy(Created((out IntPtr created) =>
                native.csharp_strategy(name, new StrategyCalls { onDecide = decide, onReset = onReset, onAccess = onAccess },
                    out created)));
        }

        /// <summary>Registers a kind for the text form of strategies.</summary>
        /// <param name="name">Letters, digits, '-', '_' and '.'.</param>
        /// <param name="factory">Takes the text after the kind's name, on the thread that creates the strategy.</param>
        public static void Register(string name, Func<string, ICheckpointStrategy> factory)
        {
            if (factory == null) throw new ArgumentNullException("factory");
            native.ckpt_strategy_register(name, new StrategyMaker { function = factory });
        }

        /// <summary>The kinds that text can name.</summary>
        public static IReadOnlyList<string> KnownKinds
        {
            get { return native.ckpt_strategy_get_known_kinds().Split(new[] { ", " }, StringSplitOptions.None); }
        }

        /// <inheritdoc />
        public bool ShouldCheckpoint(string layerId, Tensor activation, long layerIndex)
        {
            if (activation != null && activation.IsKnownWithoutHandle) return ShouldCheckpoint(layerId, activation.Spec, layerIndex);
            int answer;
            native.ckpt_strategy_should_checkpoint(Handle, layerId, HandleOf(activation), layerIndex, out answer);
            return answer != 0;
        }

        /// <summary>Returns whether to checkpoint one layer, by the type and shape of its activation.</summary>
        /// <param name="layerId">Its name, not blank.</param>
        /// <param name="activation">Dtype and shape.</param>
        /// <param name="layerIndex">Its index in the network, at least 0.</param>
        /// <returns>True: checkpoint it.</returns>
        public bool ShouldCheckpoint(string layerId, TensorSpec activation, long layerIndex)
        {
            if (activation == null) throw new ArgumentNullException("activation");
            int answer;
            fixed (long* lengths = activation.Shape)
            {
                native.ckpt_strategy_should_checkpoint_shape(Handle, layerId, (int)activation.DType, lengths,
                    activation.Shape.Length, layerIndex, out answer);
            }
            return answer != 0;
        }
    }
}
