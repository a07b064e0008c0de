// Counts this program's heap allocations by operator new, in all its forms: their number, and the bytes that each of its threads
// holds. Included by one source file of a test program.
#pragma once

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

inline std::atomic<std::int64_t> heap_requests{0};

struct HeapBytes {
  std::int64_t held = 0;  // bytes allocated by the thread minus bytes freed by it
  std::int64_t max = 0;   // maximum since this was set
};
inline thread_local HeapBytes heap_bytes;

// Not inlined: the compiler would see malloc next to delete and warn.
[[gnu::noinline]] inline void* counted_request(std::size_t bytes, std::size_t alignment) noexcept {
  heap_requests.fetch_add(1, std::memory_order_relaxed);
  void* const memory = alignment == 0 ? std::malloc(bytes == 0 ? 1 : bytes)
                                      : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  heap_bytes.held += static_cast<std::int64_t>(malloc_usable_size(memory));
  heap_bytes.max = std::max(heap_bytes.max, heap_bytes.held);
  return memory;
}

[[gnu::noinline]] inline void* counted_or_throw(std::size_t bytes, std::size_t alignment) {
  if (void* const memory = counted_request(bytes, alignment)) return memory;
  throw std::bad_alloc();
}

[[gnu::noinline]] inline void counted_free(void* memory) noexcept {
  heap_bytes.held -= static_cast<std::int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

void* operator new(std::size_t bytes) { return counted_or_throw(bytes, 0); }
void* operator new[](std::size_t bytes) { return counted_or_throw(bytes, 0); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return counted_request(bytes, 0); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return counted_request(bytes, 0); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return counted_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return counted_request(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return counted_request(bytes, static_cast<std::size_t>(alignment));
}

void operator delete(void* memory) noexcept { counted_free(memory); }
void operator delete[](void* memory) noexcept { counted_free(memory); }
void operator delete(void* memory, std::size_t) noexcept { counted_free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { counted_free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { counted_free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { counted_free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { counted_free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { counted_free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { counted_free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { counted_free(memory); }
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept { counted_free(memory); }
void operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept { counted_free(memory); }
