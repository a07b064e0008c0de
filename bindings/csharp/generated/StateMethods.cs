// Generated from include/ckpt by tools/api: do not edit.
using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    public partial class CheckpointManager
    {
        /// <summary>Returns a new reference to the storage that the checkpoint was made with.</summary>
        public Storage GetStorage()
        {
            return new Storage(Made((out IntPtr made) =>
                native.ckpt_checkpoint_manager_get_storage(Handle, out made), native.ckpt_storage_release));
        }

        /// <summary>Returns a new reference to the coordinator that the checkpoint was made with, or to one of a single process
        /// when there was none.</summary>
        public Coordinator GetCoordinator()
        {
            return new Coordinator(Made((out IntPtr made) =>
                native.ckpt_checkpoint_manager_get_coordinator(Handle, out made), native.ckpt_coordinator_release));
        }

        /// <summary>Returns a new reference to the fault handler that the checkpoint uses; its count of retries is the checkpoint's
        /// when nothing else uses it.</summary>
        public FaultHandler GetFaultHandler()
        {
            return new FaultHandler(Made((out IntPtr made) =>
                native.ckpt_checkpoint_manager_get_fault_handler(Handle, out made), native.ckpt_fault_handler_release));
        }

        /// <summary>Writes state as a new checkpoint and returns when it is durable: a load finds it, or a newer one, after a crash
        /// at any later moment. The tensors should not change meanwhile; if they do, the checkpoint holds some mixture, with
        /// checksums of what was written. With several ranks all save the same names, dtypes, global shapes, step and prefix
        /// (<see cref="CkptStatus.InvalidArgument"/> names what differs, and where); other options and the JSON values are rank
        /// 0's, and values that differ elsewhere are saved by rank. options: null for the defaults (step 0).
        /// <see cref="CkptStatus.InvalidState"/> when read-only, <see cref="CkptStatus.Forked"/> in a forked child,
        /// <see cref="CkptStatus.NoSpace"/>, <see cref="CkptStatus.Permission"/> and <see cref="CkptStatus.Io"/> from the system:
        /// then what was written is removed as far as that is possible, and older checkpoints are what they were.
        /// <see cref="CkptStatus.NoSpace"/> with both figures, before anything is made, when a file system has fewer bytes free
        /// than the files need; what is linked needs none, and what is removed after the save is not counted.</summary>
        public SaveResult Save(State state, [AllowNull] SaveOptions options = null)
        {
            using (var memory = new CallMemory())
            {
                return SaveResult.Filled(filled =>
                    native.ckpt_checkpoint_manager_save(Handle, HandleOf(state), SaveOptions.Native(options, memory), filled));
            }
        }

        /// <summary>Lists the checkpoints of the storage, good or not (those set aside as "torn-..." do not count), in the order in
        /// which a load tries them, abandoned ones last.</summary>
        public IReadOnlyList<CheckpointInfo> List()
        {
            return NativeList.Made(native.ckpt_checkpoint_manager_list(Handle), at =>
                new CheckpointInfo(new ckpt_checkpoint_info(at, false)));
        }

        /// <summary>Removes one checkpoint for ever, durably: after a crash it is there whole, or gone for every load. name: as in
        /// <see cref="CheckpointInfo"/>, good or damaged. <see cref="CkptStatus.NotFound"/> without a directory of that name;
        /// <see cref="CkptStatus.InvalidState"/> when it is pinned or the manager read-only, <see cref="CkptStatus.Forked"/> in a
        /// forked child. Waits for a save that is under way.</summary>
        public void Remove(string name)
        {
            native.ckpt_checkpoint_manager_remove(Handle, name);
        }

        /// <summary>Pins the newest checkpoint of this step (&gt;= 0) whose status is <see cref="CkptStatus.Ok"/>, durably:
        /// retention of this and later processes does not remove it. Earlier versions of the library do not know pins.
        /// <see cref="CkptStatus.NotFound"/> when there is none; else as <c>CheckpointManager.Remove</c>.</summary>
        public void Pin(long step)
        {
            native.ckpt_checkpoint_manager_pin(Handle, step);
        }

        /// <summary>Takes the pins of all checkpoints of this step (&gt;= 0) back, durably: the next save may remove them.
        /// <see cref="CkptStatus.NotFound"/> when the step has no checkpoint; else as <c>CheckpointManager.Remove</c>.</summary>
        public void Unpin(long step)
        {
            native.ckpt_checkpoint_manager_unpin(Handle, step);
        }

        /// <summary>Returns the manifest of one checkpoint: a JSON text with its step, groups, files, tensors, values and metadata
        /// (docs/format.md). name: as in <see cref="CheckpointInfo"/>, or ".". <see cref="CkptStatus.NotFound"/> without a
        /// manifest, <see cref="CkptStatus.Corrupt"/> when it is damaged.</summary>
        public string GetManifest(string name)
        {
            return native.ckpt_checkpoint_manager_get_manifest(Handle, name);
        }

        /// <summary>Returns the JSON values that one rank saved, as an object. name: as in <see cref="CheckpointInfo"/>, or ".".
        /// rank: 0 .. <c>WorldSize</c> - 1 of the checkpoint, else <see cref="CkptStatus.OutOfRange"/>. For runs that go on with
        /// another number of ranks and have to share out anew what was each rank's own. Errors as
        /// <c>CheckpointManager.Manifest</c>.</summary>
        public string GetRankValues(string name, long rank)
        {
            return native.ckpt_checkpoint_manager_get_rank_values(Handle, name, rank);
        }

        /// <summary>Reads a whole checkpoint and checks everything. name: as in <see cref="CheckpointInfo"/>, or "."; null: the
        /// newest that has a manifest, another one when a writer removes that meanwhile. <see cref="CkptStatus.Corrupt"/> with a
        /// message that names the first bad file and, where it is known, the tensor. <see cref="CkptStatus.NotFound"/> when there
        /// is no such checkpoint (any more).</summary>
        public VerifyResult Verify([AllowNull] string name = null)
        {
            return VerifyResult.Filled(filled => native.ckpt_checkpoint_manager_verify(Handle, name, filled));
        }
    }

    public partial class Coordinator
    {
        /// <summary>Returns this process's rank, 0 .. <c>WorldSize</c> - 1.</summary>
        public long Rank
        {
            get
            {
                long value;
                native.ckpt_coordinator_get_rank(Handle, out value);
                return value;
            }
        }

        /// <summary>Returns the number of processes.</summary>
        public long WorldSize
        {
            get
            {
                long value;
                native.ckpt_coordinator_get_world_size(Handle, out value);
                return value;
            }
        }
    }

    public partial class Reader
    {
        /// <summary>Returns the number of tensors.</summary>
        public long TensorCount
        {
            get
            {
                long value;
                native.ckpt_reader_get_tensor_count(Handle, out value);
                return value;
            }
        }

        /// <summary>Returns a new read-only tensor over the file itself (mmap): no byte is copied, pages are read when they are
        /// touched. It keeps the mapping alive, also after the reader and the checkpoint are gone.
        /// <see cref="CkptStatus.Unsupported"/> where the storage has no mappings or when the tensor's bytes are not aligned for
        /// its dtype (files of other programs), or are in blocks of several files: read it then. <see cref="CkptStatus.Corrupt"/>
        /// when the file is shorter by now than it was when it was opened. If another program shortens the file later, touching
        /// what is gone kills the process (SIGBUS), and pages that cannot be read from the disk do too: only <c>Reader.Read</c>
        /// returns errors for these. libckpt never changes a committed file.</summary>
        public Tensor Map(long index)
        {
            return new Tensor(Made((out IntPtr made) =>
                native.ckpt_reader_map(Handle, index, out made), native.ckpt_tensor_release));
        }
    }

    public partial class State
    {
        /// <summary>Returns the number of tensors in all groups.</summary>
        public long TensorCount
        {
            get
            {
                long value;
                native.ckpt_state_get_tensor_count(Handle, out value);
                return value;
            }
        }
    }
}
