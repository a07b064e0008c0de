// `ckpt simulate`: evaluates checkpoint policies on a failure trace.
#pragma once

#include <cstdint>
#include <string>

namespace ckpt::cli {

struct SimulateOptions {
  std::string trace;     // a file, exponential:MTBF or weibull:SHAPE:MTBF
  std::string policies;  // "": all
  std::string report;    // HTML file; "": none
  std::string json;      // "": none
  double cost = 30;
  double restart = 300;
  double poll = 30;
  double local_cost = 0;
  double remote_share = 0;
  std::int64_t remote_every = 1;
  std::int64_t nodes = 1;
  std::int64_t failures = 200;
  std::int64_t replicas = 20;
  std::uint64_t seed = 1;
};

// Prints a table. Throws ckpt::Error and std::exception.
void simulate(const SimulateOptions& options);

}  // namespace ckpt::cli
