namespace Ckpt
{
    /// <summary>A framework with steps driven by a Driver: performs each piece of work. The driver does not access its items
    /// (inputs, tapes, gradients). If a method throws, the step fails.</summary>
    /// <typeparam name="T">Type of the items.</typeparam>
    public abstract partial class Guest<T> where T : class
    {
        /// <summary>Runs one layer and records.</summary>
        /// <param name="call">The call, as for Forward.</param>
        /// <param name="input">Input of the layer.</param>
        /// <param name="output">Its output; null only with DriveFlag.NoOutput.</param>
        /// <param name="tape">The recorded tape; null for an empty one.</param>
        public abstract void Record(DriveCall call, T input, out T output, out T tape);

        /// <summary>Releases an item, or the contents of a slot of a slower tier. Each item is dropped or taken over exactly
        /// once.</summary>
        /// <param name="call">The call.</param>
        /// <param name="item">null for a slot.</param>
        public virtual void Drop(DriveCall call, T item) { }
    }
}
