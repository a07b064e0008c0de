#include "tensor/kept_buffers.h"

#include <new>

#include "base/poison.h"
#include "tensor/buffer_pool.h"

namespace ckpt::tensor {
namespace {

static_assert(sizeof(KeptBuffer) <= buffer_alignment, "the smallest buffer must hold its node");

// In a build with AddressSanitizer a use after release is detected although the memory stays allocated.
void poison_contents(KeptBuffer& node) {
  base::poison(reinterpret_cast<char*>(&node) + sizeof(KeptBuffer), static_cast<std::size_t>(node.size) - sizeof(KeptBuffer));
}

void* unpoison_contents(KeptBuffer& node) {
  const auto size = static_cast<std::size_t>(node.size);
  node.~KeptBuffer();
  base::unpoison(&node, size);
  return &node;
}

}  // namespace

void* KeptBuffers::take_or_reserve(std::int64_t size) {
  SizeClass& same_size = sizes_[size];
  if (same_size.kept.empty()) {
    ++same_size.buffers;
    return nullptr;
  }
  KeptBuffer& node = same_size.kept.front();
  same_size.kept.pop_front();
  ages_.erase(ages_.iterator_to(node));
  bytes_ -= size;
  --count_;
  return unpoison_contents(node);
}

void KeptBuffers::keep(void* data, std::int64_t size) noexcept {
  auto& node = *new (data) KeptBuffer;
  node.size = size;
  sizes_.find(size)->second.kept.push_front(node);
  ages_.push_back(node);
  bytes_ += size;
  ++count_;
  poison_contents(node);
}

void KeptBuffers::drop_reservation(std::int64_t size) noexcept {
  const auto found = sizes_.find(size);
  if (--found->second.buffers == 0) sizes_.erase(found);
}

void KeptBuffers::evict(std::int64_t keep_bytes, ByAge& evicted) noexcept {
  while (bytes_ > keep_bytes) {
    KeptBuffer& node = ages_.front();
    BySize& same_size = sizes_.find(node.size)->second.kept;
    same_size.erase(same_size.iterator_to(node));
    ages_.pop_front();
    bytes_ -= node.size;
    --count_;
    drop_reservation(node.size);
    evicted.push_back(node);
  }
}

void* system_allocate(std::int64_t size) noexcept {
  return ::operator new (static_cast<std::size_t>(size), std::align_val_t{buffer_alignment}, std::nothrow);
}

void system_free(void* data) noexcept { ::operator delete (data, std::align_val_t{buffer_alignment}); }

}  // namespace ckpt::tensor
