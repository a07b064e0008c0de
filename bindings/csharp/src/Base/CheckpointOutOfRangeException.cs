namespace Ckpt
{
    /// <summary>An index or size lies outside what the object has or can hold.</summary>
    public sealed class CheckpointOutOfRangeException : CkptException
    {
        /// <summary>An error with this text. Thrown inside a callback, its status becomes that of the operation.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CheckpointOutOfRangeException(string message) : base(CkptStatus.OutOfRange, message)
        {
        }
    }
}
