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

// What is checked of the bytes that are read.
enum class Verify : std::int32_t {
  // trust the bytes; sizes, headers and manifest are checked all the same
  none = CKPT_VERIFY_NONE,
  // check the checksum of every byte that is loaded
  full = CKPT_VERIFY_FULL,
  // only for readers: check the checksum of a tensor when it is first touched
  lazy = CKPT_VERIFY_LAZY,
};

// Which element types a load converts.
enum class Conversion : std::int32_t {
  // nothing is converted: the state's tensors must have the element types of the checkpoint
  none = CKPT_CONVERSION_NONE,
  // elements are converted to types that hold every value of theirs: F16 and BF16 to F32 and F64, F32 to F64, integers to
  // wider ones of the same or a larger range, and to F32 and F64 where these hold all of them
  lossless = CKPT_CONVERSION_LOSSLESS,
  // any integers and floating-point numbers of 16 to 64 bits (and integers of 8) are converted to any others of these: rounded
  // to the nearest, ties to even; integers only from whole numbers. A value that the other type has no place for is an error
  lossy = CKPT_CONVERSION_LOSSY,
};

// What is known of one checkpoint without reading its files.
struct CheckpointInfo {
  // Status::ok: manifest and file sizes are right (checksums of files not looked at); Status::not_found: no manifest, so being
  // written or cut off; Status::corrupt: damaged; others: why it could not be read
  Status status = Status::ok;
  // number of the step that was saved
  std::int64_t step = 0;
  // number of the save among those in its storage; 0 unless status is Status::ok
  std::int64_t commit_sequence = 0;
  // bytes of the files, the manifest not counted; 0 unless status is Status::ok
  std::int64_t bytes = 0;
  // name of the checkpoint: its directory in the storage
  std::string name = {};
  // metric that the save was made with; std::nullopt when there is none
  std::optional<double> metric = std::nullopt;
  // when the save was made, in nanoseconds since 1970; 0 when an earlier version made it, or status is not Status::ok
  std::chrono::system_clock::time_point saved_utc = {};
  // true when retention does not remove the checkpoint (CheckpointManager::pin), else false
  bool pinned = false;
  // number of ranks that saved it; 0 unless status is Status::ok
  std::int64_t world_size = 0;
  // generation of its line, which grows with each roll-back; 0 in a storage that never had one
  std::int64_t generation = 0;
  // true when a later run went back to an earlier step: only loads by name or step take the checkpoint, and retention removes
  // it first, else false
  bool abandoned = false;
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
  return to;
}
}  // namespace detail

// How the checkpoints of a storage are opened, and which of them stay.
struct CheckpointManagerOptions {
  // false locks the storage for writing; true: no lock, nothing is ever changed, and saving fails. The same on all ranks
  bool read_only = false;
  // after every save older checkpoints are removed, except this many (the saved one included); 0 (the default): all stay.
  // Manifests are read for that, files are not: one whose manifest does not parse neither counts nor is removed. One that a
  // load or verification of this process found damaged does not count, and is removed once it is older than all that stay; the
  // newest other one is never removed. Directories that cut-off saves have left are removed, too, once the saved one is of the
  // same or a later step
  std::int64_t keep_last = 0;
  // checkpoints whose step is a multiple of this stay too (of equal steps the last committed); 0: none. Needs keep_last >= 1
  std::int64_t keep_every = 0;
  // this many checkpoints with the best metric stay too, of equal ones the newest; 0: none. Needs keep_last >= 1
  std::int64_t keep_best = 0;
  // which metric is the best: BestMetric::smallest (the default) or BestMetric::largest
  BestMetric best_metric = BestMetric::smallest;
  // coordinator of the processes of the run; kept alive; nullptr: a single process
  detail::Borrowed<ckpt_coordinator> coordinator = {};
  // says which of the storage's errors are tried again; kept alive; nullptr: one with its usual settings. Set one with
  // max_attempts 1 for no attempts but the first, also before a storage that tries again by itself: the attempts would
  // multiply
  detail::Borrowed<ckpt_fault_handler> fault_handler = {};
  // rules, with commas between them; after every save older checkpoints are removed, except those that a rule, keep or the
  // fields above keep, those that are pinned, and the newest good one. "last:COUNT": the newest ones; "every:STEPS": those
  // whose step is a multiple; "best:COUNT" (as best_metric says), "best:COUNT:min" and "best:COUNT:max": those with the best
  // metric; "newer:AGE": those that were saved less than this ago, in seconds, or with s, m, h, d or w behind the number, or
  // at a time that is not known. For example "last:3, every:100, best:2:max, newer:24h". Empty: no rules. What is said of
  // keep_last holds
  std::string keep_rules = {};
  // time for which one call, or the writing of one save in the background, waits for the other ranks of a coordinator of
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

// What one save writes, and how.
struct SaveOptions {
  // number of the step, >= 0; a load takes the highest one of the current line
  std::int64_t step = 0;
  // seed of the run's random numbers, kept for the load
  std::uint64_t seed = 0;
  // JSON text of anything, for people and tools; empty: the JSON value null
  std::string metadata_json = {};
  // JSON text of what else the results' last bits depend on (hardware, other libraries); empty: nothing. The library adds its
  // version and the BLAS that this process uses by then, and loads none for that
  std::string environment_json = {};
  // begins the checkpoint's name, for people: 1 .. 24 of a-z, 0-9 and '_', not "step" or "torn"; loads and retention do not
  // look at it. Empty: no prefix
  std::string prefix = {};
  // metric of the state, compared to find the best checkpoints. If it is not finite, the state is saved without a metric, a
  // warning is logged, and metric_ignored is set in the result; std::nullopt when there is none
  std::optional<double> metric = std::nullopt;
  // true (the default): an unchanged file of a group that rarely changes is linked to, or copied, not written from memory;
  // false: all are written
  bool incremental = true;
  // other than 0 compares checksums of the replicated tensors of all ranks, where there are several, before the save, and of
  // the blocks of ranks that have the same ones of all sharded tensors; one that differs fails it with
  // Status::invalid_argument that names the tensor and the ranks. Reads every byte of these tensors
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

// What one save wrote.
struct SaveResult {
  // number of files of the checkpoint, the manifest not counted
  std::int64_t files = 0;
  // number of the step that was saved
  std::int64_t step = 0;
  // number of the save, which grows with every save in this storage
  std::int64_t commit_sequence = 0;
  // bytes of the files, the manifest not counted
  std::int64_t bytes = 0;
  // name of the checkpoint: its directory in the storage
  std::string name = {};
  // number of files that were linked or copied because nothing in them had changed
  std::int64_t linked = 0;
  // bytes of those of the files that this rank made; of one process alone: bytes
  std::int64_t rank_bytes = 0;
  // generation of the checkpoint's line, which grows with each roll-back; 0 in a storage that never had one
  std::int64_t generation = 0;
  // true when the generation begins with this save: the run went back to an earlier step, or a new run began in an old
  // storage, and the checkpoints that are not on its line are abandoned, else false
  bool rolled_back = false;
  // true when the metric was not finite, so that the checkpoint has none, else false
  bool metric_ignored = false;
  // number of background tasks of this storage that failed in this process and whose managers were released before a caller
  // received the failure. Set by the first save of the storage that completes afterwards; else 0
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

// What one load takes, and how.
struct LoadOptions {
  // what is checked: Verify::full (the default) or Verify::none
  Verify verify = Verify::full;
  // name of one checkpoint, which is loaded without falling back; empty: the newest valid one
  std::string name = {};
  // the checkpoint of this step is loaded, of several the newest valid one; std::nullopt when there is none; not together with
  // name
  std::optional<std::int64_t> step = std::nullopt;
  // JSON text of what this run's results depend on, compared with what the save wrote; empty: not compared. The library's
  // version and the BLAS are compared in any case, as far as both sides have them
  std::string environment_json = {};
  // false: the state and the checkpoint must have the same names; true: tensors that only one side has are counted and listed
  // in the load report, those of the state and keys that the checkpoint lacks keep what they hold
  bool partial = false;
  // false: a load that fails leaves the state's tensors as they were. Files of the file system are read twice for that, to
  // check them and to copy them, and checked again in the copy; of other storages' files it needs as much memory again as the
  // tensors have. Other values: bytes are read straight into the tensors and checked there, which is faster and needs no
  // memory, and after a load that fails what the tensors hold is undefined
  bool in_place = false;
  // what is taken off the beginning of the checkpoint's tensor names that begin with it, before they are looked for in the
  // state ("module."); empty: nothing. Two names that become one, or a name of which nothing is left, are an error
  std::string strip_prefix = {};
  // what is put before each of the checkpoint's tensor names, after strip_prefix was taken off, before they are looked for in
  // the state; empty: nothing
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

// What one load found.
struct LoadResult {
  // true when environment_json was set and is not the checkpoint's, or the library's version or the BLAS in use is another
  // one. The log says which; results may differ in their last bits. Where no BLAS is in use yet, its first use warns in the
  // log
  bool environment_differs = false;
  // number of the step that was loaded
  std::int64_t step = 0;
  // number of the save among those in its storage
  std::int64_t commit_sequence = 0;
  // seed of the run's random numbers, as saved
  std::uint64_t seed = 0;
  // bytes of the files, the manifest not counted
  std::int64_t bytes = 0;
  // number of newer checkpoints that could not be used, and, on an object store, 1 for a damaged commit record of the
  // checkpoint that was loaded; the load report names them. A directory without a manifest is not a checkpoint and does not
  // count
  std::int64_t skipped = 0;
  // name of the checkpoint: its directory in the storage; cut off when it is longer (only if the load was asked for it by
  // name)
  std::string name = {};
  // number of tensors of the state that the checkpoint lacks; 0 unless the load was partial
  std::int64_t missing = 0;
  // number of tensors of the checkpoint that the state lacks; 0 unless the load was partial
  std::int64_t unexpected = 0;
  // true after a load that failed when it had begun to write the tensors, some of which hold parts of the checkpoint by then:
  // a load in place, or one whose file changed between its check and its copy. 0 after one that succeeded
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

// What a verification checked.
struct VerifyResult {
  // number of files whose every byte was checked, the manifest not counted
  std::int64_t files = 0;
  // number of tensors in the files that were checked
  std::int64_t tensors = 0;
  // bytes of the files that were checked
  std::int64_t bytes = 0;
  // name of the checkpoint: its directory in the storage, cut off when it is longer
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

// What is known of one tensor in a file.
struct TensorInfo {
  // element type
  DType dtype = DType{0};
  // name of the tensor: UTF-8; may be empty. Valid as long as the reader
  std::string name = {};
  // lengths of the dimensions; empty when there are no dimensions. Valid as long as the reader
  std::vector<std::int64_t> shape = {};
  // size of the tensor in bytes
  std::int64_t bytes = 0;
  // place of its first byte, from the start of the file, in bytes; 0 where it is in blocks of several files
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
