namespace Ckpt
{
    /// <summary>Somebody else holds it.</summary>
    public sealed class CheckpointBusyException : CkptException
    {
        /// <summary>An error with this text. Thrown inside a callback, its status becomes that of the operation.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CheckpointBusyException(string message) : base(CkptStatus.Busy, message)
        {
        }
    }
}
