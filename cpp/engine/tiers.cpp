#include "engine/tiers.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "storage/transfer_queue.h"

namespace ckpt::engine {
namespace {

// A schedule with more copies in flight waits for one before it begins the next.
constexpr std::int64_t max_waiting_copies = 1024;

}  // namespace

Tiers::Tiers(const plan::Program& program, const TierStorages& storages, tensor::BufferPool& buffers,
             const std::array<const void*, 2>& at_work)
    : program_(program) {
  for (const plan::BufferInfo& buffer : program.buffers) {
    if (buffer.tier == 0 || buffer.bytes == 0) continue;
    Slot& slot = tiers_[static_cast<std::size_t>(buffer.tier)].slots[buffer.slot];
    slot.bytes = std::max(slot.bytes, buffer.bytes);
  }
  for (std::int32_t number = 1; number < plan::tiers; ++number) {
    const auto& storage = storages[static_cast<std::size_t>(number)];
    Tier& tier = tiers_[static_cast<std::size_t>(number)];
    if (tier.slots.empty()) continue;
    if (storage != nullptr) {
      make_queues(number, *storage, at_work);
    } else {
      for (auto& [name, slot] : tier.slots) slot.memory = buffers.take(slot.bytes);
    }
  }
}

Tiers::~Tiers() = default;

void Tiers::make_queues(std::int32_t number, storage::Storage& storage, const std::array<const void*, 2>& at_work) {
  Tier& tier = tiers_[static_cast<std::size_t>(number)];
  std::int64_t end = 0;
  for (auto& [name, slot] : tier.slots) {
    slot.offset = end;
    const std::int64_t blocks = (slot.bytes - 1) / storage::scratch_alignment + 1;
    if (__builtin_add_overflow(end, blocks * storage::scratch_alignment, &end))
      base::fail(base::Status::out_of_range, "tier ", number, ": the slots' sizes exceed INT64_MAX bytes");
  }
  const std::string name = base::cat("tier ", number);
  std::shared_ptr<storage::Scratch> scratch;
  try {
    scratch = storage.create_scratch(end);
  } catch (const base::Error& error) {
    throw base::Error(error.status(), base::cat(name, ": ", error.message()));
  }
  using storage::TransferQueue;
  const TransferQueue::User user{name, at_work};
  tier.stores = std::make_unique<TransferQueue>(scratch, user, TransferQueue::Direction::store, max_waiting_copies);
  tier.loads = std::make_unique<TransferQueue>(scratch, user, TransferQueue::Direction::load, max_waiting_copies);
  numbers_.resize(program_.operations.size());
}

CopyInfo Tiers::info_of(const plan::Operation& copy) const {
  const auto tier_of = [&](plan::BufferId buffer) { return program_.buffers[static_cast<std::size_t>(buffer)].tier; };
  CopyInfo info{.tier = tier_of(copy.output), .bytes = copy.bytes};
  if (info.tier == 0) {
    info.loads = true;
    info.tier = tier_of(copy.input);
  }
  info.in_background = tiers_[static_cast<std::size_t>(info.tier)].stores != nullptr && info.bytes > 0;
  return info;
}

void Tiers::begin(std::int64_t operation, void* memory) {
  const plan::Operation& copy = program_.operations[static_cast<std::size_t>(operation)];
  const CopyInfo info = info_of(copy);
  if (info.bytes == 0) return;
  Tier& tier = tiers_[static_cast<std::size_t>(info.tier)];
  const plan::BufferInfo& place = program_.buffers[static_cast<std::size_t>(info.loads ? copy.input : copy.output)];
  const Slot& slot = tier.slots.at(place.slot);
  if (info.in_background) {
    storage::TransferQueue& queue = info.loads ? *tier.loads : *tier.stores;
    numbers_[static_cast<std::size_t>(operation)] =
        queue.begin({slot.offset, static_cast<std::byte*>(memory), info.bytes, place.slot});
    return;
  }
  void* const there = slot.memory.data();
  std::memcpy(info.loads ? memory : there, info.loads ? there : memory, static_cast<std::size_t>(info.bytes));
}

CopyInfo Tiers::wait(std::int64_t operation) {
  const CopyInfo info = info_of(program_.operations[static_cast<std::size_t>(operation)]);
  if (!info.in_background) return info;
  const Tier& tier = tiers_[static_cast<std::size_t>(info.tier)];
  (info.loads ? tier.loads : tier.stores)->wait(numbers_[static_cast<std::size_t>(operation)]);
  return info;
}

void Tiers::drain() noexcept {
  for (const Tier& tier : tiers_) {
    if (tier.stores == nullptr) continue;
    tier.stores->drain();
    tier.loads->drain();
  }
}

}  // namespace ckpt::engine
