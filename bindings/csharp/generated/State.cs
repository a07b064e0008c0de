// Generated from include/ckpt by tools/api: do not edit.
using System;
using System.Diagnostics.CodeAnalysis;
using Ckpt.Interop;

namespace Ckpt
{
    /// <summary>Which metric is the best.</summary>
    public enum BestMetric
    {
        /// <summary>The best metric is the smallest.</summary>
        Smallest = 0,
        /// <summary>The best metric is the largest.</summary>
        Largest = 1,
    }

    /// <summary>The level of checks on the bytes that are read.</summary>
    public enum Verify
    {
        /// <summary>No checksums are checked; sizes, headers and manifest are still checked.</summary>
        None = 0,
        /// <summary>Checks the checksum of every byte that is loaded.</summary>
        Full = 1,
        /// <summary>Only for readers: checks the checksum of a tensor at the first access.</summary>
        Lazy = 2,
    }

    /// <summary>Which element types a load converts.</summary>
    public enum Conversion
    {
        /// <summary>No conversion: the state's tensors must have the element types of the checkpoint.</summary>
        None = 0,
        /// <summary>Elements are converted only to types that represent all their values: F16 and BF16 to F32 and F64, F32 to F64,
        /// integers to wider integers that include their range, and to F32 and F64 where these represent all of them.</summary>
        Lossless = 1,
        /// <summary>Any integers of 8 to 64 bits and floating-point numbers of 16 to 64 bits are converted to any others of these:
        /// rounded to the nearest, ties to even; to integers only from whole numbers. A value outside the range of the other type
        /// is an error.</summary>
        Lossy = 2,
    }

    /// <summary>Information about one checkpoint, without reading its files.</summary>
    public sealed unsafe partial class CheckpointInfo
    {
        internal CheckpointInfo(ckpt_checkpoint_info from)
        {
            Status = (CkptStatus)from.status;
            Step = from.step;
            CommitSequence = from.commit_sequence;
            Bytes = from.bytes;
            Name = from.name;
            Metric = from.has_metric != 0 ? from.metric : (double?)null;
            SavedUtc = from.saved_utc_ns == 0 ? (DateTime?)null : Times.Utc(from.saved_utc_ns);
            Pinned = from.pinned != 0;
            WorldSize = from.world_size;
            Generation = from.generation;
            Abandoned = from.abandoned != 0;
            RecordDamaged = from.record_damaged != 0;
        }

        internal static CheckpointInfo Filled(Action<ckpt_checkpoint_info> fill)
        {
            using (var from = new ckpt_checkpoint_info())
            {
                fill(from);
                return new CheckpointInfo(from);
            }
        }

        /// <summary><see cref="CkptStatus.Ok"/>: manifest and file sizes are valid (checksums of files are not checked);
        /// <see cref="CkptStatus.NotFound"/>: no manifest, so the save is in progress or was interrupted;
        /// <see cref="CkptStatus.Corrupt"/>: damaged; others: the error that prevented reading it.</summary>
        public CkptStatus Status { get; }

        /// <summary>Number of the step that was saved.</summary>
        public long Step { get; }

        /// <summary>Sequence number of the save in its storage; 0 unless status is <see cref="CkptStatus.Ok"/>.</summary>
        public long CommitSequence { get; }

        /// <summary>Bytes of the files, the manifest not counted; 0 unless status is <see cref="CkptStatus.Ok"/>.</summary>
        public long Bytes { get; }

        /// <summary>Name of the checkpoint: its directory in the storage.</summary>
        public string Name { get; }

        /// <summary>Metric of the save; null when there is none.</summary>
        public double? Metric { get; }

        /// <summary>Time of the save, in UTC; null when an earlier version wrote it, or status is not
        /// <see cref="CkptStatus.Ok"/>.</summary>
        public DateTime? SavedUtc { get; }

        /// <summary>True when retention does not remove the checkpoint (<c>CheckpointManager.Pin</c>), else false.</summary>
        public bool Pinned { get; }

        /// <summary>Number of ranks that saved it; 0 unless status is <see cref="CkptStatus.Ok"/>.</summary>
        public long WorldSize { get; }

        /// <summary>Generation of its line, which increases with each roll-back; 0 in a storage without roll-backs.</summary>
        public long Generation { get; }

        /// <summary>True when a later run went back to an earlier step: only loads by name or step select the checkpoint, and
        /// retention removes it first, else false.</summary>
        public bool Abandoned { get; }

        /// <summary>True when, on an object store, its commit record is damaged, and only the digest in the record shows that it
        /// belongs to this checkpoint, else false. Loads use the checkpoint and count the record in skipped.</summary>
        public bool RecordDamaged { get; }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("CheckpointInfo", "Status", Status, "Step", Step, "CommitSequence", CommitSequence, "Bytes", Bytes,
                "Name", Name, "Metric", Metric, "SavedUtc", SavedUtc, "Pinned", Pinned, "WorldSize", WorldSize, "Generation",
                Generation, "Abandoned", Abandoned, "RecordDamaged", RecordDamaged);
        }
    }

    /// <summary>Options for opening the checkpoints of a storage, and rules for retention.</summary>
    public sealed unsafe partial class CheckpointManagerOptions
    {
        /// <summary>False locks the storage for writing; true: no lock, nothing is changed, and saving fails. The same on all
        /// ranks.</summary>
        public bool ReadOnly { get; set; }

        /// <summary>Number of checkpoints to keep after each save, the saved one included; older ones are removed; 0 (the default):
        /// all are kept. Retention reads manifests, not files: a checkpoint with an unreadable manifest neither counts nor is
        /// removed. A checkpoint that a load or verification of this process found damaged does not count, and is removed once it
        /// is older than all kept ones; the newest undamaged one is never removed. Directories left by interrupted saves are
        /// removed, too, once a checkpoint of the same or a later step is saved.</summary>
        public long KeepLast { get; set; }

        /// <summary>Checkpoints with a step that is a multiple of this are kept, too (of equal steps the last committed); 0: none.
        /// Requires <see cref="KeepLast"/> &gt;= 1.</summary>
        public long KeepEvery { get; set; }

        /// <summary>Number of checkpoints with the best metric that are kept, too, of equal ones the newest; 0: none. Requires
        /// <see cref="KeepLast"/> &gt;= 1.</summary>
        public long KeepBest { get; set; }

        /// <summary>Which metric is the best: <see cref="BestMetric.Smallest"/> (the default) or
        /// <see cref="BestMetric.Largest"/>.</summary>
        public BestMetric BestMetric { get; set; } = BestMetric.Smallest;

        /// <summary>Coordinator of the processes of the run; kept alive; null: a single process.</summary>
        [MaybeNull, AllowNull]
        public Coordinator Coordinator { get; set; }

        /// <summary>Decides which errors of the storage are retried; kept alive; null: a handler with default options. Set one with
        /// <c>MaxAttempts</c> 1 to disable retries, also for a storage that retries by itself: the attempts would
        /// multiply.</summary>
        [MaybeNull, AllowNull]
        public FaultHandler FaultHandler { get; set; }

        /// <summary>Retention rules, separated by commas. After every save older checkpoints are removed, except those that a rule,
        /// keep, <see cref="KeepLast"/>, <see cref="KeepEvery"/> or <see cref="KeepBest"/> keeps, those that are pinned, and the
        /// newest valid one. "last:COUNT": the newest ones; "every:STEPS": those with a step that is a multiple; "best:COUNT" (as
        /// <see cref="BestMetric"/> specifies), "best:COUNT:min" and "best:COUNT:max": those with the best metric; "newer:AGE":
        /// those with an age below this, in seconds, or with s, m, h, d or w after the number, and those of unknown age. For
        /// example "last:3, every:100, best:2:max, newer:24h". Null or empty: no rules. Damaged and unreadable checkpoints are
        /// treated as for <see cref="KeepLast"/>.</summary>
        [MaybeNull, AllowNull]
        public string KeepRules { get; set; }

        /// <summary>Maximum time for which one call, or the writing of one background save, waits for the other ranks of a
        /// coordinator of several processes; 0 (the default): ten minutes.</summary>
        public TimeSpan Timeout { get; set; }

        internal static ckpt_checkpoint_manager_options Native(CheckpointManagerOptions from, CallMemory memory)
        {
            if (from == null) return null;
            var to = memory.Add(new ckpt_checkpoint_manager_options());
            to.read_only = from.ReadOnly ? 1 : 0;
            to.keep_last = from.KeepLast;
            to.keep_every = from.KeepEvery;
            to.keep_best = from.KeepBest;
            to.best_metric = (int)from.BestMetric;
            to.coordinator = memory.Of(from.Coordinator);
            to.fault_handler = memory.Of(from.FaultHandler);
            to.keep_rules = memory.Of(from.KeepRules);
            to.timeout_ns = Times.Nanoseconds(from.Timeout);
            return to;
        }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("CheckpointManagerOptions", "ReadOnly", ReadOnly, "KeepLast", KeepLast, "KeepEvery", KeepEvery,
                "KeepBest", KeepBest, "BestMetric", BestMetric, "Coordinator", Coordinator, "FaultHandler", FaultHandler,
                "KeepRules", KeepRules, "Timeout", Timeout);
        }
    }

    /// <summary>Options of one save.</summary>
    public sealed unsafe partial class SaveOptions
    {
        /// <summary>Number of the step, &gt;= 0; a load takes the highest one of the current line.</summary>
        public long Step { get; set; }

        /// <summary>Seed of the run's random numbers, stored for the load.</summary>
        public ulong Seed { get; set; }

        /// <summary>Arbitrary JSON for users and tools; null: the JSON value null.</summary>
        [MaybeNull, AllowNull]
        public string MetadataJson { get; set; }

        /// <summary>JSON that describes the environment on which the results' last bits depend (hardware, other libraries); null:
        /// nothing. The library adds its version and the BLAS that this process uses, if one is loaded already.</summary>
        [MaybeNull, AllowNull]
        public string EnvironmentJson { get; set; }

        /// <summary>Prefix of the checkpoint's name, for users: 1 .. 24 characters of a-z, 0-9 and '_', not "step" or "torn"; loads
        /// and retention ignore it. Null or empty: no prefix.</summary>
        [MaybeNull, AllowNull]
        public string Prefix { get; set; }

        /// <summary>Metric of the state, for the selection of the best checkpoints. If it is not finite, the state is saved without
        /// a metric, a warning is logged, and <c>MetricIgnored</c> is set in the result; null when there is none.</summary>
        public double? Metric { get; set; }

        /// <summary>True (the default): an unchanged file of a group that rarely changes is linked or copied instead of written
        /// from memory; false: all files are written.</summary>
        public bool Incremental { get; set; } = true;

        /// <summary>Other than 0: with several ranks, compares the checksums of replicated tensors, and of blocks that several
        /// ranks have, before the save; a difference fails the save with <see cref="CkptStatus.InvalidArgument"/> that names the
        /// tensor and the ranks. Reads every byte of these tensors.</summary>
        public bool CheckReplicas { get; set; }

        internal static ckpt_save_options Native(SaveOptions from, CallMemory memory)
        {
            if (from == null) return null;
            var to = memory.Add(new ckpt_save_options());
            to.step = from.Step;
            to.seed = from.Seed;
            to.metadata_json = memory.Of(from.MetadataJson);
            to.environment_json = memory.Of(from.EnvironmentJson);
            to.prefix = memory.Of(from.Prefix);
            to.has_metric = from.Metric == null ? 0 : 1;
            to.metric = from.Metric ?? 0;
            to.incremental = from.Incremental ? 1 : 0;
            to.check_replicas = from.CheckReplicas ? 1 : 0;
            return to;
        }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("SaveOptions", "Step", Step, "Seed", Seed, "MetadataJson", MetadataJson, "EnvironmentJson",
                EnvironmentJson, "Prefix", Prefix, "Metric", Metric, "Incremental", Incremental, "CheckReplicas",
                CheckReplicas);
        }
    }

    /// <summary>Result of one save.</summary>
    public sealed unsafe partial class SaveResult
    {
        internal SaveResult(ckpt_save_result from)
        {
            Files = from.files;
            Step = from.step;
            CommitSequence = from.commit_sequence;
            Bytes = from.bytes;
            Name = from.name;
            Linked = from.linked;
            RankBytes = from.rank_bytes;
            Generation = from.generation;
            RolledBack = from.rolled_back != 0;
            MetricIgnored = from.metric_ignored != 0;
            UnreportedFailures = from.unreported_failures;
            UnreportedStatus = (CkptStatus)from.unreported_status;
            UnreportedError = from.unreported_error;
        }

        internal static SaveResult Filled(Action<ckpt_save_result> fill)
        {
            using (var from = new ckpt_save_result())
            {
                fill(from);
                return new SaveResult(from);
            }
        }

        /// <summary>Number of files of the checkpoint, the manifest not counted.</summary>
        public long Files { get; }

        /// <summary>Number of the step that was saved.</summary>
        public long Step { get; }

        /// <summary>Sequence number of the save, which increases with every save in this storage.</summary>
        public long CommitSequence { get; }

        /// <summary>Bytes of the files, the manifest not counted.</summary>
        public long Bytes { get; }

        /// <summary>Name of the checkpoint: its directory in the storage.</summary>
        public string Name { get; }

        /// <summary>Number of files that were linked or copied because they had not changed.</summary>
        public long Linked { get; }

        /// <summary>Bytes of the files that this rank wrote; equal to bytes for a single process.</summary>
        public long RankBytes { get; }

        /// <summary>Generation of the checkpoint's line, which increases with each roll-back; 0 in a storage without
        /// roll-backs.</summary>
        public long Generation { get; }

        /// <summary>True when the generation begins with this save: the run went back to an earlier step, or a new run began in an
        /// existing storage, and the checkpoints that are not on its line are abandoned, else false.</summary>
        public bool RolledBack { get; }

        /// <summary>True when the metric was not finite, so that the checkpoint has none, else false.</summary>
        public bool MetricIgnored { get; }

        /// <summary>Number of background tasks of this storage that failed in this process with a failure that no caller received
        /// before the release of their manager. Set by the first save of the storage that completes afterwards; else 0.</summary>
        public long UnreportedFailures { get; }

        /// <summary>Status of the oldest of the unreported failures; <see cref="CkptStatus.Ok"/> when there are none.</summary>
        public CkptStatus UnreportedStatus { get; }

        /// <summary>The oldest of the unreported failures: one line of UTF-8, cut off at a character; empty when there are
        /// none.</summary>
        public string UnreportedError { get; }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("SaveResult", "Files", Files, "Step", Step, "CommitSequence", CommitSequence, "Bytes", Bytes,
                "Name", Name, "Linked", Linked, "RankBytes", RankBytes, "Generation", Generation, "RolledBack", RolledBack,
                "MetricIgnored", MetricIgnored, "UnreportedFailures", UnreportedFailures, "UnreportedStatus", UnreportedStatus,
                "UnreportedError", UnreportedError);
        }
    }

    /// <summary>Options of one load.</summary>
    public sealed unsafe partial class LoadOptions
    {
        /// <summary>Level of checks: <see cref="Verify.Full"/> (the default) or <see cref="Verify.None"/>.</summary>
        public Verify Verify { get; set; } = Verify.Full;

        /// <summary>Name of the checkpoint to load, without fallback to another one; null: the newest valid one.</summary>
        [MaybeNull, AllowNull]
        public string Name { get; set; }

        /// <summary>Step of the checkpoint to load, of several the newest valid one; null when there is none; not together with
        /// name.</summary>
        public long? Step { get; set; }

        /// <summary>JSON that describes the environment of this run, compared with the environment of the save; null: not compared.
        /// The library's version and the BLAS are always compared, if both sides have them.</summary>
        [MaybeNull, AllowNull]
        public string EnvironmentJson { get; set; }

        /// <summary>False: the state and the checkpoint must have the same names; true: tensors that only one of them has are
        /// counted and listed in the load report; tensors and keys of the state that the checkpoint lacks keep their
        /// values.</summary>
        public bool Partial { get; set; }

        /// <summary>False: a load that fails leaves the state's tensors unchanged. For that, files of the file system are read
        /// twice, to check them and to copy them, and the copy is checked again; files of other storages need additional memory of
        /// the size of the tensors. Other values: bytes are read directly into the tensors and checked there, which is faster and
        /// needs no additional memory; after a load that fails the contents of the tensors are undefined.</summary>
        public bool InPlace { get; set; }

        /// <summary>Prefix that is removed from the checkpoint's tensor names that begin with it, before they are looked up in the
        /// state ("module."); null or empty: no prefix is removed. Two names that become equal, or a name that becomes empty, are
        /// an error.</summary>
        [MaybeNull, AllowNull]
        public string StripPrefix { get; set; }

        /// <summary>Prefix that is added to each of the checkpoint's tensor names, after <see cref="StripPrefix"/> was removed,
        /// before they are looked up in the state; null or empty: no prefix is added.</summary>
        [MaybeNull, AllowNull]
        public string AddPrefix { get; set; }

        /// <summary>Which element types are converted to those of the state's tensors: <see cref="Conversion.None"/> (the default),
        /// <see cref="Conversion.Lossless"/> or <see cref="Conversion.Lossy"/>.</summary>
        public Conversion Convert { get; set; } = Conversion.None;

        internal static ckpt_load_options Native(LoadOptions from, CallMemory memory)
        {
            if (from == null) return null;
            var to = memory.Add(new ckpt_load_options());
            to.verify = (int)from.Verify;
            to.name = memory.Of(from.Name);
            to.has_step = from.Step == null ? 0 : 1;
            to.step = from.Step ?? 0;
            to.environment_json = memory.Of(from.EnvironmentJson);
            to.partial = from.Partial ? 1 : 0;
            to.in_place = from.InPlace ? 1 : 0;
            to.strip_prefix = memory.Of(from.StripPrefix);
            to.add_prefix = memory.Of(from.AddPrefix);
            to.convert = (int)from.Convert;
            return to;
        }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("LoadOptions", "Verify", Verify, "Name", Name, "Step", Step, "EnvironmentJson", EnvironmentJson,
                "Partial", Partial, "InPlace", InPlace, "StripPrefix", StripPrefix, "AddPrefix", AddPrefix, "Convert", Convert);
        }
    }

    /// <summary>Result of one load.</summary>
    public sealed unsafe partial class LoadResult
    {
        internal LoadResult(ckpt_load_result from)
        {
            EnvironmentDiffers = from.environment_differs != 0;
            Step = from.step;
            CommitSequence = from.commit_sequence;
            Seed = from.seed;
            Bytes = from.bytes;
            Skipped = from.skipped;
            Name = from.name;
            Missing = from.missing;
            Unexpected = from.unexpected;
            PartlyFilled = from.partly_filled != 0;
            WorldSize = from.world_size;
        }

        internal static LoadResult Filled(Action<ckpt_load_result> fill)
        {
            using (var from = new ckpt_load_result())
            {
                fill(from);
                return new LoadResult(from);
            }
        }

        /// <summary>True when <c>EnvironmentJson</c> was set and differs from the checkpoint's, or the library's version or the
        /// BLAS in use differs. The log names the difference; results may differ in their last bits. If no BLAS is in use yet, its
        /// first use logs a warning.</summary>
        public bool EnvironmentDiffers { get; }

        /// <summary>Number of the step that was loaded.</summary>
        public long Step { get; }

        /// <summary>Sequence number of the save in its storage.</summary>
        public long CommitSequence { get; }

        /// <summary>Seed of the run's random numbers, as saved.</summary>
        public ulong Seed { get; }

        /// <summary>Bytes of the files, the manifest not counted.</summary>
        public long Bytes { get; }

        /// <summary>Number of newer checkpoints that could not be used, plus, on an object store, 1 for a damaged commit record of
        /// the checkpoint that was loaded; the load report lists them. A directory without a manifest is not a checkpoint and does
        /// not count.</summary>
        public long Skipped { get; }

        /// <summary>Name of the checkpoint: its directory in the storage; truncated if it is longer (possible only for a load by
        /// name).</summary>
        public string Name { get; }

        /// <summary>Number of tensors of the state that the checkpoint lacks; 0 unless the load was partial.</summary>
        public long Missing { get; }

        /// <summary>Number of tensors of the checkpoint that the state lacks; 0 unless the load was partial.</summary>
        public long Unexpected { get; }

        /// <summary>True after a load that failed after it had begun to write the tensors, so that some of them hold parts of the
        /// checkpoint: a load in place, or a load with a file that changed between its check and its copy. 0 after a successful
        /// load.</summary>
        public bool PartlyFilled { get; }

        /// <summary>Number of ranks that saved the checkpoint.</summary>
        public long WorldSize { get; }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("LoadResult", "EnvironmentDiffers", EnvironmentDiffers, "Step", Step, "CommitSequence",
                CommitSequence, "Seed", Seed, "Bytes", Bytes, "Skipped", Skipped, "Name", Name, "Missing", Missing,
                "Unexpected", Unexpected, "PartlyFilled", PartlyFilled, "WorldSize", WorldSize);
        }
    }

    /// <summary>Result of a verification.</summary>
    public sealed unsafe partial class VerifyResult
    {
        internal VerifyResult(ckpt_verify_result from)
        {
            Files = from.files;
            Tensors = from.tensors;
            Bytes = from.bytes;
            Name = from.name;
        }

        internal static VerifyResult Filled(Action<ckpt_verify_result> fill)
        {
            using (var from = new ckpt_verify_result())
            {
                fill(from);
                return new VerifyResult(from);
            }
        }

        /// <summary>Number of files that were checked completely, the manifest not counted.</summary>
        public long Files { get; }

        /// <summary>Number of tensors in the files that were checked.</summary>
        public long Tensors { get; }

        /// <summary>Bytes of the files that were checked.</summary>
        public long Bytes { get; }

        /// <summary>Name of the checkpoint: its directory in the storage, truncated if it is longer.</summary>
        public string Name { get; }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("VerifyResult", "Files", Files, "Tensors", Tensors, "Bytes", Bytes, "Name", Name);
        }
    }

    /// <summary>Information about one tensor in a file.</summary>
    public sealed unsafe partial class TensorInfo
    {
        internal TensorInfo(ckpt_tensor_info from)
        {
            DType = (DType)from.dtype;
            Name = Utf8.Text(from.name) ?? "";
            Shape = NativeList.Copied(from.shape, from.ndim);
            Bytes = from.bytes;
            Offset = from.offset;
            Group = Utf8.Text(from.group) ?? "";
        }

        internal static TensorInfo Filled(Action<ckpt_tensor_info> fill)
        {
            using (var from = new ckpt_tensor_info())
            {
                fill(from);
                return new TensorInfo(from);
            }
        }

        /// <summary>Element type.</summary>
        public DType DType { get; }

        /// <summary>Name of the tensor: UTF-8; may be empty.</summary>
        public string Name { get; }

        /// <summary>Lengths of the dimensions; empty for 0 dimensions.</summary>
        public long[] Shape { get; }

        /// <summary>Size of the tensor in bytes.</summary>
        public long Bytes { get; }

        /// <summary>Offset of its first byte in the file, in bytes; 0 if it consists of blocks in several files.</summary>
        public long Offset { get; }

        /// <summary>Group of the checkpoint that the tensor is in; empty for files without groups.</summary>
        public string Group { get; }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("TensorInfo", "DType", DType, "Name", Name, "Shape", Shape, "Bytes", Bytes, "Offset", Offset,
                "Group", Group);
        }
    }
}
