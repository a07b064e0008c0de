namespace Ckpt
{
    /// <summary>The time-out ran out first.</summary>
    public sealed class CheckpointTimeoutException : CkptException
    {
        /// <summary>An error with this text. Thrown inside a callback, its status becomes that of the operation.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CheckpointTimeoutException(string message) : base(CkptStatus.Timeout, message)
        {
        }
    }
}
