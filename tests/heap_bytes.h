// Counts the bytes that each thread of this program holds of the heap by operator new, in all its forms: those that it asked for
// less those that it gave back. Included by one source file of a test program.
#pragma once

#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>

struct HeapBytes {
  std::int64_t held = 0;
  std::int64_t most = 0;  // since it was set
};
inline thread_local HeapBytes heap_bytes;

// Not inlined: the compiler would see malloc and delete side by side and warn.
[[gnu::noinline]] inline void* counted_request(std::size_t bytes, std::size_t alignment) noexcept {
  void* const memory = alignment == 0 ? std::malloc(bytes == 0 ? 1 : bytes)
                                      : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  heap_bytes.held += static_cast<std::int64_t>(malloc_usable_size(memory));
  heap_bytes.most = std::max(heap_bytes.most, heap_bytes.held);
  return memory;
}

[[gnu::noinline]] inline void give_back(void* memory) noexcept {
  heap_bytes.held -= static_cast<std::int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

[[gnu::noinline]] inline void* counted_or_throw(std::size_t bytes, std::size_t alignment) {
  if (void* const memory = counted_request(bytes, alignment)) return memory;
  throw std::bad_alloc();
}

void* operator new(std::size_t bytes) { return counted_or_throw(bytes, 0); }
void* operator new[](std::size_t bytes) { return counted_or_throw(bytes, 0); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return counted_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete[](void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { give_back(memory); }
