// `ckpt plan`: computes the cost of a schedule for a budget on a chain, and compares the planners, without running the chain.
#pragma once

#include <cstdint>
#include <string>

#include "model.h"

namespace ckpt::cli {

struct PlanOptions {
  std::string profile;       // a file; "": none
  bool plans_model = false;  // plan a model of `ckpt train`, measured on this machine
  ModelOptions model;
  std::string budget;   // "": none; "40%" or an amount of bytes
  std::string planner;  // "": auto, and chain for the frontier
  std::string report;   // HTML file; "": none
  bool frontier = false;
  bool as_json = false;
  std::int32_t threads = 0;  // 0: all that this process may use
};

// Prints a table or JSON. Throws ckpt::Error and std::exception.
void plan(const PlanOptions& options);

}  // namespace ckpt::cli
