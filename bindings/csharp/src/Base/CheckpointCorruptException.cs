namespace Ckpt
{
    /// <summary>Stored bytes are not what was written, or not of the format.</summary>
    public sealed class CheckpointCorruptException : CkptException
    {
        /// <summary>An error with this text. Thrown inside a callback, its status becomes that of the operation.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CheckpointCorruptException(string message) : base(CkptStatus.Corrupt, message)
        {
        }
    }
}
