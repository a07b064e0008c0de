#include "tensor/buffer_pool.h"

#include <map>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "base/error.h"

namespace ckpt::tensor {
namespace {

constexpr std::int64_t alignment = 64;

std::int64_t rounded(std::int64_t bytes) {
  if (bytes > INT64_MAX - alignment) base::fail(base::Status::out_of_memory, "bytes is ", bytes, "; no machine has that");
  return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace

struct BufferPool::State {
  std::shared_ptr<memory::Tracker> tracker;
  memory::LayerId layer = 0;
  mutable std::mutex mutex;
  std::map<std::int64_t, std::vector<void*>> free_buffers;  // by size
  BufferPoolStats stats;
};

Buffer::Buffer(Buffer&& other) noexcept { *this = std::move(other); }

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  if (this != &other) {
    if (pool_) pool_->give_back(*this);
    pool_ = std::move(other.pool_);
    data_ = std::exchange(other.data_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
    reserved_ = std::exchange(other.reserved_, 0);
    allocation_ = std::exchange(other.allocation_, 0);
  }
  return *this;
}

Buffer::~Buffer() {
  if (pool_) pool_->give_back(*this);
}

std::shared_ptr<BufferPool> BufferPool::create(std::shared_ptr<memory::Tracker> tracker, const std::string& layer_name) {
  return std::shared_ptr<BufferPool>(new BufferPool(std::move(tracker), layer_name));
}

BufferPool::BufferPool(std::shared_ptr<memory::Tracker> tracker, const std::string& layer_name) : state_(std::make_unique<State>()) {
  if (tracker) state_->layer = tracker->layer(layer_name);
  state_->tracker = std::move(tracker);
}

BufferPool::~BufferPool() { trim(); }

Buffer BufferPool::take(std::int64_t bytes) {
  base::require(bytes >= 0, "bytes is ", bytes, "; at least 0");
  Buffer buffer;
  if (bytes == 0) return buffer;
  const std::int64_t size = rounded(bytes);
  const std::lock_guard lock(state_->mutex);
  auto& same_size = state_->free_buffers[size];
  if (same_size.empty()) {
    buffer.data_ = ::operator new(static_cast<std::size_t>(size), std::align_val_t{alignment});
    state_->stats.reserved_bytes += size;
  } else {
    buffer.data_ = same_size.back();
    same_size.pop_back();
    ++state_->stats.reused;
  }
  if (state_->tracker) buffer.allocation_ = state_->tracker->allocate(state_->layer, bytes);
  buffer.pool_ = shared_from_this();
  buffer.bytes_ = bytes;
  buffer.reserved_ = size;
  state_->stats.live_bytes += bytes;
  ++state_->stats.live_buffers;
  ++state_->stats.taken;
  return buffer;
}

void BufferPool::give_back(Buffer& buffer) noexcept {
  const std::lock_guard lock(state_->mutex);
  if (buffer.allocation_ != 0) state_->tracker->free(buffer.allocation_);
  state_->free_buffers[buffer.reserved_].push_back(buffer.data_);
  state_->stats.live_bytes -= buffer.bytes_;
  --state_->stats.live_buffers;
}

void BufferPool::trim() {
  const std::lock_guard lock(state_->mutex);
  for (auto& [size, buffers] : state_->free_buffers) {
    for (void* data : buffers) {
      ::operator delete(data, std::align_val_t{alignment});
      state_->stats.reserved_bytes -= size;
    }
  }
  state_->free_buffers.clear();
}

BufferPoolStats BufferPool::stats() const {
  const std::lock_guard lock(state_->mutex);
  return state_->stats;
}

const std::shared_ptr<BufferPool>& default_buffer_pool() {
  static const auto* const pool = new std::shared_ptr<BufferPool>(BufferPool::create(nullptr, "tensor"));
  return *pool;
}

}  // namespace ckpt::tensor
