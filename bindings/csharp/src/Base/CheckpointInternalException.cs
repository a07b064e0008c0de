namespace Ckpt
{
    /// <summary>A defect of the library: please report it.</summary>
    public sealed class CheckpointInternalException : CkptException
    {
        /// <summary>An error with this text. Thrown inside a callback, its status becomes that of the operation.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CheckpointInternalException(string message) : base(CkptStatus.Internal, message)
        {
        }
    }
}
