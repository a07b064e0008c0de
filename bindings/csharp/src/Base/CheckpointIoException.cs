namespace Ckpt
{
    /// <summary>The operating system failed to read, write or sync.</summary>
    public sealed class CheckpointIoException : CkptException
    {
        /// <summary>An error with this text. Thrown inside a callback, its status becomes that of the operation.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CheckpointIoException(string message) : base(CkptStatus.Io, message)
        {
        }
    }
}
