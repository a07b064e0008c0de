using System;
using System.Collections.Generic;

namespace Ckpt
{
    /// <summary>A value that a layer of a graph reads.</summary>
    /// <typeparam name="T">Type of the items.</typeparam>
    public sealed class FrameworkInput<T> where T : class
    {
        internal FrameworkInput(T item, bool isLast)
        {
            Item = item;
            IsLast = isLast;
        }

        /// <summary>null if it does not exist while the backward runs.</summary>
        public T Item { get; }

        /// <summary>Whether this is its last use: the framework then owns it.</summary>
        public bool IsLast { get; }
    }

    /// <summary>A framework with steps driven by a Driver: performs each piece of work. The driver does not access its items
    /// (inputs, tapes, gradients). If a method throws, the step fails.</summary>
    /// <typeparam name="T">Type of the items.</typeparam>
    public abstract partial class Framework<T> where T : class
    {
        /// <summary>Runs one layer and records.</summary>
        /// <param name="call">The call, as for Forward.</param>
        /// <param name="input">Input of the layer.</param>
        /// <param name="output">Its output; null only with DriveFlag.NoOutput.</param>
        /// <param name="tape">The recorded tape; null for an empty one.</param>
        public abstract void Record(DriveCall call, T input, out T output, out T tape);

        /// <summary>Runs a layer of a graph and records nothing: replaces Forward.</summary>
        /// <param name="call">The call.</param>
        /// <param name="inputs">In the order of the profile.</param>
        /// <returns>The layer's output.</returns>
        public virtual T ForwardN(DriveCall call, IReadOnlyList<FrameworkInput<T>> inputs)
        {
            throw new NotSupportedException("ForwardN is not implemented");
        }

        /// <summary>Runs a layer of a graph and records: replaces Record.</summary>
        /// <param name="call">The call.</param>
        /// <param name="inputs">In the order of the profile.</param>
        /// <param name="output">Its output; null only with DriveFlag.NoOutput.</param>
        /// <param name="tape">The recorded tape; null for an empty one.</param>
        public virtual void RecordN(DriveCall call, IReadOnlyList<FrameworkInput<T>> inputs, out T output, out T tape)
        {
            throw new NotSupportedException("RecordN is not implemented");
        }

        /// <summary>Runs a layer of a graph backward: replaces Backward. The framework owns tape, gradOutput and sums.</summary>
        /// <param name="call">The call.</param>
        /// <param name="inputs">In the order of the profile.</param>
        /// <param name="output">null if it does not exist.</param>
        /// <param name="tape">null for an empty one.</param>
        /// <param name="gradOutput">Gradient of the output; null for none.</param>
        /// <param name="sums">The inputs' gradients so far; null for the first layer that adds to one.</param>
        /// <returns>The inputs' gradients with this layer's part, null for none; for a sum in place, the same object.</returns>
        public virtual T[] BackwardN(DriveCall call, IReadOnlyList<FrameworkInput<T>> inputs, T output, T tape, T gradOutput,
                                     T[] sums)
        {
            throw new NotSupportedException("BackwardN is not implemented");
        }

        /// <summary>Releases an item, or the contents of a slot of a slower tier. Each item is dropped or taken over exactly
        /// once.</summary>
        /// <param name="call">The call.</param>
        /// <param name="item">null for a slot.</param>
        public virtual void Drop(DriveCall call, T item) { }
    }
}
