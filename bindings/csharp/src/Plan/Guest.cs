using System;

namespace Ckpt
{
    /// <summary>A framework whose steps a Driver drives: what it does for each piece of work. Its items (inputs, tapes, gradients)
    /// are its own objects, never looked into. What a method throws ends the step.</summary>
    /// <typeparam name="T">Items.</typeparam>
    public abstract class Guest<T> where T : class
    {
        /// <summary>Runs layers First .. Last-1 without recording.</summary>
        /// <param name="call">With DriveFlag.TakeInput the input is this method's own: it is not dropped.</param>
        /// <param name="input">Of the first layer.</param>
        /// <returns>The last one's output.</returns>
        public abstract T Forward(DriveCall call, T input);

        /// <summary>Runs one layer and records.</summary>
        /// <param name="call">As for Forward.</param>
        /// <param name="input">Of the layer.</param>
        /// <param name="output">Its output; null only with DriveFlag.NoOutput.</param>
        /// <param name="tape">What was recorded; null for nothing.</param>
        public abstract void Record(DriveCall call, T input, out T output, out T tape);

        /// <summary>Runs one layer backward. The tape and the gradient are this method's own from here on: they are not
        /// dropped.</summary>
        /// <param name="call">With DriveFlag.TakeInput and TakeOutput the input and the output are, too.</param>
        /// <param name="input">Of the layer; null when it is not there.</param>
        /// <param name="output">Of the layer; null when it is not there.</param>
        /// <param name="tape">As recorded.</param>
        /// <param name="gradOutput">Gradient of the output.</param>
        /// <returns>Gradient of the input; null for none.</returns>
        public abstract T Backward(DriveCall call, T input, T output, T tape, T gradOutput);

        /// <summary>Ends the forward part in Driver.Run.</summary>
        /// <param name="call">Which.</param>
        /// <param name="output">Of the chain.</param>
        /// <returns>Its gradient; null for none.</returns>
        public virtual T Turn(DriveCall call, T output)
        {
            throw new NotSupportedException("the guest has no Turn");
        }

        /// <summary>Begins to copy an item into a slot of a slower tier.</summary>
        /// <param name="call">Which.</param>
        /// <param name="item">Stays as it is until the transfer was awaited.</param>
        public virtual void Store(DriveCall call, T item)
        {
            throw new NotSupportedException("the guest has no Store");
        }

        /// <summary>Begins to copy back what a slot holds.</summary>
        /// <param name="call">Which.</param>
        /// <returns>Used after the transfer was awaited.</returns>
        public virtual T Load(DriveCall call)
        {
            throw new NotSupportedException("the guest has no Load");
        }

        /// <summary>Waits for a transfer: once for each that was begun.</summary>
        /// <param name="call">Which.</param>
        public virtual void Await(DriveCall call)
        {
            throw new NotSupportedException("the guest has no Await");
        }

        /// <summary>An item has ended, or what a slot of a slower tier holds. Each item ends here or was taken over, exactly
        /// once.</summary>
        /// <param name="call">Which.</param>
        /// <param name="item">null for a slot.</param>
        public virtual void Drop(DriveCall call, T item)
        {
        }
    }
}
