// `ckpt plan`: what a schedule for a budget costs on a chain, before anything runs, and what the planners make of every budget.
#pragma once

#include <cstdint>
#include <string>

#include "model.h"

namespace ckpt::cli {

struct PlanOptions {
  std::string profile;       // a file; "": none
  bool plans_model = false;  // instead: a model of `ckpt train`, timed here
  ModelOptions model;
  std::string budget;   // "": none; "40%" or an amount of bytes
  std::string planner;  // "": auto, and chain for the frontier
  std::string report;   // HTML file; "": none
  bool frontier = false;
  bool as_json = false;
  std::int32_t threads = 0;  // 0: what this process may use
};

// Prints a table or JSON. Throws ckpt::Error and std::exception.
void plan(const PlanOptions& options);

}  // namespace ckpt::cli
