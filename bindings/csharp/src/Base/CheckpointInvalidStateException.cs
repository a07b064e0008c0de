namespace Ckpt
{
    /// <summary>The call is not allowed now: wrong order, already done, not begun.</summary>
    public sealed class CheckpointInvalidStateException : CkptException
    {
        /// <summary>An error with this text. Thrown inside a callback, its status becomes that of the operation.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CheckpointInvalidStateException(string message) : base(CkptStatus.InvalidState, message)
        {
        }
    }
}
