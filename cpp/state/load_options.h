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

// Which element types are converted to those of the state's tensors.
enum class Conversion { none, lossless, lossy };

struct LoadOptions {
  std::string name;                       // of one checkpoint; "": the newest valid one
  std::optional<std::int64_t> step = {};  // the newest valid one of this step; not with a name
  Verify verify = Verify::full;
  bool compare_environment = false;
  std::string environment_json;   // the caller's part of this run's, when it is to be compared
  std::string blas;               // that this process has loaded; "": none, or it is not known
  bool partial = false;           // what one side lacks is reported, not refused; dtypes and shapes must match all the same
  bool in_place = false;          // bytes go straight into the tensors: faster, and undefined contents when the load fails
  std::string strip_prefix = {};  // taken off the checkpoint's names that begin with it, then ...
  std::string add_prefix = {};    // ... put before each of them, before they are looked for in the state
  // The state's name for a tensor of a group, after the prefixes; empty: these say all.
  std::function<std::string(const std::string& group, const std::string& name)> rename = {};
  Conversion convert = Conversion::none;
  std::shared_ptr<const std::atomic<bool>> stop = {};  // Error(cancelled) at the next tensor once it is true
  std::function<void()> before_filling = {};  // once or more, before tensors are written: may stop the load by Error(cancelled)
};

struct LoadResult {
  std::string name;
  std::int64_t step = 0;
  std::int64_t commit_sequence = 0;
  std::uint64_t seed = 0;
  std::int64_t bytes = 0;
  std::int64_t skipped = 0;  // newer ones that could not be used; the state's load report names them
  bool environment_differs = false;
  std::string blas_to_come = {};          // the checkpoint's, when this process has none to compare it with
  std::int64_t missing = 0;               // tensors of the state that the checkpoint lacks: they keep their contents
  std::int64_t unexpected = 0;            // tensors of the checkpoint that the state lacks
  bool partly_filled = false;             // of a load that failed: it had begun to write the tensors
  std::int64_t world_size = 0;            // of those that saved it
  std::shared_ptr<const Line> line = {};  // as the checkpoint records it
};

// What a load throws when it had begun to write the tensors.
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
