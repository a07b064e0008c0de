namespace Ckpt
{
    /// <summary>It is valid, but not something that this object or build can do.</summary>
    public sealed class CheckpointUnsupportedException : CkptException
    {
        /// <summary>An error with this text. Thrown inside a callback, its status becomes that of the operation.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CheckpointUnsupportedException(string message) : base(CkptStatus.Unsupported, message)
        {
        }
    }
}
