#include "pipeline/order.h"

#include <algorithm>

#include "base/error.h"

namespace ckpt::pipeline {

using base::require;

namespace {

constexpr std::int32_t max_stages = 1024;
constexpr std::int32_t max_micro_batches = 65536;

std::vector<Task> gpipe_tasks(const Layout& layout) {
  std::vector<Task> tasks;
  for (const bool forward : {true, false}) {
    for (std::int32_t m = 0; m < layout.micro_batches; ++m) tasks.push_back({forward, 0, m});
  }
  return tasks;
}

std::vector<Task> one_f_one_b_tasks(const Layout& layout, std::int32_t stage) {
  std::vector<Task> tasks;
  const std::int32_t warm_up = std::min(layout.stages - 1 - stage, layout.micro_batches);
  for (std::int32_t m = 0; m < layout.micro_batches + warm_up; ++m) {
    if (m < layout.micro_batches) tasks.push_back({true, 0, m});
    if (m >= warm_up) tasks.push_back({false, 0, m - warm_up});
  }
  return tasks;
}

// Micro-batches pass through the chunks in groups of as many as there are stages.
std::vector<Task> interleaved_tasks(const Layout& layout, std::int32_t stage) {
  const std::int32_t stages = layout.stages;
  const std::int32_t total = layout.micro_batches * layout.chunks;
  const auto task = [&](bool forward, std::int32_t k) -> Task {
    const std::int32_t chunk = k / stages % layout.chunks;
    const std::int32_t micro_batch = k / (stages * layout.chunks) * stages + k % stages;
    return {forward, forward ? chunk : layout.chunks - 1 - chunk, micro_batch};
  };
  std::vector<Task> tasks;
  const std::int32_t warm_up = std::min((stages - stage - 1) * 2 + (layout.chunks - 1) * stages, total);
  for (std::int32_t k = 0; k < total + warm_up; ++k) {
    if (k < total) tasks.push_back(task(true, k));
    if (k >= warm_up) tasks.push_back(task(false, k - warm_up));
  }
  return tasks;
}

}  // namespace

void check(const Layout& layout) {
  const auto order = static_cast<std::int32_t>(layout.order);
  require(order >= 1 && order <= 3, "order is ", order, "; expected 1 .. 3 (CKPT_PIPELINE_*)");
  require(layout.stages >= 1 && layout.stages <= max_stages, "stages is ", layout.stages, "; expected 1 .. ", max_stages);
  require(layout.micro_batches >= 1 && layout.micro_batches <= max_micro_batches, "micro_batches is ", layout.micro_batches,
          "; expected 1 .. ", max_micro_batches);
  require(layout.chunks >= 1 && layout.chunks <= max_stages, "chunks is ", layout.chunks, "; expected 1 .. ", max_stages);
  require(layout.order == Order::interleaved || layout.chunks == 1, "chunks is ", layout.chunks,
          "; expected 1, except for the interleaved schedule");
  require(layout.order != Order::interleaved || layout.micro_batches % layout.stages == 0, "micro_batches is ",
          layout.micro_batches, "; expected a multiple of stages (", layout.stages, ") for the interleaved schedule");
}

std::vector<Task> tasks_of(const Layout& layout, std::int32_t stage) {
  switch (layout.order) {
    case Order::gpipe: return gpipe_tasks(layout);
    case Order::one_f_one_b: return one_f_one_b_tasks(layout, stage);
    case Order::interleaved: return interleaved_tasks(layout, stage);
  }
  return {};
}

std::int32_t in_flight(const Layout& layout, std::int32_t piece) {
  std::int32_t now = 0;
  std::int32_t max = 0;
  for (const Task& task : tasks_of(layout, piece % layout.stages)) {
    if (task.chunk != piece / layout.stages) continue;
    now += task.forward ? 1 : -1;
    max = std::max(max, now);
  }
  return max;
}

bool is_deadlock_free(const Layout& layout, std::int64_t queue_places) {
  const std::int32_t pieces = layout.pieces();
  std::vector<std::vector<Task>> tasks;
  tasks.reserve(static_cast<std::size_t>(layout.stages));
  for (std::int32_t stage = 0; stage < layout.stages; ++stage) tasks.push_back(tasks_of(layout, stage));
  std::vector<std::size_t> done(tasks.size(), 0);
  // Number of results in the queue after (forward) and before (backward) each piece.
  std::vector<std::int64_t> activations(static_cast<std::size_t>(pieces), 0);
  std::vector<std::int64_t> gradients(static_cast<std::size_t>(pieces), 0);
  std::vector<bool> to_send(tasks.size(), false);  // the task ran, but no place is free for its result
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t stage = 0; stage < tasks.size(); ++stage) {
      while (done[stage] < tasks[stage].size()) {
        const Task& task = tasks[stage][done[stage]];
        const auto piece = static_cast<std::size_t>(task.chunk * layout.stages) + stage;
        const bool receives = task.forward ? piece > 0 : piece + 1 < activations.size();
        const bool sends = task.forward ? piece + 1 < activations.size() : piece > 0;
        if (!to_send[stage]) {
          if (receives) {
            std::int64_t& queue = task.forward ? activations[piece - 1] : gradients[piece + 1];
            if (queue == 0) break;
            --queue;
          }
          to_send[stage] = true;
          moved = true;
        }
        if (sends) {
          std::int64_t& queue = task.forward ? activations[piece] : gradients[piece];
          if (queue == queue_places) break;
          ++queue;
        }
        to_send[stage] = false;
        ++done[stage];
        moved = true;
      }
    }
  }
  for (std::size_t stage = 0; stage < tasks.size(); ++stage) {
    if (done[stage] < tasks[stage].size()) return false;
  }
  return true;
}

std::int64_t enough_queue_places(const Layout& layout) {
  std::int64_t places = std::min<std::int64_t>(2, layout.micro_batches);
  while (!is_deadlock_free(layout, places) && places < layout.micro_batches) ++places;
  return places;
}

}  // namespace ckpt::pipeline
