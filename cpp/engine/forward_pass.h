// Runs a chain's layers forward without recording or dropout, and restores the layers' ambient state afterwards. Uses separate
// memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "engine/arena.h"
#include "engine/chain.h"
#include "engine/step.h"
#include "memory/tracker.h"

namespace ckpt::engine {

class ForwardPass {
 public:
  // specs: of x_0 .. x_n; must outlive this object.
  ForwardPass(const Chain& chain, std::span<const TensorSpec> specs, std::shared_ptr<memory::Tracker> tracker);
  ~ForwardPass();
  ForwardPass(const ForwardPass&) = delete;
  ForwardPass& operator=(const ForwardPass&) = delete;

  // Returns the output of this many layers: borrowed until the next run.
  const void* run(const Step& step, std::int64_t layers, base::ThreadPool& pool);

 private:
  void* place(std::int64_t number) const;
  void run_layer(std::int64_t i, const Step& step, const void* input, void* output, base::ThreadPool& pool) const;

  const Chain& chain_;
  std::span<const TensorSpec> specs_;
  std::shared_ptr<memory::Tracker> tracker_;
  std::int64_t activation_bytes_ = 0;  // of the largest activation
  std::int64_t workspace_bytes_ = 0;
  std::int64_t ambient_bytes_ = 0;
  std::optional<Arena> arena_;
  memory::AllocationId allocation_ = 0;
};

}  // namespace ckpt::engine
