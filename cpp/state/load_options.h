// Options and results of loads and verifications.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "state/line.h"

namespace ckpt::state {

enum class Verify { none, full, lazy };  // lazy: for readers

// Which conversions to the element types of the state's tensors are allowed.
enum class Conversion { none, lossless, lossy };

struct LoadOptions {
  std::string name;                       // name of the checkpoint; "": the newest valid one
  std::optional<std::int64_t> step = {};  // the newest valid one of this step; not with a name
  Verify verify = Verify::full;
  bool compare_environment = false;
  std::string environment_json;  // the caller's part of this run's environment, for the comparison
  std::string blas;              // loaded by this process; "": none, or not known
  bool partial = false;          // tensors missing on one side are reported instead of an error; dtypes and shapes must still match
  bool in_place = false;         // reads directly into the tensors: faster, but their contents are undefined if the load fails
  std::string strip_prefix = {};  // removed from the checkpoint's names that begin with it, then ...
  std::string add_prefix = {};    // ... prepended to each name; the result is searched in the state
  // Returns the state's name for a tensor of a group; called after the prefixes are applied. Empty: only the prefixes are applied.
  std::function<std::string(const std::string& group, const std::string& name)> rename = {};
  Conversion convert = Conversion::none;
  std::shared_ptr<const std::atomic<bool>> stop = {};  // when true: Error(cancelled) at the next tensor
  std::function<void()> before_filling = {};  // called at least once before tensors are written; may throw Error(cancelled)
};

struct LoadResult {
  std::string name;
  std::int64_t step = 0;
  std::int64_t commit_sequence = 0;
  std::uint64_t seed = 0;
  std::int64_t bytes = 0;
  std::int64_t skipped = 0;  // newer checkpoints that could not be used; the state's load report lists them
  bool environment_differs = false;
  std::string blas_to_come = {};          // the checkpoint's, if this process has not loaded a BLAS to compare
  std::int64_t missing = 0;               // tensors of the state missing in the checkpoint: they keep their contents
  std::int64_t unexpected = 0;            // tensors of the checkpoint missing in the state
  bool partly_filled = false;             // a failed load had begun to write the tensors
  std::int64_t world_size = 0;            // of the group that saved it
  std::shared_ptr<const Line> line = {};  // from the checkpoint
};

// Thrown by a load that had begun to write the tensors.
class PartlyFilled final : public base::Error {
 public:
  using Error::Error;
};

struct VerifyResult {
  std::string name;
  std::int64_t files = 0;
  std::int64_t tensors = 0;
  std::int64_t bytes = 0;
};

}  // namespace ckpt::state
