// Generated from include/ckpt by tools/api: do not edit.
// state.hpp - the values of state.h in C++: its enums, options and results.
// clang-format off
#ifndef CKPT_VALUES_STATE_HPP
#define CKPT_VALUES_STATE_HPP

#include <ckpt/state.h>
#include <ckpt/values/value.hpp>
#include <ckpt/values/base.hpp>
#include <ckpt/values/tensor.hpp>

namespace ckpt {

// Which metric is the best.
enum class BestMetric : std::int32_t {
  // the best metric is the smallest
  smallest = CKPT_BEST_METRIC_SMALLEST,
  // the best metric is the largest
  largest = CKPT_BEST_METRIC_LARGEST,
};

// The level of checks on the bytes that are read.
enum class Verify : std::int32_t {
  // no checksums are checked; sizes, headers and manifest are still checked
  none = CKPT_VERIFY_NONE,
  // checks the checksum of every byte that is loaded
  full = CKPT_VERIFY_FULL,
  // only for readers: checks the checksum of a tensor at the first access
  lazy = CKPT_VERIFY_LAZY,
};

// Which element types a load converts.
enum class Conversion : std::int32_t {
  // no conversion: the state's tensors must have the element types of the checkpoint
  none = CKPT_CONVERSION_NONE,
  // elements are converted only to types that represent all their values: F16 and BF16 to F32 and F64, F32 to F64, integers to
  // wider integers that include their range, and to F32 and F64 where these represent all of them
  lossless = CKPT_CONVERSION_LOSSLESS,
  // any integers of 8 to 64 bits and floating-point numbers of 16 to 64 bits are converted to any others of these: rounded to
  // the nearest, ties to even; to integers only from whole numbers. A value outside the range of the other type is an error
  lossy = CKPT_CONVERSION_LOSSY,
};

// Information about one checkpoint, without reading its files.
struct CheckpointInfo {
  // Status::ok: manifest and file sizes are valid (checksums of files are not checked); Status::not_found: no manifest, so the
  // save is in progress or was interrupted; Status::corrupt: damaged; others: the error that prevented reading it
  Status status = Status::ok;
  // number of the step that was saved
  std::int64_t step = 0;
  // sequence number of the save in its storage; 0 unless status is Status::ok
  std::int64_t commit_sequence = 0;
  // bytes of the files, the manifest not counted; 0 unless status is Status::ok
  std::int64_t bytes = 0;
  // name of the checkpoint: its directory in the storage
  std::string name = {};
  // metric of the save; std::nullopt when there is none
  std::optional<double> metric = std::nullopt;
  // time of the save, in UTC; 0 when an earlier version wrote it, or status is not Status::ok
  std::chrono::system_clock::time_point saved_utc = {};
  // true when retention does not remove the checkpoint (CheckpointManager::pin), else false
  bool pinned = false;
  // number of ranks that saved it; 0 unless status is Status::ok
  std::int64_t world_size = 0;
  // generation of its line, which increases with each roll-back; 0 in a storage without roll-backs
  std::int64_t generation = 0;
  // true when a later run went back to an earlier step: only loads by name or step select the checkpoint, and retention
  // removes it first, else false
  bool abandoned = false;
  // true when, on an object store, its commit record is damaged, and only the digest in the record shows that it belongs to
  // this checkpoint, else false. Loads use the checkpoint and count the record in skipped
  bool record_damaged = false;
};
namespace detail {
inline CheckpointInfo from_c(const ckpt_checkpoint_info& from) {
  CheckpointInfo to;
  take(to.status, from.status);
  take(to.step, from.step);
  take(to.commit_sequence, from.commit_sequence);
  take(to.bytes, from.bytes);
  take(to.name, from.name);
  take(to.metric, from.metric, from.has_metric);
  take(to.saved_utc, from.saved_utc_ns);
  take(to.pinned, from.pinned);
  take(to.world_size, from.world_size);
  take(to.generation, from.generation);
  take(to.abandoned, from.abandoned);
  take(to.record_damaged, from.record_damaged);
  return to;
}
}  // namespace detail

// Options for opening the checkpoints of a storage, and rules for retention.
struct CheckpointManagerOptions {
  // false locks the storage for writing; true: no lock, nothing is changed, and saving fails. The same on all ranks
  bool read_only = false;
  // number of checkpoints to keep after each save, the saved one included; older ones are removed; 0 (the default): all are
  // kept. Retention reads manifests, not files: a checkpoint with an unreadable manifest neither counts nor is removed. A
  // checkpoint that a load or verification of this process found damaged does not count, and is removed once it is older than
  // all kept ones; the newest undamaged one is never removed. Directories left by interrupted saves are removed, too, once a
  // checkpoint of the same or a later step is saved
  std::int64_t keep_last = 0;
  // checkpoints with a step that is a multiple of this are kept, too (of equal steps the last committed); 0: none. Requires
  // keep_last >= 1
  std::int64_t keep_every = 0;
  // number of checkpoints with the best metric that are kept, too, of equal ones the newest; 0: none. Requires keep_last >= 1
  std::int64_t keep_best = 0;
  // which metric is the best: BestMetric::smallest (the default) or BestMetric::largest
  BestMetric best_metric = BestMetric::smallest;
  // coordinator of the processes of the run; kept alive; nullptr: a single process
  detail::Borrowed<ckpt_coordinator> coordinator = {};
  // decides which errors of the storage are retried; kept alive; nullptr: a handler with default options. Set one with
  // max_attempts 1 to disable retries, also for a storage that retries by itself: the attempts would multiply
  detail::Borrowed<ckpt_fault_handler> fault_handler = {};
  // retention rules, separated by commas. After every save older checkpoints are removed, except those that a rule, keep,
  // keep_last, keep_every or keep_best keeps, those that are pinned, and the newest valid one. "last:COUNT": the newest ones;
  // "every:STEPS": those with a step that is a multiple; "best:COUNT" (as best_metric specifies), "best:COUNT:min" and
  // "best:COUNT:max": those with the best metric; "newer:AGE": those with an age below this, in seconds, or with s, m, h, d or
  // w after the number, and those of unknown age. For example "last:3, every:100, best:2:max, newer:24h". Empty: no rules.
  // Damaged and unreadable checkpoints are treated as for keep_last
  std::string keep_rules = {};
  // maximum time for which one call, or the writing of one background save, waits for the other ranks of a coordinator of
  // several processes; 0 (the default): ten minutes
  std::chrono::nanoseconds timeout = std::chrono::nanoseconds(0);
};
namespace detail {
inline ckpt_checkpoint_manager_options to_c(const CheckpointManagerOptions& from) {
  ckpt_checkpoint_manager_options to = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  put(from.read_only, to.read_only);
  put(from.keep_last, to.keep_last);
  put(from.keep_every, to.keep_every);
  put(from.keep_best, to.keep_best);
  put(from.best_metric, to.best_metric);
  put(from.coordinator, to.coordinator);
  put(from.fault_handler, to.fault_handler);
  put(from.keep_rules, to.keep_rules);
  put(from.timeout, to.timeout_ns);
  return to;
}
}  // namespace detail

// Options of one save.
struct SaveOptions {
  // number of the step, >= 0; a load takes the highest one of the current line
  std::int64_t step = 0;
  // seed of the run's random numbers, stored for the load
  std::uint64_t seed = 0;
  // arbitrary JSON for users and tools; empty: the JSON value null
  std::string metadata_json = {};
  // JSON that describes the environment on which the results' last bits depend (hardware, other libraries); empty: nothing.
  // The library adds its version and the BLAS that this process uses, if one is loaded already
  std::string environment_json = {};
  // prefix of the checkpoint's name, for users: 1 .. 24 characters of a-z, 0-9 and '_', not "step" or "torn"; loads and
  // retention ignore it. Empty: no prefix
  std::string prefix = {};
  // metric of the state, for the selection of the best checkpoints. If it is not finite, the state is saved without a metric,
  // a warning is logged, and metric_ignored is set in the result; std::nullopt when there is none
  std::optional<double> metric = std::nullopt;
  // true (the default): an unchanged file of a group that rarely changes is linked or copied instead of written from memory;
  // false: all files are written
  bool incremental = true;
  // other than 0: with several ranks, compares the checksums of replicated tensors, and of blocks that several ranks have,
  // before the save; a difference fails the save with Status::invalid_argument that names the tensor and the ranks. Reads
  // every byte of these tensors
  bool check_replicas = false;
};
namespace detail {
inline ckpt_save_options to_c(const SaveOptions& from) {
  ckpt_save_options to = CKPT_SAVE_OPTIONS_INIT;
  put(from.step, to.step);
  put(from.seed, to.seed);
  put(from.metadata_json, to.metadata_json);
  put(from.environment_json, to.environment_json);
  put(from.prefix, to.prefix);
  put(from.metric, to.metric, to.has_metric);
  put(from.incremental, to.incremental);
  put(from.check_replicas, to.check_replicas);
  return to;
}
}  // namespace detail

// Result of one save.
struct SaveResult {
  // number of files of the checkpoint, the manifest not counted
  std::int64_t files = 0;
  // number of the step that was saved
  std::int64_t step = 0;
  // sequence number of the save, which increases with every save in this storage
  std::int64_t commit_sequence = 0;
  // bytes of the files, the manifest not counted
  std::int64_t bytes = 0;
  // name of the checkpoint: its directory in the storage
  std::string name = {};
  // number of files that were linked or copied because they had not changed
  std::int64_t linked = 0;
  // bytes of the files that this rank wrote; equal to bytes for a single process
  std::int64_t rank_bytes = 0;
  // generation of the checkpoint's line, which increases with each roll-back; 0 in a storage without roll-backs
  std::int64_t generation = 0;
  // true when the generation begins with this save: the run went back to an earlier step, or a new run began in an existing
  // storage, and the checkpoints that are not on its line are abandoned, else false
  bool rolled_back = false;
  // true when the metric was not finite, so that the checkpoint has none, else false
  bool metric_ignored = false;
  // number of background tasks of this storage that failed in this process with a failure that no caller received before the
  // release of their manager. Set by the first save of the storage that completes afterwards; else 0
  std::int64_t unreported_failures = 0;
  // status of the oldest of the unreported failures; Status::ok when there are none
  Status unreported_status = Status::ok;
  // the oldest of the unreported failures: one line of UTF-8, cut off at a character; empty when there are none
  std::string unreported_error = {};
};
namespace detail {
inline SaveResult from_c(const ckpt_save_result& from) {
  SaveResult to;
  take(to.files, from.files);
  take(to.step, from.step);
  take(to.commit_sequence, from.commit_sequence);
  take(to.bytes, from.bytes);
  take(to.name, from.name);
  take(to.linked, from.linked);
  take(to.rank_bytes, from.rank_bytes);
  take(to.generation, from.generation);
  take(to.rolled_back, from.rolled_back);
  take(to.metric_ignored, from.metric_ignored);
  take(to.unreported_failures, from.unreported_failures);
  take(to.unreported_status, from.unreported_status);
  take(to.unreported_error, from.unreported_error);
  return to;
}
}  // namespace detail

// Options of one load.
struct LoadOptions {
  // level of checks: Verify::full (the default) or Verify::none
  Verify verify = Verify::full;
  // name of the checkpoint to load, without fallback to another one; empty: the newest valid one
  std::string name = {};
  // step of the checkpoint to load, of several the newest valid one; std::nullopt when there is none; not together with name
  std::optional<std::int64_t> step = std::nullopt;
  // JSON that describes the environment of this run, compared with the environment of the save; empty: not compared. The
  // library's version and the BLAS are always compared, if both sides have them
  std::string environment_json = {};
  // false: the state and the checkpoint must have the same names; true: tensors that only one of them has are counted and
  // listed in the load report; tensors and keys of the state that the checkpoint lacks keep their values
  bool partial = false;
  // false: a load that fails leaves the state's tensors unchanged. For that, files of the file system are read twice, to check
  // them and to copy them, and the copy is checked again; files of other storages need additional memory of the size of the
  // tensors. Other values: bytes are read directly into the tensors and checked there, which is faster and needs no additional
  // memory; after a load that fails the contents of the tensors are undefined
  bool in_place = false;
  // prefix that is removed from the checkpoint's tensor names that begin with it, before they are looked up in the state
  // ("module."); empty: no prefix is removed. Two names that become equal, or a name that becomes empty, are an error
  std::string strip_prefix = {};
  // prefix that is added to each of the checkpoint's tensor names, after strip_prefix was removed, before they are looked up
  // in the state; empty: no prefix is added
  std::string add_prefix = {};
  // which element types are converted to those of the state's tensors: Conversion::none (the default), Conversion::lossless or
  // Conversion::lossy
  Conversion convert = Conversion::none;
};
namespace detail {
inline ckpt_load_options to_c(const LoadOptions& from) {
  ckpt_load_options to = CKPT_LOAD_OPTIONS_INIT;
  put(from.verify, to.verify);
  put(from.name, to.name);
  put(from.step, to.step, to.has_step);
  put(from.environment_json, to.environment_json);
  put(from.partial, to.partial);
  put(from.in_place, to.in_place);
  put(from.strip_prefix, to.strip_prefix);
  put(from.add_prefix, to.add_prefix);
  put(from.convert, to.convert);
  return to;
}
}  // namespace detail

// Result of one load.
struct LoadResult {
  // true when environment_json was set and differs from the checkpoint's, or the library's version or the BLAS in use differs.
  // The log names the difference; results may differ in their last bits. If no BLAS is in use yet, its first use logs a
  // warning
  bool environment_differs = false;
  // number of the step that was loaded
  std::int64_t step = 0;
  // sequence number of the save in its storage
  std::int64_t commit_sequence = 0;
  // seed of the run's random numbers, as saved
  std::uint64_t seed = 0;
  // bytes of the files, the manifest not counted
  std::int64_t bytes = 0;
  // number of newer checkpoints that could not be used, plus, on an object store, 1 for a damaged commit record of the
  // checkpoint that was loaded; the load report lists them. A directory without a manifest is not a checkpoint and does not
  // count
  std::int64_t skipped = 0;
  // name of the checkpoint: its directory in the storage; truncated if it is longer (possible only for a load by name)
  std::string name = {};
  // number of tensors of the state that the checkpoint lacks; 0 unless the load was partial
  std::int64_t missing = 0;
  // number of tensors of the checkpoint that the state lacks; 0 unless the load was partial
  std::int64_t unexpected = 0;
  // true after a load that failed after it had begun to write the tensors, so that some of them hold parts of the checkpoint:
  // a load in place, or a load with a file that changed between its check and its copy. 0 after a successful load
  bool partly_filled = false;
  // number of ranks that saved the checkpoint
  std::int64_t world_size = 0;
};
namespace detail {
inline LoadResult from_c(const ckpt_load_result& from) {
  LoadResult to;
  take(to.environment_differs, from.environment_differs);
  take(to.step, from.step);
  take(to.commit_sequence, from.commit_sequence);
  take(to.seed, from.seed);
  take(to.bytes, from.bytes);
  take(to.skipped, from.skipped);
  take(to.name, from.name);
  take(to.missing, from.missing);
  take(to.unexpected, from.unexpected);
  take(to.partly_filled, from.partly_filled);
  take(to.world_size, from.world_size);
  return to;
}
}  // namespace detail

// Result of a verification.
struct VerifyResult {
  // number of files that were checked completely, the manifest not counted
  std::int64_t files = 0;
  // number of tensors in the files that were checked
  std::int64_t tensors = 0;
  // bytes of the files that were checked
  std::int64_t bytes = 0;
  // name of the checkpoint: its directory in the storage, truncated if it is longer
  std::string name = {};
};
namespace detail {
inline VerifyResult from_c(const ckpt_verify_result& from) {
  VerifyResult to;
  take(to.files, from.files);
  take(to.tensors, from.tensors);
  take(to.bytes, from.bytes);
  take(to.name, from.name);
  return to;
}
}  // namespace detail

// Information about one tensor in a file.
struct TensorInfo {
  // element type
  DType dtype = DType{0};
  // name of the tensor: UTF-8; may be empty. Valid as long as the reader
  std::string name = {};
  // lengths of the dimensions; empty for 0 dimensions. Valid as long as the reader
  std::vector<std::int64_t> shape = {};
  // size of the tensor in bytes
  std::int64_t bytes = 0;
  // offset of its first byte in the file, in bytes; 0 if it consists of blocks in several files
  std::int64_t offset = 0;
  // group of the checkpoint that the tensor is in; empty for files without groups. Valid as long as the reader
  std::string group = {};
};
namespace detail {
inline TensorInfo from_c(const ckpt_tensor_info& from) {
  TensorInfo to;
  take(to.dtype, from.dtype);
  take(to.name, from.name);
  take(to.shape, from.shape, from.ndim);
  take(to.bytes, from.bytes);
  take(to.offset, from.offset);
  take(to.group, from.group);
  return to;
}
}  // namespace detail

}  // namespace ckpt

#endif
