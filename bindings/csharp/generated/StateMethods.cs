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

        /// <summary>Returns the checkpoint that a load tries first: the one of the highest step of the current line whose status is
        /// <see cref="CkptStatus.Ok"/>, of equal ones the last that was committed. Null when there is none; the message then names
        /// the newest abandoned one.</summary>
        [MaybeNull]
        public CheckpointInfo Latest
        {
            get
            {
                try
                {
                    return CheckpointInfo.Filled(filled => native.ckpt_checkpoint_manager_get_latest(Handle, filled));
                }
                catch (CkptNotFoundException)
                {
                    return null;
                }
            }
        }

        /// <summary>Returns the checkpoint that has the best metric, as <c>BestMetric</c> of the manager's options says, of equal
        /// ones the newest, among those of the current line whose status is <see cref="CkptStatus.Ok"/>. Null when none has a
        /// metric.</summary>
        [MaybeNull]
        public CheckpointInfo Best
        {
            get
            {
                try
                {
                    return CheckpointInfo.Filled(filled => native.ckpt_checkpoint_manager_get_best(Handle, filled));
                }
                catch (CkptNotFoundException)
                {
                    return null;
                }
            }
        }

        /// <summary>Returns the newest checkpoint of this step (&gt;= 0) whose status is <see cref="CkptStatus.Ok"/>; one of the
        /// current line takes precedence over abandoned ones. Null when there is none.</summary>
        [return: MaybeNull]
        public CheckpointInfo FindStep(long step)
        {
            try
            {
                return CheckpointInfo.Filled(filled => native.ckpt_checkpoint_manager_find_step(Handle, step, filled));
            }
            catch (CkptNotFoundException)
            {
                return null;
            }
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

        /// <summary>Removes the checkpoints that a save would now remove, durably. keepRules: as in
        /// <see cref="CheckpointManagerOptions"/>, in the place of all that these say; null or empty: what they say.. They are
        /// removed only when infos has room for all of them: else, and when dryRun is not 0, nothing is changed. The one that was
        /// committed last stays, too. <see cref="CkptStatus.InvalidArgument"/> for rules that cannot be read; without a dry run as
        /// <c>CheckpointManager.Remove</c>, and <see cref="CkptStatus.Io"/> when some could not be removed completely.</summary>
        public IReadOnlyList<CheckpointInfo> Prune([AllowNull] string keepRules = null, bool dryRun = false)
        {
            return NativeList.Made(native.ckpt_checkpoint_manager_prune(Handle, keepRules, dryRun ? 1 : 0), at =>
                new CheckpointInfo(new ckpt_checkpoint_info(at, false)));
        }

        /// <summary>Durably removes the abandoned checkpoints that are not pinned, and no others, whatever the manager's rules
        /// keep. Those with a manifest that cannot be read stay. infos, capacity, count, dryRun and errors as in
        /// <c>CheckpointManager.Prune</c>.</summary>
        public IReadOnlyList<CheckpointInfo> PruneAbandoned(bool dryRun = false)
        {
            return NativeList.Made(native.ckpt_checkpoint_manager_prune_abandoned(Handle, dryRun ? 1 : 0), at =>
                new CheckpointInfo(new ckpt_checkpoint_info(at, false)));
        }

        /// <summary>Returns the manifest of one checkpoint: a JSON text with its step, groups, files, tensors, values and metadata
        /// (docs/reference/file-format.md). name: as in <see cref="CheckpointInfo"/>, or ".". <see cref="CkptStatus.NotFound"/>
        /// without a manifest, <see cref="CkptStatus.Corrupt"/> when it is damaged.</summary>
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

        /// <summary>Returns when every process has called it. timeout: &gt;= 0; <see cref="CkptStatus.Timeout"/> after that. A
        /// custom one's: its status, else <see cref="CkptStatus.Callback"/>. Wrong arguments of this function and of the next three
        /// are detected only by their process: the others wait for it until <see cref="CkptStatus.Timeout"/>.</summary>
        public void Barrier(TimeSpan timeout)
        {
            native.ckpt_coordinator_barrier(Handle, Times.Nanoseconds(timeout));
        }
    }

    public partial class Reader
    {
        internal Reader(NativeHandle handle) : base(handle)
        {
        }

        /// <summary>Opens a safetensors file (version 0.8 of https://github.com/huggingface/safetensors), or a directory with
        /// model.safetensors.index.json and the files it names (Hugging Face's layout), or one with model.safetensors. Links are
        /// followed. Such files have no checksums: headers are checked, bytes cannot be. <see cref="CkptStatus.NotFound"/>,
        /// <see cref="CkptStatus.Corrupt"/> (also for a tensor of the index that its file lacks),
        /// <see cref="CkptStatus.Permission"/>, <see cref="CkptStatus.Io"/>.</summary>
        public Reader(string path)
            : this(Made((out IntPtr made) => native.ckpt_reader_create(path, out made), native.ckpt_reader_release))
        {
        }

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

        /// <summary>Reads a tensor's bytes into tensor, which must have its dtype and shape
        /// (<see cref="CkptStatus.InvalidArgument"/>). After <see cref="CkptStatus.Corrupt"/> (a checksum does not hold, or the
        /// file has shrunk) or <see cref="CkptStatus.Io"/> the tensor's contents are undefined.</summary>
        public void ReadInto(long index, Tensor tensor)
        {
            native.ckpt_reader_read(Handle, index, HandleOf(tensor));
        }

        /// <summary>Reads a tensor's bytes as <c>Reader.ReadInto</c>, into a new tensor with memory of pool (null: the process's
        /// default pool).</summary>
        public Tensor Read(long index, [AllowNull] BufferPool pool = null)
        {
            return new Tensor(Made((out IntPtr made) =>
                native.ckpt_reader_read_new(Handle, index, HandleOf(pool), out made), native.ckpt_tensor_release));
        }

        /// <summary>Reads length rows from row begin on, along the first dimension, into a new tensor with that first dimension and
        /// memory of pool (null: the process's default pool). <see cref="CkptStatus.OutOfRange"/> for rows that are not there;
        /// <see cref="CkptStatus.InvalidArgument"/> for a scalar; <see cref="CkptStatus.Unsupported"/> when rows of less than a
        /// byte per element do not end at a byte.</summary>
        public Tensor ReadSlice(long index, long begin, long length, [AllowNull] BufferPool pool = null)
        {
            return new Tensor(Made((out IntPtr made) =>
                native.ckpt_reader_read_slice(Handle, index, begin, length, HandleOf(pool), out made),
                    native.ckpt_tensor_release));
        }

        /// <summary>Returns a new read-only tensor over the file itself (mmap): no byte is copied, pages are read when they are
        /// touched. It keeps the mapping alive, also after the reader and the checkpoint are gone.
        /// <see cref="CkptStatus.Unsupported"/> where the storage has no mappings or when the tensor's bytes are not aligned for
        /// its dtype (files of other programs), or are in blocks of several files: read it then. <see cref="CkptStatus.Corrupt"/>
        /// when the file is shorter by now than it was when it was opened. If another program shortens the file later, touching
        /// what is gone kills the process (SIGBUS), and pages that cannot be read from the disk do too: only <c>Reader.ReadInto</c>
        /// returns errors for these. libckpt never changes a committed file.</summary>
        public Tensor Map(long index)
        {
            return new Tensor(Made((out IntPtr made) =>
                native.ckpt_reader_map(Handle, index, out made), native.ckpt_tensor_release));
        }
    }

    public unsafe partial class State
    {
        internal State(NativeHandle handle) : base(handle)
        {
        }

        /// <summary>Creates an empty state.</summary>
        public State()
            : this(Made(native.ckpt_state_create, native.ckpt_state_release))
        {
        }

        /// <summary>Adds a tensor, which is shared and kept alive, not copied: a save reads and a load writes its memory. group:
        /// each group becomes a file of its own ("model" -&gt; model.safetensors); made when it is new. Not blank, at most 64
        /// bytes. name: not blank, not "__metadata__"; <see cref="CkptStatus.AlreadyExists"/> when the group has it.
        /// <see cref="CkptStatus.OutOfRange"/> for a shape whose lengths, multiplied from left to right, pass 2^63 - 1 before a 0
        /// comes.</summary>
        public State Add(string group, string name, Tensor tensor)
        {
            native.ckpt_state_add_tensor(Handle, group, name, HandleOf(tensor));
            return this;
        }

        /// <summary>Adds a tensor that is spread over the ranks of a run: each rank adds the same name, dtype and global shape, and
        /// then, by <c>State.AddBlock</c>, the blocks that it has: none, one or several. What <c>State.Add</c> adds is replicated:
        /// every rank has it whole, and it is saved once. group, name: as in <c>State.Add</c>. shape: ndim (0 .. 8) lengths, &gt;=
        /// 0; null only when ndim is 0. Together the blocks of all ranks cover the tensor; ranks may have the same block, else
        /// blocks do not overlap: a save fails with <see cref="CkptStatus.InvalidArgument"/> that names what is missing or covered
        /// twice.</summary>
        public State AddShardedTensor(string group, string name, DType dtype, params long[] shape)
        {
            using (var memory = new CallMemory())
            {
                native.ckpt_state_add_sharded_tensor(Handle, group, name, (int)dtype, memory.Of(Given(shape, "shape")),
                    shape.Length);
                return this;
            }
        }

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

        /// <summary>Declares that the tensors of a group seldom change (rarely other than 0) or takes that back (0, as without this
        /// call): a save with <c>SaveOptions.Incremental</c> does not write its file again while none of them has changed since the
        /// checkpoint before. The group need not be there yet.</summary>
        public void SetRarelyChanges(string group, bool rarely = true)
        {
            native.ckpt_state_set_rarely_changes(Handle, group, rarely ? 1 : 0);
        }
    }
}
