// What a training run shows while it runs: a bar on a terminal, plain lines elsewhere.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include <ckpt/ckpt.hpp>

#include "saver.h"

namespace ckpt::cli {

class Progress {
 public:
  // Activation bytes are read from tracker while the steps run, and saves from saver (nullptr: none). quiet: shows nothing.
  Progress(std::int64_t first_step, std::int64_t steps, std::int64_t tokens_per_step, const MemoryTracker& tracker,
           const Saver* saver, bool quiet);
  // Shows the last state and ends the line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void step_done(std::int64_t step, double loss);

 private:
  void draw_until_stopped();
  std::string line();

  std::int64_t first_step_;
  std::int64_t steps_;
  std::int64_t tokens_per_step_;
  const MemoryTracker& tracker_;
  const Saver* saver_;
  bool terminal_;
  std::chrono::nanoseconds begin_;
  std::atomic<std::int64_t> step_;
  std::atomic<double> loss_{0};
  std::mutex mutex_;
  std::condition_variable stop_asked_;
  bool stop_ = false;
  std::thread drawer_;
};

}  // namespace ckpt::cli
