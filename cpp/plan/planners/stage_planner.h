// How one micro-batch runs through a piece of a chain whose pipeline holds several of them at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "plan/planners/frontier.h"
#include "plan/schedule.h"

namespace ckpt::plan {

// One table serves every budget and every number of micro-batches in flight.
class StagePlanner {
 public:
  // The piece's profile outlives the planner.
  explicit StagePlanner(const ChainProfile& piece);

  // False for pieces whose tables would be too large: then there is nothing else to ask.
  bool applies() const { return frontier_ && frontier_->complete(); }
  // Of one micro-batch alone.
  std::int64_t least_peak() const { return least_peak_; }

  // The least time for a micro-batch such that, with what each of the others keeps from its forward to its backward part, it needs
  // no more: (in_flight - 1) * kept + peak of one <= bytes. nullptr when there is none. output_stays: the piece's output is kept,
  // too.
  std::shared_ptr<const Schedule> within(std::int64_t bytes, std::int32_t in_flight, bool output_stays);

 private:
  double time_at(std::int64_t peak) const { return frontier_->step().at(peak); }

  std::unique_ptr<ChainCosts> costs_;
  std::optional<Frontier> frontier_;
  std::int64_t least_peak_ = 0;
};

}  // namespace ckpt::plan
