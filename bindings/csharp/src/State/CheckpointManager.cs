using System;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>The checkpoints in one storage. A manager that writes holds the storage's lock until it is disposed of. Several
    /// threads may use it at once: saves and loads wait for one another. With a coordinator of several ranks, each rank has a
    /// manager of the same storage; creating it, saving and loading are collective: all ranks do them, in the same order.</summary>
    public sealed partial class CheckpointManager : NativeObject
    {
        /// <summary>As a checkpoint's name: the storage's root is itself the directory of one checkpoint.</summary>
        public const string Self = native.CKPT_CHECKPOINT_SELF;

        /// <summary>Opens the checkpoints of a storage. Throws CkptBusyException when another writer holds the storage's
        /// lock.</summary>
        /// <param name="storage">Kept alive.</param>
        /// <param name="options">null: the defaults.</param>
        /// <param name="keep">Called for each checkpoint that no retention rule keeps, on the thread that saves or prunes; when it
        /// throws, nothing is removed. null: such checkpoints are removed.</param>
        public CheckpointManager(Storage storage, [AllowNull] CheckpointManagerOptions options = null,
                                 [AllowNull] Func<CheckpointInfo, bool> keep = null)
            : base(Created(storage, options, keep)) { }

        /// <summary>Opens the checkpoints below a path, or at a URI: s3://BUCKET/PREFIX.</summary>
        /// <param name="path">Created if missing, unless read-only. A scheme followed by :// makes it a URI.</param>
        /// <param name="options">null: the defaults.</param>
        /// <param name="keep">As for a storage.</param>
        public CheckpointManager(string path, [AllowNull] CheckpointManagerOptions options = null,
                                 [AllowNull] Func<CheckpointInfo, bool> keep = null)
            : base(Created(path, options, keep)) { }

        private static NativeHandle Created(string path, CheckpointManagerOptions options, Func<CheckpointInfo, bool> keep)
        {
            var place = new FileSystemOptions { MustExist = options != null && options.ReadOnly };
            Storage storage = null;
            Collective.Prepare(() => storage = Storage.IsUri(path) ? Storage.FromUri(path) : new Storage(path, place),
                () => Refuse(options));
            using (storage) return Created(storage, options, keep);
        }

        private static NativeHandle Created(Storage storage, CheckpointManagerOptions options, Func<CheckpointInfo, bool> keep)
        {
            return CreatedWith((CallMemory memory, out IntPtr created) =>
            {
                NativeHandle place = null;
                ckpt_checkpoint_manager_options given = null;
                Collective.Prepare(() =>
                {
                    place = HandleOf(storage);
                    given = CheckpointManagerOptions.Native(options, memory);
                }, () => Refuse(options));
                native.ckpt_checkpoint_manager_create(place, given, keep == null ? null : new KeepFunction { function = keep },
                    out created);
            }, native.ckpt_checkpoint_manager_release);
        }

        // Makes the call that creates a manager with invalid arguments.
        private static void Refuse(CheckpointManagerOptions options)
        {
            var valid = new CheckpointManagerOptions { Coordinator = options.Coordinator };
            if (options.Timeout > TimeSpan.Zero) valid.Timeout = options.Timeout;
            using (var memory = new CallMemory())
            {
                IntPtr created;
                native.ckpt_checkpoint_manager_create(null, CheckpointManagerOptions.Native(valid, memory), null, out created);
            }
        }

        /// <summary>Writes a state as a new checkpoint and returns when it is durable: after a crash at any later moment, a load
        /// finds it or a newer one. The tensors should not change during the call; if they do, the checkpoint holds a mixture of
        /// old and new values, with checksums of the written bytes. With several ranks, all ranks must save the same names, dtypes,
        /// global shapes, step and prefix (CkptInvalidArgumentException names the difference and the ranks); other options and the
        /// JSON values are taken from rank 0, and JSON values that differ on other ranks are saved by rank. When it fails, the
        /// written files are removed if possible, and older checkpoints are unchanged. Throws CkptNoSpaceException before any file
        /// is created if the file system has fewer free bytes than the files need, CkptInvalidStateException when the manager is
        /// read-only.</summary>
        /// <param name="state">The state to save.</param>
        /// <param name="options">null: the defaults, step 0.</param>
        /// <returns>The result of the save.</returns>
        public SaveResult Save(State state, [AllowNull] SaveOptions options = null)
        {
            using (var memory = new CallMemory())
            {
                NativeHandle saved = null;
                ckpt_save_options given = null;
                Collective.Prepare(() =>
                {
                    saved = HandleOf(state);
                    given = SaveOptions.Native(options, memory);
                }, () => native.ckpt_checkpoint_manager_save(Handle, null, null, null));
                return SaveResult.Filled(result => native.ckpt_checkpoint_manager_save(Handle, saved, given, result));
            }
        }

        /// <summary>Writes the state as the checkpoint of a step.</summary>
        /// <param name="state">The state to save.</param>
        /// <param name="step">At least 0.</param>
        /// <returns>The result of the save.</returns>
        public SaveResult Save(State state, long step) { return Save(state, new SaveOptions { Step = step }); }

        /// <summary>Fills the state's tensors and replaces its values by those of a checkpoint: the newest valid one unless a name
        /// or step is given. Throws CkptNotFoundException when none exists, CkptCorruptException when none is usable.</summary>
        /// <param name="state">The state to fill.</param>
        /// <param name="options">null: the defaults.</param>
        /// <param name="rename">Returns the state's name of a tensor of the checkpoint; null, or a result of null: the same
        /// name.</param>
        /// <returns>The result of the load.</returns>
        public LoadResult Load(State state, [AllowNull] LoadOptions options = null, [AllowNull] Func<string, string> rename = null)
        {
            using (var memory = new CallMemory())
            {
                NativeHandle filled = null;
                ckpt_load_options given = null;
                Collective.Prepare(() =>
                {
                    filled = HandleOf(state);
                    given = LoadOptions.Native(options, memory);
                }, () => native.ckpt_checkpoint_manager_load(Handle, null, null, null, null));
                return LoadResult.Filled(result =>
                    native.ckpt_checkpoint_manager_load(Handle, filled, given, RenameFunction.Of(rename), result));
            }
        }

        /// <summary>Fills the state from the checkpoint of a step; of several the newest valid one is used.</summary>
        /// <param name="state">The state to fill.</param>
        /// <param name="step">The step of the save.</param>
        /// <returns>The result of the load.</returns>
        public LoadResult Load(State state, long step) { return Load(state, new LoadOptions { Step = step }); }

        /// <summary>Loads like Load, but returns null when no checkpoint exists yet.</summary>
        /// <param name="state">The state to fill.</param>
        /// <param name="options">null: the defaults.</param>
        /// <param name="rename">As for Load.</param>
        /// <returns>The result of the load, or null.</returns>
        [return: MaybeNull]
        public LoadResult LoadIfAny(State state, [AllowNull] LoadOptions options = null,
                                    [AllowNull] Func<string, string> rename = null)
        {
            try
            {
                return Load(state, options, rename);
            }
            catch (CkptNotFoundException)
            {
                return null;
            }
        }

        /// <summary>Removes the newest usable checkpoint of a step. Throws CkptNotFoundException when none exists.</summary>
        /// <param name="step">The step of the save.</param>
        public void Remove(long step)
        {
            var found = FindStep(step);
            if (found == null) throw new CkptNotFoundException("step " + step + ": no complete checkpoint");
            Remove(found.Name);
        }

        /// <summary>Opens one checkpoint to read its tensors one by one.</summary>
        /// <param name="name">null: the newest that has a manifest.</param>
        /// <param name="verify">What to check, and when.</param>
        public Reader OpenReader([AllowNull] string name = null, Verify verify = Ckpt.Verify.Lazy)
        {
            return new Reader(Created((out IntPtr created) => native.ckpt_reader_create_from_checkpoint(Handle, name, (int)verify,
                out created), native.ckpt_reader_release));
        }
    }
}
