namespace Ckpt
{
    /// <summary>A schedule breaks a rule.</summary>
    public sealed class CheckpointInvalidScheduleException : CkptException
    {
        /// <summary>An error with this text. Thrown inside a callback, its status becomes that of the operation.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CheckpointInvalidScheduleException(string message) : base(CkptStatus.InvalidSchedule, message)
        {
        }
    }
}
