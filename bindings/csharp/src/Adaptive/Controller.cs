using System;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Decides when to save: learns what saves cost and how often the machine fails. Times are seconds on any clock that
    /// does not go backwards, given by the caller; Now asks the controller's own. Several threads may use it at once.</summary>
    public sealed partial class Controller : NativeObject
    {
        /// <summary>Begins a save in the background that commits or aborts by itself when it ends. What the controller knows goes
        /// into the state first.</summary>
        /// <param name="now">Seconds.</param>
        /// <param name="manager">Saves.</param>
        /// <param name="state">What is saved.</param>
        /// <param name="options">null: the defaults.</param>
        /// <param name="how">null: the defaults.</param>
        /// <param name="progress">May be null.</param>
        /// <param name="cancellationToken">Cancels the task.</param>
        /// <param name="source">Reads the tensors instead of the library; may be null.</param>
        public CheckpointTask Save(double now, AsyncManager manager, State state, [AllowNull] SaveOptions options = null,
                                   [AllowNull] CheckpointTaskOptions how = null,
                                   [AllowNull] IProgress<CheckpointProgress> progress = null,
                                   CancellationToken cancellationToken = default(CancellationToken),
                                   [AllowNull] CheckpointSource source = null)
        {
            if (manager == null) throw new ArgumentNullException("manager");
            return manager.Start(CheckpointTaskKind.Save, how, progress, cancellationToken, source,
                (memory, task, listener, reads) =>
            {
                long id;
                native.ckpt_controller_save_async(Handle, now, manager.Handle, HandleOf(state), SaveOptions.Native(options, memory),
                    task, listener, reads, out id);
                return id;
            });
        }
    }
}
