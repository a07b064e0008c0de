namespace Ckpt
{
    /// <summary>The system has no memory left.</summary>
    public sealed class CheckpointOutOfMemoryException : CkptException
    {
        /// <summary>An error with this text. Thrown inside a callback, its status becomes that of the operation.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CheckpointOutOfMemoryException(string message) : base(CkptStatus.OutOfMemory, message)
        {
        }
    }
}
