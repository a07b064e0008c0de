// Where the items of slower tiers lie while a step runs, and the copies there and back. Not synchronised.
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
  bool loads = false;  // else it stores
  bool in_background = false;
  std::int64_t bytes = 0;
};

class Tiers {
 public:
  // Makes room for the longest item of each slot: of tiers that have a storage there, of others in a buffer of `buffers`.
  // Error(unsupported) names a tier whose storage has no scratches. program outlives this.
  // at_work: the objects that callbacks of a storage may not use.
  Tiers(const plan::Program& program, const TierStorages& storages, tensor::BufferPool& buffers,
        const std::array<const void*, 2>& at_work);

  ~Tiers();
  Tiers(const Tiers&) = delete;
  Tiers& operator=(const Tiers&) = delete;

  // Begins the copy that an operation of the program is; memory: where the item lies in tier 0, or will.
  void begin(std::int64_t operation, void* memory);
  // Waits until it has ended, or throws what it threw.
  CopyInfo wait(std::int64_t operation);
  // Ends all copies. After that, each tier works as before.
  void drain() noexcept;

 private:
  struct Slot {
    std::int64_t bytes = 0;
    std::int64_t offset = 0;  // in the tier's scratch
    tensor::Buffer memory;    // of a tier without a scratch
  };
  struct Tier {
    std::map<std::int32_t, Slot> slots;
    std::unique_ptr<storage::TransferQueue> stores;  // nullptr: copied at once
    std::unique_ptr<storage::TransferQueue> loads;
  };

  CopyInfo info_of(const plan::Operation& copy) const;
  void make_queues(std::int32_t number, storage::Storage& storage, const std::array<const void*, 2>& at_work);

  const plan::Program& program_;
  std::array<Tier, plan::tiers> tiers_;
  std::vector<std::uint64_t> numbers_;  // by operation: of its last copy in its queue; empty where no tier has a queue
};

}  // namespace ckpt::engine
