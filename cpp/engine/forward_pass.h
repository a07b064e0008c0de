// Runs a chain's layers forward without recording or dropout, and restores the layers' ambient state afterwards. Uses separate
// memory: each value has a place until its last reader has run, and places are used again.
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
  // chain and its shape must outlive this object.
  ForwardPass(const Chain& chain, const ChainShape& shape, std::shared_ptr<memory::Tracker> tracker);
  ~ForwardPass();
  ForwardPass(const ForwardPass&) = delete;
  ForwardPass& operator=(const ForwardPass&) = delete;

  // Returns the output of this many layers: borrowed until the next run.
  const void* run(const Step& step, std::int64_t layers, base::ThreadPool& pool);

 private:
  void place_values();
  void* address(std::int64_t value) const;
  void run_layer(std::int64_t i, const Step& step, base::ThreadPool& pool);

  const Chain& chain_;
  const ChainShape& shape_;
  std::shared_ptr<memory::Tracker> tracker_;
  std::vector<std::size_t> place_of_;  // by value
  std::vector<std::int64_t> offsets_;  // of the places
  std::int64_t value_bytes_ = 0;       // of all places
  std::vector<const void*> inputs_;    // of the current layer
  std::int64_t workspace_bytes_ = 0;
  std::int64_t ambient_bytes_ = 0;
  std::optional<Arena> arena_;
  memory::AllocationId allocation_ = 0;
};

}  // namespace ckpt::engine
