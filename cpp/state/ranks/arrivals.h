// Determines which ranks did not arrive at a collective call that timed out. The coordinator may be unusable after a time-out, so
// each rank that waited writes a marker file to the storage. Ranks without a marker did not arrive.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "state/protocol.h"
#include "storage/rate_limit.h"

namespace ckpt::state {

class Arrivals {
 public:
  struct Place {
    std::int64_t rank = 0;
    std::int64_t ranks = 1;
  };
  // may_write: false for managers that do not change the storage; they cannot determine the missing ranks.
  Arrivals(Protocol& protocol, Place place, bool may_write, storage::Sleep sleep);

  // run: unique to this run and the same on all its ranks, so that markers of other runs do not count.
  void set_run(std::string run) { run_ = std::move(run); }
  // Removes this rank's marker of an earlier call, which would otherwise count in the next one.
  void withdraw();
  // Returns the missing ranks, such as "rank 1, rank 3", after at most timeout_ns; "" if they are not known. call: the name of the
  // collective call.
  std::string missing(std::string_view call, std::int64_t timeout_ns);

 private:
  std::string marker_prefix(std::string_view call) const;
  std::set<std::int64_t> arrived(const std::string& prefix) const;

  Protocol& protocol_;
  const Place place_;
  const bool may_write_;
  const storage::Sleep sleep_;
  std::string run_;
  std::string marker_;  // path of this rank's marker; "": none
};

// Returns the ranks that did not arrive, such as "rank 1, rank 3"; after the first eight, ", ...".
std::string missing_of(const std::set<std::int64_t>& arrived, std::int64_t ranks);

}  // namespace ckpt::state
