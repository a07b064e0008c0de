// `ckpt train`: trains a byte-level model on a text, under a memory budget, with durable checkpoints.
#pragma once

#include <cstdint>
#include <string>

#include "model.h"

namespace ckpt::cli {

struct TrainOptions {
  ModelOptions model;
  std::string data;                // "": text that is made
  std::string memory_budget;       // "": store everything; "40%" or an amount of bytes
  std::string planner;             // "": the fastest of the simple ones; else a planner's text
  std::string strategy;            // "": a planner chooses; else a strategy's text
  std::string directory;           // "": no checkpoints
  std::string resume = "auto";     // auto, never, require
  std::string json_file;           // "": none
  std::string memory_report_file;  // "": none
  std::string schedule = "1f1b";   // of the micro-batches: gpipe, 1f1b, interleaved
  std::string activations =
      "store-all";  // which micro-batches stay taped: store-all, recompute-all, selective:N, memory:BYTES, automatic[:BYTES]
  std::string memory_limit;   // that automatic takes this process to have; "": what it may use
  std::string timeline_file;  // of the last step, as trace events; "": none
  std::string report_file;    // a page with figures and the timeline; "": none
  std::int32_t stages = 1;
  std::int32_t micro_batches = 1;
  std::int32_t chunks = 0;      // of each stage; 0: 2 when interleaved, else 1
  std::int64_t save_every = 0;  // steps; 0: only at the end
  bool save_automatically = false;
  double first_save_seconds = 600;
  double notice_seconds = 30;  // from a signal until the process will be ended
  std::int64_t keep_last = 3;
  std::int64_t steps = 400;
  std::uint64_t seed = 1;
  std::int32_t threads = 0;            // 0: what this process may use
  double learning_rate = 1e-3;         // at its peak
  std::string rate_kind = "constant";  // how it falls: constant, linear, cosine
  double last_rate = 0;                // at the last step, where it falls
  std::int64_t warm_up_steps = 0;      // before the peak
  bool quiet = false;
  bool verbose = false;  // the log's INFO, too
  bool async = true;     // save in the background
};

// False when a preemption notice ended it. Throws ckpt::Error and std::exception; what was begun is closed properly.
bool train(const TrainOptions& options);

}  // namespace ckpt::cli
