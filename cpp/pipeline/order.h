// The order in which a stage runs the forward and backward parts of its micro-batches.
#pragma once

#include <cstdint>
#include <vector>

namespace ckpt::pipeline {

// Numbers are those of CKPT_PIPELINE_*.
enum class Order : std::int32_t {
  gpipe = 1,        // all forwards, then all backwards
  one_f_one_b = 2,  // after a warm-up alternately one forward, one backward
  interleaved = 3,  // the same over several chunks per stage
};

// The pipeline's shape. A chain is cut into stages * chunks pieces; piece k is chunk k / stages of stage k % stages.
struct Layout {
  Order order = Order::one_f_one_b;
  std::int32_t stages = 1;
  std::int32_t chunks = 1;
  std::int32_t micro_batches = 1;

  std::int32_t pieces() const { return stages * chunks; }
};

// Error(invalid_argument) names the invalid field.
void check(const Layout& layout);

struct Task {
  bool forward = true;
  std::int32_t chunk = 0;
  std::int32_t micro_batch = 0;
  friend bool operator==(const Task&, const Task&) = default;
};

// Backwards of every chunk run in the order of micro-batches, so gradients are summed in the same order under every order.
// Sources: Huang et al., "GPipe", arXiv:1811.06965; Narayanan et al., "Memory-efficient pipeline-parallel DNN training" (1F1B with
// flush), arXiv:2006.09503; Narayanan et al., "Efficient large-scale language model training on GPU clusters using Megatron-LM"
// (interleaved), arXiv:2104.04473.
std::vector<Task> tasks_of(const Layout& layout, std::int32_t stage);

// The most micro-batches of a piece between their forward and the end of their backward: stages - stage under 1F1B.
std::int32_t in_flight(const Layout& layout, std::int32_t piece);

// Returns true if no stage deadlocks, with queues of this many places between adjacent pieces.
bool is_deadlock_free(const Layout& layout, std::int64_t queue_places);

// Returns a small sufficient number of places: every order runs to its end with it.
std::int64_t enough_queue_places(const Layout& layout);

}  // namespace ckpt::pipeline
