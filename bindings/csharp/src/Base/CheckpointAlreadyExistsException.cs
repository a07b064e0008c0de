namespace Ckpt
{
    /// <summary>The name is taken.</summary>
    public sealed class CheckpointAlreadyExistsException : CkptException
    {
        /// <summary>An error with this text. Thrown inside a callback, its status becomes that of the operation.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CheckpointAlreadyExistsException(string message) : base(CkptStatus.AlreadyExists, message)
        {
        }
    }
}
