// Makes allocations by operator new fail. Included by one source file of a test program.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <new>

// The number of allocations until one fails, in this thread; 0: none.
inline thread_local std::int64_t allocations_until_failure = 0;

// Not inlined: the compiler would see malloc next to delete and warn.
[[gnu::noinline]] inline void* new_or_null(std::size_t bytes) noexcept {
  if (allocations_until_failure > 0 && --allocations_until_failure == 0) return nullptr;
  return std::malloc(bytes == 0 ? 1 : bytes);
}

[[gnu::noinline]] inline void* new_or_throw(std::size_t bytes) {
  void* const memory = new_or_null(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

[[gnu::noinline]] inline void delete_memory(void* memory) noexcept { std::free(memory); }

void* operator new(std::size_t bytes) { return new_or_throw(bytes); }
void* operator new[](std::size_t bytes) { return new_or_throw(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return new_or_null(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return new_or_null(bytes); }
void operator delete(void* memory) noexcept { delete_memory(memory); }
void operator delete[](void* memory) noexcept { delete_memory(memory); }
void operator delete(void* memory, std::size_t) noexcept { delete_memory(memory); }
void operator delete[](void* memory, std::size_t) noexcept { delete_memory(memory); }

// Calls attempt, which throws std::bad_alloc, with the first allocation failing, then the second, and so on until it succeeds.
// Returns the number of failures.
template <class Attempt>
std::int64_t fail_each_allocation(const Attempt& attempt) {
  for (std::int64_t failures = 0;; ++failures) {
    allocations_until_failure = failures + 1;
    try {
      attempt();
      allocations_until_failure = 0;
      return failures;
    } catch (const std::bad_alloc&) {
      allocations_until_failure = 0;
    }
  }
}
