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

    /// <summary>What is checked of the bytes that are read.</summary>
    public enum Verify
    {
        /// <summary>Trust the bytes; sizes, headers and manifest are checked all the same.</summary>
        None = 0,
        /// <summary>Check the checksum of every byte that is loaded.</summary>
        Full = 1,
        /// <summary>Only for readers: check the checksum of a tensor when it is first touched.</summary>
        Lazy = 2,
    }

    /// <summary>Which element types a load converts.</summary>
    public enum Conversion
    {
        /// <summary>Nothing is converted: the state's tensors must have the element types of the checkpoint.</summary>
        None = 0,
        /// <summary>Elements are converted to types that hold every value of theirs: F16 and BF16 to F32 and F64, F32 to F64,
        /// integers to wider ones of the same or a larger range, and to F32 and F64 where these hold all of them.</summary>
        Lossless = 1,
        /// <summary>Any integers and floating-point numbers of 16 to 64 bits (and integers of 8) are converted to any others of
        /// these: rounded to the nearest, ties to even; integers only from whole numbers. A value that the other type has no place
        /// for is an error.</summary>
        Lossy = 2,
    }

    /// <summary>What is known of one checkpoint without reading its files.</summary>
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
        }

        internal static CheckpointInfo Filled(Action<ckpt_checkpoint_info> fill)
        {
            using (var from = new ckpt_checkpoint_info())
            {
                fill(from);
                return new CheckpointInfo(from);
            }
        }

        /// <summary><see cref="CkptStatus.Ok"/>: manifest and file sizes are right (checksums of files not looked at);
        /// <see cref="CkptStatus.NotFound"/>: no manifest, so being written or cut off; <see cref="CkptStatus.Corrupt"/>: damaged;
        /// others: why it could not be read.</summary>
        public CkptStatus Status { get; }

        /// <summary>Number of the step that was saved.</summary>
        public long Step { get; }

        /// <summary>Number of the save among those in its storage; 0 unless status is <see cref="CkptStatus.Ok"/>.</summary>
        public long CommitSequence { get; }

        /// <summary>Bytes of the files, the manifest not counted; 0 unless status is <see cref="CkptStatus.Ok"/>.</summary>
        public long Bytes { get; }

        /// <summary>Name of the checkpoint: its directory in the storage.</summary>
        public string Name { get; }

        /// <summary>Metric that the save was made with; null when there is none.</summary>
        public double? Metric { get; }

        /// <summary>When the save was made, in nanoseconds since 1970; null when an earlier version made it, or status is not
        /// <see cref="CkptStatus.Ok"/>.</summary>
        public DateTime? SavedUtc { get; }

        /// <summary>True when retention does not remove the checkpoint (<c>CheckpointManager.Pin</c>), else false.</summary>
        public bool Pinned { get; }

        /// <summary>Number of ranks that saved it; 0 unless status is <see cref="CkptStatus.Ok"/>.</summary>
        public long WorldSize { get; }

        /// <summary>Generation of its line, which grows with each roll-back; 0 in a storage that never had one.</summary>
        public long Generation { get; }

        /// <summary>True when a later run went back to an earlier step: only loads by name or step take the checkpoint, and
        /// retention removes it first, else false.</summary>
        public bool Abandoned { get; }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("CheckpointInfo", "Status", Status, "Step", Step, "CommitSequence", CommitSequence, "Bytes", Bytes,
                "Name", Name, "Metric", Metric, "SavedUtc", SavedUtc, "Pinned", Pinned, "WorldSize", WorldSize, "Generation",
                Generation, "Abandoned", Abandoned);
        }
    }

    /// <summary>How the checkpoints of a storage are opened, and which of them stay.</summary>
    public sealed unsafe partial class CheckpointManagerOptions
    {
        /// <summary>False locks the storage for writing; true: no lock, nothing is ever changed, and saving fails. The same on all
        /// ranks.</summary>
        public bool ReadOnly { get; set; }

        /// <summary>After every save older checkpoints are removed, except this many (the saved one included); 0 (the default): all
        /// stay. Manifests are read for that, files are not: one whose manifest does not parse neither counts nor is removed. One
        /// that a load or verification of this process found damaged does not count, and is removed once it is older than all that
        /// stay; the newest other one is never removed. Directories that cut-off saves have left are removed, too, once the saved
        /// one is of the same or a later step.</summary>
        public long KeepLast { get; set; }

        /// <summary>Checkpoints whose step is a multiple of this stay too (of equal steps the last committed); 0: none. Needs
        /// <see cref="KeepLast"/> &gt;= 1.</summary>
        public long KeepEvery { get; set; }

        /// <summary>This many checkpoints with the best metric stay too, of equal ones the newest; 0: none. Needs
        /// <see cref="KeepLast"/> &gt;= 1.</summary>
        public long KeepBest { get; set; }

        /// <summary>Which metric is the best: <see cref="BestMetric.Smallest"/> (the default) or
        /// <see cref="BestMetric.Largest"/>.</summary>
        public BestMetric BestMetric { get; set; } = BestMetric.Smallest;

        /// <summary>Coordinator of the processes of the run; kept alive; null: a single process.</summary>
        [MaybeNull, AllowNull]
        public Coordinator Coordinator { get; set; }

        /// <summary>Says which of the storage's errors are tried again; kept alive; null: one with its usual settings. Set one with
        /// <c>MaxAttempts</c> 1 for no attempts but the first, also before a storage that tries again by itself: the attempts would
        /// multiply.</summary>
        [MaybeNull, AllowNull]
        public FaultHandler FaultHandler { get; set; }

        /// <summary>Rules, with commas between them; after every save older checkpoints are removed, except those that a rule, keep
        /// or the fields above keep, those that are pinned, and the newest good one. "last:COUNT": the newest ones; "every:STEPS":
        /// those whose step is a multiple; "best:COUNT" (as <see cref="BestMetric"/> says), "best:COUNT:min" and "best:COUNT:max":
        /// those with the best metric; "newer:AGE": those that were saved less than this ago, in seconds, or with s, m, h, d or w
        /// behind the number, or at a time that is not known. For example "last:3, every:100, best:2:max, newer:24h". Null or
        /// empty: no rules. What is said of <see cref="KeepLast"/> holds.</summary>
        [MaybeNull, AllowNull]
        public string KeepRules { get; set; }

        /// <summary>Time for which one call, or the writing of one save in the background, waits for the other ranks of a
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

    /// <summary>What one save writes, and how.</summary>
    public sealed unsafe partial class SaveOptions
    {
        /// <summary>Number of the step, &gt;= 0; a load takes the highest one of the current line.</summary>
        public long Step { get; set; }

        /// <summary>Seed of the run's random numbers, kept for the load.</summary>
        public ulong Seed { get; set; }

        /// <summary>JSON text of anything, for people and tools; null: the JSON value null.</summary>
        [MaybeNull, AllowNull]
        public string MetadataJson { get; set; }

        /// <summary>JSON text of what else the results' last bits depend on (hardware, other libraries); null: nothing. The library
        /// adds its version and the BLAS that this process uses by then, and loads none for that.</summary>
        [MaybeNull, AllowNull]
        public string EnvironmentJson { get; set; }

        /// <summary>Begins the checkpoint's name, for people: 1 .. 24 of a-z, 0-9 and '_', not "step" or "torn"; loads and
        /// retention do not look at it. Null or empty: no prefix.</summary>
        [MaybeNull, AllowNull]
        public string Prefix { get; set; }

        /// <summary>Metric of the state, compared to find the best checkpoints. If it is not finite, the state is saved without a
        /// metric, a warning is logged, and <c>MetricIgnored</c> is set in the result; null when there is none.</summary>
        public double? Metric { get; set; }

        /// <summary>True (the default): an unchanged file of a group that rarely changes is linked to, or copied, not written from
        /// memory; false: all are written.</summary>
        public bool Incremental { get; set; } = true;

        /// <summary>Other than 0 compares checksums of the replicated tensors of all ranks, where there are several, before the
        /// save, and of the blocks of ranks that have the same ones of all sharded tensors; one that differs fails it with
        /// <see cref="CkptStatus.InvalidArgument"/> that names the tensor and the ranks. Reads every byte of these
        /// tensors.</summary>
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

    /// <summary>What one save wrote.</summary>
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

        /// <summary>Number of the save, which grows with every save in this storage.</summary>
        public long CommitSequence { get; }

        /// <summary>Bytes of the files, the manifest not counted.</summary>
        public long Bytes { get; }

        /// <summary>Name of the checkpoint: its directory in the storage.</summary>
        public string Name { get; }

        /// <summary>Number of files that were linked or copied because nothing in them had changed.</summary>
        public long Linked { get; }

        /// <summary>Bytes of those of the files that this rank made; of one process alone: bytes.</summary>
        public long RankBytes { get; }

        /// <summary>Generation of the checkpoint's line, which grows with each roll-back; 0 in a storage that never had
        /// one.</summary>
        public long Generation { get; }

        /// <summary>True when the generation begins with this save: the run went back to an earlier step, or a new run began in an
        /// old storage, and the checkpoints that are not on its line are abandoned, else false.</summary>
        public bool RolledBack { get; }

        /// <summary>True when the metric was not finite, so that the checkpoint has none, else false.</summary>
        public bool MetricIgnored { get; }

        /// <summary>Number of background tasks of this storage that failed in this process and whose managers were released before
        /// a caller received the failure. Set by the first save of the storage that completes afterwards; else 0.</summary>
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

    /// <summary>What one load takes, and how.</summary>
    public sealed unsafe partial class LoadOptions
    {
        /// <summary>What is checked: <see cref="Verify.Full"/> (the default) or <see cref="Verify.None"/>.</summary>
        public Verify Verify { get; set; } = Verify.Full;

        /// <summary>Name of one checkpoint, which is loaded without falling back; null: the newest valid one.</summary>
        [MaybeNull, AllowNull]
        public string Name { get; set; }

        /// <summary>The checkpoint of this step is loaded, of several the newest valid one; null when there is none; not together
        /// with name.</summary>
        public long? Step { get; set; }

        /// <summary>JSON text of what this run's results depend on, compared with what the save wrote; null: not compared. The
        /// library's version and the BLAS are compared in any case, as far as both sides have them.</summary>
        [MaybeNull, AllowNull]
        public string EnvironmentJson { get; set; }

        /// <summary>False: the state and the checkpoint must have the same names; true: tensors that only one side has are counted
        /// and listed in the load report, those of the state and keys that the checkpoint lacks keep what they hold.</summary>
        public bool Partial { get; set; }

        /// <summary>False: a load that fails leaves the state's tensors as they were. Files of the file system are read twice for
        /// that, to check them and to copy them, and checked again in the copy; of other storages' files it needs as much memory
        /// again as the tensors have. Other values: bytes are read straight into the tensors and checked there, which is faster and
        /// needs no memory, and after a load that fails what the tensors hold is undefined.</summary>
        public bool InPlace { get; set; }

        /// <summary>What is taken off the beginning of the checkpoint's tensor names that begin with it, before they are looked for
        /// in the state ("module."); null or empty: nothing. Two names that become one, or a name of which nothing is left, are an
        /// error.</summary>
        [MaybeNull, AllowNull]
        public string StripPrefix { get; set; }

        /// <summary>What is put before each of the checkpoint's tensor names, after <see cref="StripPrefix"/> was taken off, before
        /// they are looked for in the state; null or empty: nothing.</summary>
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

    /// <summary>What one load found.</summary>
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

        /// <summary>True when <c>EnvironmentJson</c> was set and is not the checkpoint's, or the library's version or the BLAS in
        /// use is another one. The log says which; results may differ in their last bits. Where no BLAS is in use yet, its first
        /// use warns in the log.</summary>
        public bool EnvironmentDiffers { get; }

        /// <summary>Number of the step that was loaded.</summary>
        public long Step { get; }

        /// <summary>Number of the save among those in its storage.</summary>
        public long CommitSequence { get; }

        /// <summary>Seed of the run's random numbers, as saved.</summary>
        public ulong Seed { get; }

        /// <summary>Bytes of the files, the manifest not counted.</summary>
        public long Bytes { get; }

        /// <summary>Number of newer checkpoints that could not be used, and, on an object store, 1 for a damaged commit record of
        /// the checkpoint that was loaded; the load report names them. A directory without a manifest is not a checkpoint and does
        /// not count.</summary>
        public long Skipped { get; }

        /// <summary>Name of the checkpoint: its directory in the storage; cut off when it is longer (only if the load was asked for
        /// it by name).</summary>
        public string Name { get; }

        /// <summary>Number of tensors of the state that the checkpoint lacks; 0 unless the load was partial.</summary>
        public long Missing { get; }

        /// <summary>Number of tensors of the checkpoint that the state lacks; 0 unless the load was partial.</summary>
        public long Unexpected { get; }

        /// <summary>True after a load that failed when it had begun to write the tensors, some of which hold parts of the
        /// checkpoint by then: a load in place, or one whose file changed between its check and its copy. 0 after one that
        /// succeeded.</summary>
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

    /// <summary>What a verification checked.</summary>
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

        /// <summary>Number of files whose every byte was checked, the manifest not counted.</summary>
        public long Files { get; }

        /// <summary>Number of tensors in the files that were checked.</summary>
        public long Tensors { get; }

        /// <summary>Bytes of the files that were checked.</summary>
        public long Bytes { get; }

        /// <summary>Name of the checkpoint: its directory in the storage, cut off when it is longer.</summary>
        public string Name { get; }

        /// <summary>The values in one line.</summary>
        /// <returns>The text.</returns>
        public override string ToString()
        {
            return Shown.Of("VerifyResult", "Files", Files, "Tensors", Tensors, "Bytes", Bytes, "Name", Name);
        }
    }

    /// <summary>What is known of one tensor in a file.</summary>
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

        /// <summary>Lengths of the dimensions; empty when there are no dimensions.</summary>
        public long[] Shape { get; }

        /// <summary>Size of the tensor in bytes.</summary>
        public long Bytes { get; }

        /// <summary>Place of its first byte, from the start of the file, in bytes; 0 where it is in blocks of several
        /// files.</summary>
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
