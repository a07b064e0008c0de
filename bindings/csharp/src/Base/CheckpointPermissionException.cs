namespace Ckpt
{
    /// <summary>The operating system denied access.</summary>
    public sealed class CheckpointPermissionException : CkptException
    {
        /// <summary>An error with this text. Thrown inside a callback, its status becomes that of the operation.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CheckpointPermissionException(string message) : base(CkptStatus.Permission, message)
        {
        }
    }
}
