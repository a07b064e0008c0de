namespace Ckpt
{
    /// <summary>It was stopped on request.</summary>
    public sealed class CheckpointCancelledException : CkptException
    {
        /// <summary>An error with this text. Thrown inside a callback, its status becomes that of the operation.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CheckpointCancelledException(string message) : base(CkptStatus.Cancelled, message)
        {
        }
    }
}
