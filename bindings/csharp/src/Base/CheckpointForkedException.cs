namespace Ckpt
{
    /// <summary>The object's threads stayed in the parent of this forked process.</summary>
    public sealed class CheckpointForkedException : CkptException
    {
        /// <summary>An error with this text. Thrown inside a callback, its status becomes that of the operation.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CheckpointForkedException(string message) : base(CkptStatus.Forked, message)
        {
        }
    }
}
