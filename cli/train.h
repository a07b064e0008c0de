// `ckpt train`: trains a byte-level model on a text under a memory budget, with durable checkpoints.
#pragma once

#include <cstdint>
#include <string>

#include "model.h"

namespace ckpt::cli {

struct TrainOptions {
  ModelOptions model;
  std::string data;                       // "": generated text
  std::string memory_budget;              // "": store everything; "40%" or an amount of bytes
  std::string planner;                    // "": auto with a budget, else store-all; otherwise a planner string
  std::string strategy;                   // "": a planner chooses; otherwise a strategy string
  std::string directory;                  // "": no checkpoints
  std::string resume = "auto";            // auto, never, require
  std::string json_file;                  // "": none
  std::string memory_report_file;         // "": none
  std::string schedule = "1f1b";          // order of the micro-batches: gpipe, 1f1b, interleaved
  std::string activations = "store-all";  // micro-batches that keep their activations: store-all, recompute-all, selective:N,
                                          // memory:BYTES, automatic[:BYTES]
  std::string memory_limit;               // memory of this process, for automatic; "": all that it may use
  std::string timeline_file;              // trace events of the last step; "": none
  std::string report_file;                // HTML page with measurements and the timeline; "": none
  std::int32_t stages = 1;
  std::int32_t micro_batches = 1;
  std::int32_t chunks = 0;      // per stage; 0: 2 if interleaved, else 1
  std::int64_t save_every = 0;  // steps; 0: only at the end
  bool save_automatically = false;
  double first_save_seconds = 600;
  double notice_seconds = 30;  // from a signal to the termination of the process
  std::int64_t keep_last = 3;
  std::int64_t steps = 400;
  std::uint64_t seed = 1;
  std::int32_t threads = 0;            // 0: all that this process may use
  double learning_rate = 1e-3;         // peak
  std::string rate_kind = "constant";  // decay: constant, linear, cosine
  double last_rate = 0;                // at the last step, with decay
  std::int64_t warm_up_steps = 0;      // before the peak
  bool quiet = false;
  bool verbose = false;  // also show the log level INFO
  bool async = true;     // save in the background
};

// Returns false if a preemption notice ended the run. Throws ckpt::Error and std::exception after closing open resources.
bool train(const TrainOptions& options);

}  // namespace ckpt::cli
