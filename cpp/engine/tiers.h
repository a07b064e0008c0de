// Stores the items of slower tiers during a step, and copies them to and from memory. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/executor.h"
#include "plan/program.h"
#include "tensor/buffer_pool.h"

namespace ckpt::storage {
class TransferQueue;
}

namespace ckpt::engine {

struct CopyInfo {
  std::int32_t tier = 0;
  bool loads = false;  // otherwise it stores
  bool in_background = false;
  std::int64_t bytes = 0;
};

class Tiers {
 public:
  // Allocates space for the longest item of each slot: in a tier's storage if it has one, otherwise in a buffer of `buffers`.
  // Error(unsupported) names a tier with a storage that has no scratches. program must outlive this object. at_work: the objects
  // that a storage's callbacks may not use.
  Tiers(const plan::Program& program, const TierStorages& storages, tensor::BufferPool& buffers,
        const std::array<const void*, 2>& at_work);

  ~Tiers();
  Tiers(const Tiers&) = delete;
  Tiers& operator=(const Tiers&) = delete;

  // Begins the copy of an operation; memory: the item's location in tier 0.
  void begin(std::int64_t operation, void* memory);
  // Waits until the copy has ended, or rethrows its error.
  CopyInfo wait(std::int64_t operation);
  // Ends all copies. Afterwards each tier is usable again.
  void drain() noexcept;

 private:
  struct Slot {
    std::int64_t bytes = 0;
    std::int64_t offset = 0;  // in the tier's scratch
    tensor::Buffer memory;    // of a tier without a scratch
  };
  struct Tier {
    std::map<std::int32_t, Slot> slots;
    std::unique_ptr<storage::TransferQueue> stores;  // nullptr: copied synchronously
    std::unique_ptr<storage::TransferQueue> loads;
  };

  CopyInfo info_of(const plan::Operation& copy) const;
  void make_queues(std::int32_t number, storage::Storage& storage, const std::array<const void*, 2>& at_work);

  const plan::Program& program_;
  std::array<Tier, plan::tiers> tiers_;
  std::vector<std::uint64_t> numbers_;  // by operation: number of its last copy in its queue; empty if no tier has a queue
};

}  // namespace ckpt::engine
