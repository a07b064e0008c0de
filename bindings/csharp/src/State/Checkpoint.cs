using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>The checkpoints in one storage. A writer holds the storage's lock until it is disposed of. Several threads may use
    /// it at once: saves and loads wait for one another.</summary>
    public sealed class Checkpoint : NativeObject
    {
        /// <summary>Given as a checkpoint's name: the storage's root is itself the directory of one checkpoint.</summary>
        public const string Self = native.CKPT_CHECKPOINT_SELF;

        /// <summary>Opens the checkpoints of a storage. CheckpointBusyException when another writer has it.</summary>
        /// <param name="storage">Kept alive.</param>
        /// <param name="options">null: the defaults.</param>
        public Checkpoint(Storage storage, [AllowNull] CheckpointOptions options = null) : base(Made(storage, options))
        {
        }

        /// <summary>Opens the checkpoints below a path.</summary>
        /// <param name="path">Made when it is missing, unless read-only.</param>
        /// <param name="options">null: the defaults.</param>
        public Checkpoint(string path, [AllowNull] CheckpointOptions options = null) : base(Made(path, options))
        {
        }

        private static NativeHandle Made(string path, CheckpointOptions options)
        {
            using (var storage = new Storage(path, options != null && options.ReadOnly)) return Made(storage, options);
        }

        private static NativeHandle Made(Storage storage, CheckpointOptions from)
        {
            using (var options = (from ?? new CheckpointOptions()).Native(null))
            {
                IntPtr checkpoint;
                native.ckpt_checkpoint_manager_create(HandleOf(storage), options, out checkpoint);
                GC.KeepAlive(from);
                return new NativeHandle(checkpoint, native.ckpt_checkpoint_manager_release);
            }
        }

        /// <summary>Writes the state as a new checkpoint and returns when it is durable. The tensors should not change
        /// meanwhile.</summary>
        /// <param name="state">What is saved.</param>
        /// <param name="options">null: the defaults, step 0.</param>
        /// <returns>What was made.</returns>
        public SaveResult Save(State state, [AllowNull] SaveOptions options = null)
        {
            using (var texts = new TextMemory())
            using (var given = (options ?? new SaveOptions()).Native(texts))
            using (var result = new ckpt_save_result())
            {
                native.ckpt_checkpoint_manager_save(Handle, HandleOf(state), given, result);
                return new SaveResult(result);
            }
        }

        /// <summary>Writes the state as the checkpoint of a step.</summary>
        /// <param name="state">What is saved.</param>
        /// <param name="step">At least 0.</param>
        /// <returns>What was made.</returns>
        public SaveResult Save(State state, long step)
        {
            return Save(state, new SaveOptions { Step = step });
        }

        /// <summary>Fills the state's tensors and replaces its values by those of a checkpoint: the newest valid one unless a name
        /// is given. CheckpointNotFoundException when there is none, CheckpointCorruptException when none is usable.</summary>
        /// <param name="state">What is filled.</param>
        /// <param name="options">null: the defaults.</param>
        /// <returns>What was found.</returns>
        public LoadResult Load(State state, [AllowNull] LoadOptions options = null)
        {
            using (var texts = new TextMemory())
            using (var given = (options ?? new LoadOptions()).Native(texts))
            using (var result = new ckpt_load_result())
            {
                native.ckpt_checkpoint_manager_load(Handle, HandleOf(state), given, result);
                return new LoadResult(result);
            }
        }

        /// <summary>Like Load, but null when there is no checkpoint yet.</summary>
        /// <param name="state">What is filled.</param>
        /// <param name="options">null: the defaults.</param>
        /// <returns>What was found, or null.</returns>
        [return: MaybeNull]
        public LoadResult LoadIfAny(State state, [AllowNull] LoadOptions options = null)
        {
            try
            {
                return Load(state, options);
            }
            catch (CheckpointNotFoundException)
            {
                return null;
            }
        }

        /// <summary>The checkpoints, good or not, in the order in which a load tries them.</summary>
        /// <returns>All of them.</returns>
        public IReadOnlyList<CheckpointInfo> List()
        {
            long count;
            native.ckpt_checkpoint_manager_count(Handle, out count);
            var found = new List<CheckpointInfo>();
            for (long i = 0; i < count; ++i)
            {
                using (var info = new ckpt_checkpoint_info())
                {
                    native.ckpt_checkpoint_manager_at(Handle, i, info);
                    found.Add(new CheckpointInfo(info));
                }
            }
            return found;
        }

        /// <summary>The manifest of one checkpoint as JSON (docs/format.md).</summary>
        /// <param name="name">As in CheckpointInfo.</param>
        /// <returns>The text.</returns>
        public string Manifest(string name)
        {
            return native.ckpt_checkpoint_manager_get_manifest(Handle, name);
        }

        /// <summary>Reads a whole checkpoint and checks everything. CheckpointCorruptException names the first bad file and
        /// tensor.</summary>
        /// <param name="name">null: the newest that has a manifest.</param>
        /// <returns>What was read.</returns>
        public VerifyResult Verify([AllowNull] string name = null)
        {
            using (var result = new ckpt_verify_result())
            {
                native.ckpt_checkpoint_manager_verify(Handle, name, result);
                return new VerifyResult(result);
            }
        }

        /// <summary>Opens one checkpoint to read its tensors one by one.</summary>
        /// <param name="name">null: the newest that has a manifest.</param>
        /// <param name="verify">What is checked, and when.</param>
        /// <returns>The reader.</returns>
        public SafetensorsReader OpenReader([AllowNull] string name = null, VerifyMode verify = VerifyMode.Lazy)
        {
            IntPtr reader;
            native.ckpt_reader_create_from_checkpoint(Handle, name, (int)verify, out reader);
            return new SafetensorsReader(new NativeHandle(reader, native.ckpt_reader_release));
        }

        /// <summary>A new reference to the storage.</summary>
        /// <returns>The reference.</returns>
        public Storage GetStorage()
        {
            IntPtr storage;
            native.ckpt_checkpoint_manager_get_storage(Handle, out storage);
            return Storage.Owning(storage);
        }

        /// <summary>A new reference to the coordinator.</summary>
        /// <returns>The reference.</returns>
        public Coordinator GetCoordinator()
        {
            IntPtr coordinator;
            native.ckpt_checkpoint_manager_get_coordinator(Handle, out coordinator);
            return new Coordinator(new NativeHandle(coordinator, native.ckpt_coordinator_release));
        }

        /// <summary>A new reference to the fault handler; its retries are the checkpoint's when nothing else uses it.</summary>
        /// <returns>The reference.</returns>
        public FaultHandler GetFaultHandler()
        {
            IntPtr handler;
            native.ckpt_checkpoint_manager_get_fault_handler(Handle, out handler);
            return new FaultHandler(new NativeHandle(handler, native.ckpt_fault_handler_release));
        }
    }
}
