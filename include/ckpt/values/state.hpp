// state.hpp - the values of state.h in C++: its enums, options and results. Made from include/ckpt by tools/api: do not edit.
// clang-format off
#ifndef CKPT_VALUES_STATE_HPP
#define CKPT_VALUES_STATE_HPP

#include <ckpt/state.h>
#include <ckpt/values/value.hpp>
#include <ckpt/values/base.hpp>
#include <ckpt/values/tensor.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

// How the checkpoints of a storage are opened, and which of them stay.
struct CheckpointManagerOptions {
  // false locks the storage for writing; true: no lock, nothing is ever changed, and saving fails
  bool read_only = false;
  // after every save older checkpoints are removed, except this many (the saved one included); 0: all stay. Manifests are read
  // for that, files are not: one whose manifest does not parse neither counts nor is removed. One that a load or verification
  // of this process found damaged does not count, and is removed once it is older than all that stay; the newest other one is
  // never removed. Directories that cut-off saves have left are removed, too, once the saved one is of the same or a later
  // step
  std::int64_t keep_last = 0;
  // checkpoints whose step is a multiple of this stay too (of equal steps the last committed); 0: none. Needs keep_last >= 1
  std::int64_t keep_every = 0;
  // this many checkpoints with the best metric stay too, of equal ones the newest; 0: none. Needs keep_last >= 1
  std::int64_t keep_best = 0;
  // which metric is the best: BestMetric::smallest or BestMetric::largest
  BestMetric best_metric = BestMetric::smallest;
  // coordinator of the processes of the run; kept alive; Status::unsupported when its world size is not 1; none: a single
  // process
  detail::Borrowed<ckpt_coordinator> coordinator = {};
  // says which of the storage's errors are tried again; kept alive; none: one with its usual settings. Set one with
  // max_attempts 1 for no attempts but the first, also before a storage that tries again by itself: the attempts would
  // multiply
  detail::Borrowed<ckpt_fault_handler> fault_handler = {};
};

namespace detail {

// Borrows from value: texts and arrays.
inline ckpt_checkpoint_manager_options to_c(const CheckpointManagerOptions& value) {
  ckpt_checkpoint_manager_options to = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  to.read_only = value.read_only ? 1 : 0;
  to.keep_last = value.keep_last;
  to.keep_every = value.keep_every;
  to.keep_best = value.keep_best;
  to.best_metric = static_cast<int32_t>(value.best_metric);
  to.coordinator = value.coordinator;
  to.fault_handler = value.fault_handler;
  return to;
}

}  // namespace detail

// What one save writes, and how.
struct SaveOptions {
  // number of the step, >= 0; a load takes the checkpoint of the highest step
  std::int64_t step = 0;
  // seed of the run's random numbers, kept for the load
  std::uint64_t seed = 0;
  // JSON text of anything, for people and tools; none: null
  std::string metadata_json = {};
  // JSON text of what else the results' last bits depend on (hardware, other libraries); none: nothing. The library adds its
  // version and the BLAS that this process uses by then, and loads none for that
  std::string environment_json = {};
  // begins the checkpoint's name, for people: 1 .. 24 of a-z, 0-9 and '_', not "step" or "torn"; loads and retention do not
  // look at it. None or empty: no prefix
  std::string prefix = {};
  // metric of the state, compared to find the best checkpoints; finite; std::nullopt when there is none
  std::optional<double> metric = std::nullopt;
  // true: an unchanged file of a group that rarely changes is linked to, or copied, not written from memory; false: all are
  // written
  bool incremental = true;
};

namespace detail {

// Borrows from value: texts and arrays.
inline ckpt_save_options to_c(const SaveOptions& value) {
  ckpt_save_options to = CKPT_SAVE_OPTIONS_INIT;
  to.step = value.step;
  to.seed = value.seed;
  to.metadata_json = detail::text_or_null(value.metadata_json);
  to.environment_json = detail::text_or_null(value.environment_json);
  to.prefix = detail::text_or_null(value.prefix);
  to.has_metric = value.metric ? 1 : 0;
  if (value.metric) to.metric = *value.metric;
  to.incremental = value.incremental ? 1 : 0;
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
};

namespace detail {

inline SaveResult from_c(const ckpt_save_result& from) {
  SaveResult value;
  value.files = from.files;
  value.step = from.step;
  value.commit_sequence = from.commit_sequence;
  value.bytes = from.bytes;
  value.name = detail::text(from.name);
  value.linked = from.linked;
  return value;
}

}  // namespace detail

// What one load takes, and how.
struct LoadOptions {
  // what is checked: Verify::full or Verify::none
  Verify verify = Verify::full;
  // name of one checkpoint, which is loaded without falling back; none: the newest valid one
  std::string name = {};
  // the checkpoint of this step is loaded, of several the newest valid one; std::nullopt when there is none; not together with
  // name
  std::optional<std::int64_t> step = std::nullopt;
  // JSON text of what this run's results depend on, compared with what the save wrote; none: not compared. The library's
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
  // state ("module."); none or empty: nothing. Two names that become one, or a name of which nothing is left, are an error
  std::string strip_prefix = {};
  // what is put before each of the checkpoint's tensor names, after strip_prefix was taken off, before they are looked for in
  // the state; none or empty: nothing
  std::string add_prefix = {};
  // which element types are converted to those of the state's tensors: Conversion::none, Conversion::lossless or
  // Conversion::lossy
  Conversion convert = Conversion::none;
};

namespace detail {

// Borrows from value: texts and arrays.
inline ckpt_load_options to_c(const LoadOptions& value) {
  ckpt_load_options to = CKPT_LOAD_OPTIONS_INIT;
  to.verify = static_cast<int32_t>(value.verify);
  to.name = detail::text_or_null(value.name);
  to.has_step = value.step ? 1 : 0;
  if (value.step) to.step = *value.step;
  to.environment_json = detail::text_or_null(value.environment_json);
  to.partial = value.partial ? 1 : 0;
  to.in_place = value.in_place ? 1 : 0;
  to.strip_prefix = detail::text_or_null(value.strip_prefix);
  to.add_prefix = detail::text_or_null(value.add_prefix);
  to.convert = static_cast<int32_t>(value.convert);
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
  // number of newer checkpoints that could not be used; the load report names them. What has no manifest is no checkpoint and
  // does not count
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
};

namespace detail {

inline LoadResult from_c(const ckpt_load_result& from) {
  LoadResult value;
  value.environment_differs = from.environment_differs != 0;
  value.step = from.step;
  value.commit_sequence = from.commit_sequence;
  value.seed = from.seed;
  value.bytes = from.bytes;
  value.skipped = from.skipped;
  value.name = detail::text(from.name);
  value.missing = from.missing;
  value.unexpected = from.unexpected;
  value.partly_filled = from.partly_filled != 0;
  return value;
}

}  // namespace detail

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
};

namespace detail {

inline CheckpointInfo from_c(const ckpt_checkpoint_info& from) {
  CheckpointInfo value;
  value.status = static_cast<Status>(from.status);
  value.step = from.step;
  value.commit_sequence = from.commit_sequence;
  value.bytes = from.bytes;
  value.name = detail::text(from.name);
  value.metric = from.has_metric != 0 ? std::optional(from.metric) : std::nullopt;
  return value;
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
  VerifyResult value;
  value.files = from.files;
  value.tensors = from.tensors;
  value.bytes = from.bytes;
  value.name = detail::text(from.name);
  return value;
}

}  // namespace detail

// What is known of one tensor in a file.
struct TensorInfo {
  // element type
  DType dtype = DType{0};
  // name of the tensor: UTF-8; may be empty. Valid as long as the reader
  std::string name = {};
  // lengths of the dimensions; none when there are no dimensions. Valid as long as the reader
  std::vector<std::int64_t> shape = {};
  // size of the tensor in bytes
  std::int64_t bytes = 0;
  // place of its first byte, from the start of the file, in bytes
  std::int64_t offset = 0;
  // group of the checkpoint that the tensor is in; empty for files without groups. Valid as long as the reader
  std::string group = {};
};

namespace detail {

inline TensorInfo from_c(const ckpt_tensor_info& from) {
  TensorInfo value;
  value.dtype = static_cast<DType>(from.dtype);
  value.name = detail::text(from.name);
  value.shape = std::vector<std::int64_t>(from.shape, from.shape + from.ndim);
  value.bytes = from.bytes;
  value.offset = from.offset;
  value.group = detail::text(from.group);
  return value;
}

}  // namespace detail

}  // namespace ckpt

#endif  // CKPT_VALUES_STATE_HPP
