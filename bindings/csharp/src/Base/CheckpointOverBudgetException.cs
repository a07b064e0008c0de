namespace Ckpt
{
    /// <summary>It does not fit the memory budget or limit.</summary>
    public sealed class CheckpointOverBudgetException : CkptException
    {
        /// <summary>An error with this text. Thrown inside a callback, its status becomes that of the operation.</summary>
        /// <param name="message">One line that names the argument and the value.</param>
        public CheckpointOverBudgetException(string message) : base(CkptStatus.OverBudget, message)
        {
        }
    }
}
