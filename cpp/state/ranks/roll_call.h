// Which ranks did not arrive at a collective call that timed out. A coordinator that timed out may be unusable, so the storage
// serves: each rank that waited leaves a marker file, and the ranks without one did not arrive.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "storage/rate_limit.h"
#include "storage/storage.h"

namespace ckpt::state {

// The next run of several ranks removes the files in the root of a file system that begin with this; saves to an object store
// remove those below probes_prefix.
inline constexpr std::string_view temporary_prefix = ".shared-";

class RollCall {
 public:
  struct Place {
    std::int64_t rank = 0;
    std::int64_t ranks = 1;
  };
  // may_write: false for managers that change nothing in the storage; they cannot find out which ranks are missing.
  RollCall(std::shared_ptr<storage::Storage> storage, Place place, bool may_write, storage::Sleep sleep);

  // A text that all ranks of this run have, and no other run: markers that others left do not count.
  void set_run(std::string run) { run_ = std::move(run); }
  // Removes the marker of an earlier call, which would count in the next one.
  void withdraw();
  // The missing ranks, "rank 1, rank 3", after at most patience_ns; "" when they are not known. call: its name.
  std::string missing(std::string_view call, std::int64_t patience_ns);

 private:
  std::string marker_prefix(std::string_view call) const;
  std::set<std::int64_t> arrived(const std::string& prefix) const;

  const std::shared_ptr<storage::Storage> storage_;
  const Place place_;
  const bool may_write_;
  const storage::Sleep sleep_;
  std::string run_;
  std::string marker_;  // that this rank has left
};

// "rank 1, rank 3": the ranks that are not among those that arrived, of many the first eight.
std::string missing_of(const std::set<std::int64_t>& arrived, std::int64_t ranks);

}  // namespace ckpt::state
