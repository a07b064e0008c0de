namespace Ckpt
{
    /// <summary>A framework whose steps a Driver drives: what it does for each piece of work. Its items (inputs, tapes, gradients)
    /// are its own objects, never looked into. What a method throws ends the step.</summary>
    /// <typeparam name="T">Items.</typeparam>
    public abstract partial class Guest<T> where T : class
    {
        /// <summary>Runs one layer and records.</summary>
        /// <param name="call">As for Forward.</param>
        /// <param name="input">Of the layer.</param>
        /// <param name="output">Its output; null only with DriveFlag.NoOutput.</param>
        /// <param name="tape">What was recorded; null for nothing.</param>
        public abstract void Record(DriveCall call, T input, out T output, out T tape);

        /// <summary>An item has ended, or what a slot of a slower tier holds. Each item ends here or was taken over, exactly
        /// once.</summary>
        /// <param name="call">Which.</param>
        /// <param name="item">null for a slot.</param>
        public virtual void Drop(DriveCall call, T item) { }
    }
}
