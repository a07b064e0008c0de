#include "tensor/buffer_pool.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "base/fork_mutex.h"
#include "base/os/thread.h"
#include "tensor/kept_buffers.h"

namespace ckpt::tensor {
namespace {

std::int64_t rounded(std::int64_t bytes) {
  if (bytes > INT64_MAX - buffer_alignment)
    base::fail(base::Status::out_of_memory, "bytes is ", bytes, "; more than any machine has");
  return (bytes + buffer_alignment - 1) / buffer_alignment * buffer_alignment;
}

void free_all(KeptBuffers::ByAge& buffers) noexcept {
  while (!buffers.empty()) {
    KeptBuffer& node = buffers.front();
    buffers.pop_front();
    node.~KeptBuffer();
    system_free(&node);
  }
}

}  // namespace

struct BufferPool::State {
  std::shared_ptr<memory::Tracker> tracker;
  memory::LayerId layer = 0;
  std::int64_t retain_limit = 0;
  mutable base::ForkMutex mutex;
  KeptBuffers kept;
  BufferPoolStats stats;  // without the counters of kept
};

Buffer::Buffer(Buffer&& other) noexcept { *this = std::move(other); }

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  if (this != &other) {
    if (pool_) pool_->put_back(*this);
    pool_ = std::move(other.pool_);
    data_ = std::exchange(other.data_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
    reserved_ = std::exchange(other.reserved_, 0);
    allocation_ = std::exchange(other.allocation_, 0);
  }
  return *this;
}

Buffer::~Buffer() {
  if (pool_) pool_->put_back(*this);
}

std::shared_ptr<BufferPool> BufferPool::create(std::shared_ptr<memory::Tracker> tracker, const std::string& layer_name,
                                               std::int64_t retain_limit) {
  base::require_name("layer_name", layer_name);
  base::require(retain_limit >= 0, "retain_limit is ", retain_limit, "; expected at least 0");
  return std::shared_ptr<BufferPool>(new BufferPool(std::move(tracker), layer_name, retain_limit));
}

BufferPool::BufferPool(std::shared_ptr<memory::Tracker> tracker, const std::string& layer_name, std::int64_t retain_limit)
    : state_(std::make_unique<State>()) {
  if (tracker) state_->layer = tracker->layer(layer_name);
  state_->tracker = std::move(tracker);
  state_->retain_limit = retain_limit;
}

BufferPool::~BufferPool() {
  if (!is_lost()) trim();  // otherwise its kept buffers are lost too
}

bool BufferPool::is_lost() const noexcept {
  try {
    const std::lock_guard lock(state_->mutex);
    return false;
  } catch (const base::Error&) {
    return true;
  }
}

void* BufferPool::system_memory(std::int64_t size) {
  if (void* const data = system_allocate(size)) return data;
  trim();
  if (void* const data = system_allocate(size)) return data;
  base::fail(base::Status::out_of_memory, "bytes is ", size, " (rounded up to ", buffer_alignment,
             "); the system is out of memory");
}

Buffer BufferPool::take(std::int64_t bytes) {
  base::require(bytes >= 0, "bytes is ", bytes, "; expected at least 0");
  Buffer buffer;
  if (bytes == 0) return buffer;
  const std::int64_t size = rounded(bytes);
  State& state = *state_;
  void* data = nullptr;
  {
    const std::lock_guard lock(state.mutex);
    data = state.kept.take_or_reserve(size);
  }
  const bool reused = data != nullptr;
  try {
    if (!reused) data = system_memory(size);
    if (state.tracker) buffer.allocation_ = state.tracker->allocate(state.layer, bytes);
  } catch (...) {
    if (!reused && data != nullptr) system_free(data);
    const std::lock_guard lock(state.mutex);
    if (reused) {
      state.kept.keep(data, size);
    } else {
      state.kept.drop_reservation(size);
    }
    throw;
  }
  buffer.pool_ = shared_from_this();
  buffer.data_ = data;
  buffer.bytes_ = bytes;
  buffer.reserved_ = size;
  const std::lock_guard lock(state.mutex);
  BufferPoolStats& stats = state.stats;
  if (!reused) stats.reserved_bytes += size;
  stats.peak_reserved_bytes = std::max(stats.peak_reserved_bytes, stats.reserved_bytes);
  stats.live_bytes += bytes;
  ++stats.live_buffers;
  ++stats.taken;
  stats.reused += reused ? 1 : 0;
  return buffer;
}

void BufferPool::put_back(Buffer& buffer) noexcept {
  State& state = *state_;
  try {
    if (buffer.allocation_ != 0) state.tracker->free(buffer.allocation_);
  } catch (...) {  // NOLINT(bugprone-empty-catch): an error of the tracker must not prevent the release
  }
  if (is_lost()) return system_free(buffer.data_);
  const bool too_large = buffer.reserved_ > state.retain_limit;
  KeptBuffers::ByAge evicted;
  {
    const std::lock_guard lock(state.mutex);
    state.stats.live_bytes -= buffer.bytes_;
    --state.stats.live_buffers;
    const std::int64_t kept_before = state.kept.bytes();
    if (too_large) {
      state.kept.drop_reservation(buffer.reserved_);
      state.stats.reserved_bytes -= buffer.reserved_;
    } else {
      state.kept.keep(buffer.data_, buffer.reserved_);
      state.kept.evict(state.retain_limit, evicted);
      state.stats.reserved_bytes -= kept_before + buffer.reserved_ - state.kept.bytes();
    }
  }
  if (too_large) system_free(buffer.data_);
  free_all(evicted);
}

void BufferPool::trim(std::int64_t keep_bytes) {
  base::require(keep_bytes >= 0, "keep_bytes is ", keep_bytes, "; expected at least 0");
  KeptBuffers::ByAge evicted;
  {
    const std::lock_guard lock(state_->mutex);
    const std::int64_t kept_before = state_->kept.bytes();
    state_->kept.evict(keep_bytes, evicted);
    state_->stats.reserved_bytes -= kept_before - state_->kept.bytes();
  }
  free_all(evicted);
}

BufferPoolStats BufferPool::stats() const {
  const std::lock_guard lock(state_->mutex);
  BufferPoolStats stats = state_->stats;
  stats.retained_bytes = state_->kept.bytes();
  stats.retained_buffers = state_->kept.count();
  return stats;
}

std::int64_t BufferPool::retain_limit() const noexcept { return state_->retain_limit; }

// Never destroyed: tensors in other static objects may be destroyed after any destructor here. A forked child gets a new pool if
// another thread of the parent was in the pool at the fork.
const std::shared_ptr<BufferPool>& default_buffer_pool() {
  struct Default {
    std::shared_ptr<BufferPool> pool = BufferPool::create(nullptr, "tensor", default_pool_retain_bytes);
    std::uint64_t generation = base::fork_generation();
  };
  static std::atomic<const Default*> current{nullptr};
  const Default* now = current.load(std::memory_order_acquire);
  while (now == nullptr || now->generation != base::fork_generation()) {
    auto next = std::make_unique<Default>();
    if (now != nullptr && !now->pool->is_lost()) next->pool = now->pool;
    if (current.compare_exchange_strong(now, next.get(), std::memory_order_acq_rel)) now = next.release();
  }
  return now->pool;
}

}  // namespace ckpt::tensor
