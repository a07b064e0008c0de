namespace Ckpt
{
    /// <summary>There is no such name, id, file or checkpoint.</summary>
    public sealed class CheckpointNotFoundException : CkptException
    {
        /// <summary>An error with this text. Thrown inside a callback, its status becomes that of the operation.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CheckpointNotFoundException(string message) : base(CkptStatus.NotFound, message)
        {
        }
    }
}
