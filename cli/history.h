// Loss and memory over the steps of a run, with a bounded number of points.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace ckpt::cli {

class History {
 public:
  // arena_bytes: reserved for activations in this step.
  void add(std::int64_t step, double loss, std::int64_t arena_bytes);

  // {"steps_per_point": n, "step": [last step of each point], "loss": [mean], "arena_bytes": [maximum]}
  nlohmann::json json() const;

 private:
  struct Point {
    std::int64_t steps;
    std::int64_t last_step;
    double loss_sum;
    std::int64_t arena_bytes;
  };
  void merge_neighbours();

  std::vector<Point> points_;
  std::int64_t steps_per_point_ = 1;
};

}  // namespace ckpt::cli
