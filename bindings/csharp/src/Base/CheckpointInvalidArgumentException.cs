namespace Ckpt
{
    /// <summary>An argument has a value that is never valid.</summary>
    public sealed class CheckpointInvalidArgumentException : CkptException
    {
        /// <summary>An error with this text. Thrown inside a callback, its status becomes that of the operation.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CheckpointInvalidArgumentException(string message) : base(CkptStatus.InvalidArgument, message)
        {
        }
    }
}
