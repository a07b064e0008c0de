using System;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Decides when to save. Measures the cost of saves and the failure rate of the machine. Times are seconds on any
    /// clock that does not go backwards, passed by the caller; Now reads the controller's own. Several threads may use it at
    /// once.</summary>
    public sealed partial class Controller : NativeObject
    {
        /// <summary>Begins a save in the background, and records its commit or abort when it ends. The controller's state is added
        /// to the state first.</summary>
        /// <param name="now">The time in seconds.</param>
        /// <param name="manager">The manager that saves.</param>
        /// <param name="state">The state to save.</param>
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
            return manager.Start(CheckpointTaskKind.Save, how, progress, cancellationToken, source, memory =>
            {
                var controller = Handle;
                var saved = HandleOf(state);
                var given = SaveOptions.Native(options, memory);
                return (task, listener, reads) =>
                {
                    long id;
                    native.ckpt_controller_save_async(controller, now, manager.Handle, saved, given, task, listener, reads, out id);
                    return id;
                };
            }, manager.RefuseSave);
        }
    }
}
