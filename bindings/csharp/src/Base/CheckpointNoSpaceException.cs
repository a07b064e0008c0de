namespace Ckpt
{
    /// <summary>The device or quota is full.</summary>
    public sealed class CheckpointNoSpaceException : CkptException
    {
        /// <summary>An error with this text. Thrown inside a callback, its status becomes that of the operation.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CheckpointNoSpaceException(string message) : base(CkptStatus.NoSpace, message)
        {
        }
    }
}
