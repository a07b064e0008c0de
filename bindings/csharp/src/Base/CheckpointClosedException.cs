namespace Ckpt
{
    /// <summary>The queue or object was closed.</summary>
    public sealed class CheckpointClosedException : CkptException
    {
        /// <summary>An error with this text. Thrown inside a callback, its status becomes that of the operation.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CheckpointClosedException(string message) : base(CkptStatus.Closed, message)
        {
        }
    }
}
