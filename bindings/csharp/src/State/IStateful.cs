namespace Ckpt
{
    /// <summary>An object that lists what is saved of it, anew for every save and load. Both methods run on the thread that saves
    /// or loads; what they throw makes that fail with CheckpointCallbackException. They must not use the states and checkpoints
    /// that are saving or loading.</summary>
    public interface IStateful
    {
        /// <summary>Adds tensors and values.</summary>
        /// <param name="into">Empty; valid during the call only.</param>
        void List(State into);

        /// <summary>The tensors have their new contents.</summary>
        /// <param name="loaded">Gives the values; valid during the call only.</param>
        void Restore(State loaded);
    }
}
