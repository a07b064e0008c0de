namespace Ckpt
{
    /// <summary>A bounded queue has no place.</summary>
    public sealed class CheckpointQueueFullException : CkptException
    {
        /// <summary>An error with this text. Thrown inside a callback, its status becomes that of the operation.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CheckpointQueueFullException(string message) : base(CkptStatus.QueueFull, message)
        {
        }
    }
}
