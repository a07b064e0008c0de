// The progress line of a training run.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include <ckpt/ckpt.hpp>

#include "progress.h"
#include "saver.h"

namespace ckpt::cli {

class TrainProgress {
 public:
  // Reads activation bytes from tracker during the steps, and saves from saver (nullptr: none). quiet: shows nothing.
  TrainProgress(std::int64_t first_step, std::int64_t steps, std::int64_t tokens_per_step, const MemoryTracker& tracker,
                const Saver* saver, bool quiet);

  void step_done(std::int64_t step, double loss);

 private:
  ProgressState state() const;

  std::int64_t first_step_;
  std::int64_t steps_;
  std::int64_t tokens_per_step_;
  const MemoryTracker& tracker_;
  const Saver* saver_;
  std::chrono::nanoseconds begin_;
  std::atomic<std::int64_t> step_;
  std::atomic<double> loss_{0};
  Progress progress_;  // last member: its thread uses all others
};

}  // namespace ckpt::cli
