// Generated from include/ckpt by tools/api: do not edit.
using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    public partial class CheckpointManager
    {
        /// <summary>Returns a new reference to the storage of the manager.</summary>
        public Storage GetStorage()
        {
            return new Storage(Created((out IntPtr created) =>
                native.ckpt_checkpoint_manager_get_storage(Handle, out created), native.ckpt_storage_release));
        }

        /// <summary>Returns a new reference to the coordinator of the manager, or to one of a single process if it has
        /// none.</summary>
        public Coordinator GetCoordinator()
        {
            return new Coordinator(Created((out IntPtr created) =>
                native.ckpt_checkpoint_manager_get_coordinator(Handle, out created), native.ckpt_coordinator_release));
        }

        /// <summary>Returns a new reference to the fault handler of the manager; its count of retries is the manager's if nothing
        /// else uses it.</summary>
        public FaultHandler GetFaultHandler()
        {
            return new FaultHandler(Created((out IntPtr created) =>
                native.ckpt_checkpoint_manager_get_fault_handler(Handle, out created), native.ckpt_fault_handler_release));
        }

        /// <summary>Lists the checkpoints of the storage, valid or not (except those renamed to "torn-..."), in the order in which
        /// a load tries them, abandoned ones last.</summary>
        public IReadOnlyList<CheckpointInfo> List()
        {
            return NativeList.Created(native.ckpt_checkpoint_manager_list(Handle), at =>
                new CheckpointInfo(new ckpt_checkpoint_info(at, false)));
        }

        /// <summary>Returns the checkpoint that a load tries first: among those of the current line with status
        /// <see cref="CkptStatus.Ok"/>, the one with the highest step, then the last commit. Null when there is none; a warning in
        /// the log then names the newest abandoned one.</summary>
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

        /// <summary>Returns the checkpoint that has the best metric, as <c>BestMetric</c> of the manager's options specifies; of
        /// equal ones, with the newest. Only those of the current line with status <see cref="CkptStatus.Ok"/> count. Null when
        /// none has a metric; a warning in the log then names the newest abandoned one that has.</summary>
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

        /// <summary>Returns the newest checkpoint of this step (&gt;= 0) with status <see cref="CkptStatus.Ok"/>; one of the
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

        /// <summary>Removes one checkpoint permanently, durably and atomically: after a crash it is either complete or invisible to
        /// every load. name: as in <see cref="CheckpointInfo"/>, of a valid or damaged checkpoint.
        /// <see cref="CkptStatus.NotFound"/> without a directory of that name; <see cref="CkptStatus.InvalidState"/> when it is
        /// pinned or the manager is read-only, <see cref="CkptStatus.Forked"/> in a forked child. If files remain, the storage's
        /// first error, with its message; later saves try again. Waits for a save in progress.</summary>
        public void Remove(string name)
        {
            native.ckpt_checkpoint_manager_remove(Handle, name);
        }

        /// <summary>Pins the newest checkpoint of this step (&gt;= 0) with status <see cref="CkptStatus.Ok"/>, durably: retention
        /// of this and later processes does not remove it. Earlier versions of the library ignore pins.
        /// <see cref="CkptStatus.NotFound"/> when there is none; else as <c>CheckpointManager.Remove</c>.</summary>
        public void Pin(long step)
        {
            native.ckpt_checkpoint_manager_pin(Handle, step);
        }

        /// <summary>Removes the pins of all checkpoints of this step (&gt;= 0), durably: the next save may remove them.
        /// <see cref="CkptStatus.NotFound"/> when the step has no checkpoint; else as <c>CheckpointManager.Remove</c>.</summary>
        public void Unpin(long step)
        {
            native.ckpt_checkpoint_manager_unpin(Handle, step);
        }

        /// <summary>Removes the checkpoints that a save would now remove, durably. keepRules: as in
        /// <see cref="CheckpointManagerOptions"/>, instead of all retention rules of these options; null or empty: the rules of
        /// these options. When dryRun is true, nothing is changed. The last committed one is always kept.
        /// <see cref="CkptStatus.InvalidArgument"/> for rules that cannot be parsed; without a dry run errors as
        /// <c>CheckpointManager.Remove</c>.</summary>
        public IReadOnlyList<CheckpointInfo> Prune([AllowNull] string keepRules = null, bool dryRun = false)
        {
            return NativeList.Created(native.ckpt_checkpoint_manager_prune(Handle, keepRules, dryRun ? 1 : 0), at =>
                new CheckpointInfo(new ckpt_checkpoint_info(at, false)));
        }

        /// <summary>Removes the abandoned checkpoints that are not pinned, and no others, durably and regardless of the manager's
        /// rules. Those with an unreadable manifest are kept. Reads and verifies the newest checkpoint of the line first, while
        /// saves wait; if none of the line is valid, the newest valid abandoned one is kept, too. dryRun and errors as in
        /// <c>CheckpointManager.Prune</c>.</summary>
        public IReadOnlyList<CheckpointInfo> PruneAbandoned(bool dryRun = false)
        {
            return NativeList.Created(native.ckpt_checkpoint_manager_prune_abandoned(Handle, dryRun ? 1 : 0), at =>
                new CheckpointInfo(new ckpt_checkpoint_info(at, false)));
        }

        /// <summary>Returns the manifest of one checkpoint: a JSON object with its step, groups, files, tensors, values and
        /// metadata (docs/reference/file-format.md). name: as in <see cref="CheckpointInfo"/>, or ".".
        /// <see cref="CkptStatus.NotFound"/> without a manifest, <see cref="CkptStatus.Corrupt"/> when it is damaged.</summary>
        public string GetManifest(string name)
        {
            return native.ckpt_checkpoint_manager_get_manifest(Handle, name);
        }

        /// <summary>Returns the JSON values that one rank saved, as an object. name: as in <see cref="CheckpointInfo"/>, or ".".
        /// rank: 0 .. <c>WorldSize</c> - 1 of the checkpoint, else <see cref="CkptStatus.OutOfRange"/>. For runs that resume with
        /// another number of ranks and redistribute the values of each rank. Errors as <c>CheckpointManager.Manifest</c>.</summary>
        public string GetRankValues(string name, long rank)
        {
            return native.ckpt_checkpoint_manager_get_rank_values(Handle, name, rank);
        }

        /// <summary>Reads a whole checkpoint and verifies every checksum, size and header. name: as in
        /// <see cref="CheckpointInfo"/>, or "."; null: the newest one with a manifest, or another one if a writer removes that
        /// during the call. <see cref="CkptStatus.Corrupt"/> with a message that names the first damaged file and, if known, the
        /// tensor. <see cref="CkptStatus.NotFound"/> if the checkpoint does not exist (any more).</summary>
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

        /// <summary>Waits until every process has called it. timeout: &gt;= 0; <see cref="CkptStatus.Timeout"/> after that. A
        /// custom coordinator's error is returned if it is a status, else as <see cref="CkptStatus.Callback"/>. Invalid arguments
        /// of this function, <c>Coordinator.Broadcast</c>, <c>Coordinator.AllGather</c> and <c>Coordinator.Gather</c> are detected
        /// only by their process: the others wait for it until <see cref="CkptStatus.Timeout"/>.</summary>
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
        /// followed. Such files have no checksums: only headers are checked. <see cref="CkptStatus.NotFound"/>,
        /// <see cref="CkptStatus.Corrupt"/> (also if a file lacks a tensor of the index), <see cref="CkptStatus.Permission"/>,
        /// <see cref="CkptStatus.Io"/>.</summary>
        public Reader(string path)
            : this(Created((out IntPtr created) => native.ckpt_reader_create(path, out created), native.ckpt_reader_release))
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
        /// (<see cref="CkptStatus.InvalidArgument"/>). After <see cref="CkptStatus.Corrupt"/> (a checksum does not match, or the
        /// file has shrunk) or <see cref="CkptStatus.Io"/> the tensor's contents are undefined.</summary>
        public void ReadInto(long index, Tensor tensor)
        {
            native.ckpt_reader_read(Handle, index, HandleOf(tensor));
        }

        /// <summary>Reads a tensor's bytes as <c>Reader.ReadInto</c>, into a new tensor with memory of pool (null: the process's
        /// default pool).</summary>
        public Tensor Read(long index, [AllowNull] BufferPool pool = null)
        {
            return new Tensor(Created((out IntPtr created) =>
                native.ckpt_reader_read_new(Handle, index, HandleOf(pool), out created), native.ckpt_tensor_release));
        }

        /// <summary>Reads rows begin .. begin+length-1 along the first dimension into a new tensor with length as its first
        /// dimension and memory of pool (null: the process's default pool). <see cref="CkptStatus.OutOfRange"/> for rows that do
        /// not exist; <see cref="CkptStatus.InvalidArgument"/> for a scalar; <see cref="CkptStatus.Unsupported"/> if elements have
        /// less than a byte and the rows do not begin and end at whole bytes.</summary>
        public Tensor ReadSlice(long index, long begin, long length, [AllowNull] BufferPool pool = null)
        {
            return new Tensor(Created((out IntPtr created) =>
                native.ckpt_reader_read_slice(Handle, index, begin, length, HandleOf(pool), out created),
                    native.ckpt_tensor_release));
        }

        /// <summary>Returns a new read-only tensor over the file itself (mmap): no byte is copied, and pages are read on access. It
        /// keeps the mapping alive, also after the release of the reader and the manager. <see cref="CkptStatus.Unsupported"/> if
        /// the storage does not support mappings, or if the tensor's bytes are not aligned for its dtype (files of other programs)
        /// or are blocks in several files: read the tensor instead. <see cref="CkptStatus.Corrupt"/> if the file is now shorter
        /// than when it was opened. If another program truncates the file later, access to the missing part kills the process
        /// (SIGBUS). So does access to pages that cannot be read from the disk. Only <c>Reader.ReadInto</c> returns errors for
        /// these. libckpt never changes a committed file.</summary>
        public Tensor Map(long index)
        {
            return new Tensor(Created((out IntPtr created) =>
                native.ckpt_reader_map(Handle, index, out created), native.ckpt_tensor_release));
        }
    }

    public unsafe partial class State
    {
        internal State(NativeHandle handle) : base(handle)
        {
        }

        /// <summary>Creates an empty state.</summary>
        public State()
            : this(Created(native.ckpt_state_create, native.ckpt_state_release))
        {
        }

        /// <summary>Adds a tensor, which is shared and kept alive, not copied: a save reads and a load writes its memory. group:
        /// created if it is new; each group becomes one file ("model" -&gt; model.safetensors). Not blank, at most 64 bytes. name:
        /// not blank, not "__metadata__"; <see cref="CkptStatus.AlreadyExists"/> if the group has it.
        /// <see cref="CkptStatus.OutOfRange"/> if the product of the lengths, computed from left to right up to the first 0,
        /// exceeds 2^63 - 1.</summary>
        public State Add(string group, string name, Tensor tensor)
        {
            native.ckpt_state_add_tensor(Handle, group, name, HandleOf(tensor));
            return this;
        }

        /// <summary>Adds a tensor that is sharded over the ranks of a run: each rank adds the same name, dtype and global shape,
        /// and then adds its blocks (zero or more) by <c>State.AddBlock</c>. Tensors of <c>State.Add</c> are replicated: every rank
        /// has the whole tensor, and it is saved once. group, name: as in <c>State.Add</c>. shape: ndim (0 .. 8) lengths, &gt;= 0;
        /// null only when ndim is 0. The blocks of all ranks must cover the tensor; several ranks may have the same block,
        /// otherwise blocks must not overlap. Else a save fails with <see cref="CkptStatus.InvalidArgument"/> that names the
        /// missing or overlapping part.</summary>
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

        /// <summary>Declares that the tensors of a group rarely change (rarely is true) or revokes that (false, the initial state):
        /// a save with <c>SaveOptions.Incremental</c> does not write the group's file again if none of them has changed since the
        /// previous checkpoint. The group need not exist yet.</summary>
        public void SetRarelyChanges(string group, bool rarely = true)
        {
            native.ckpt_state_set_rarely_changes(Handle, group, rarely ? 1 : 0);
        }
    }
}
