// Plans one micro-batch through a piece of a chain, where the pipeline holds several micro-batches at once.
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
  // The piece's profile must outlive the planner.
  explicit StagePlanner(const ChainProfile& piece);

  // Returns false if the tables would be too large: no other function may be called then.
  bool applies() const { return frontier_ && frontier_->complete(); }
  // For a single micro-batch.
  std::int64_t min_peak() const { return min_peak_; }

  // Returns the fastest schedule of a micro-batch within the bytes, including what the other micro-batches keep from their
  // forward to their backward parts: (in_flight - 1) * kept + peak of one <= bytes. nullptr if none exists. output_stays: the
  // piece's output is kept too.
  std::shared_ptr<const Schedule> within(std::int64_t bytes, std::int32_t in_flight, bool output_stays);

 private:
  double time_at(std::int64_t peak) const { return frontier_->step().at(peak); }

  std::unique_ptr<ChainCosts> costs_;
  std::optional<Frontier> frontier_;
  std::int64_t min_peak_ = 0;
};

}  // namespace ckpt::plan
