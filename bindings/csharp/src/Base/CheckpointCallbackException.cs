namespace Ckpt
{
    /// <summary>A function of yours threw; the message holds its text.</summary>
    public sealed class CheckpointCallbackException : CkptException
    {
        /// <summary>An error with this text. Thrown inside a callback, its status becomes that of the operation.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CheckpointCallbackException(string message) : base(CkptStatus.Callback, message)
        {
        }
    }
}
