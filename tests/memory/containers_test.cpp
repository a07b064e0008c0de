// The containers of the tracker: chunks, slots and names at their limits.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "base/text.h"
#include "memory/chunks.h"
#include "memory/names.h"
#include "memory/slots.h"
#include "memory/spin_lock.h"

namespace ckpt::memory {
namespace {

TEST(MemoryChunks, ElementsKeepTheirAddresses) {
  Chunks<int> chunks;
  EXPECT_EQ(chunks.capacity(), 0);
  chunks.add(chunks.prepare());
  EXPECT_EQ(chunks.capacity(), 64);
  int* const first = &chunks[0];
  while (chunks.capacity() < 5000) chunks.add(chunks.prepare());
  EXPECT_EQ(&chunks[0], first);
  const auto count = static_cast<std::uint32_t>(chunks.capacity());
  for (std::uint32_t i = 0; i < count; ++i) chunks[i] = static_cast<int>(i);
  std::vector<int> copy(count);
  chunks.copy_to(copy.data(), count);
  for (std::uint32_t i = 0; i < count; ++i) ASSERT_EQ(copy[i], static_cast<int>(i));
  std::vector<int> some(100, -1);
  chunks.copy_to(some.data(), 70);
  EXPECT_EQ(some[69], 69);
  EXPECT_EQ(some[70], -1);
}

// A thread of the parent holds the lock at the fork: the child refuses each time, and does not wait.
TEST(MemorySpinLock, AForkedChildDoesNotWaitForItsParent) {
  SpinLock lock;
  SpinLock open;
  std::atomic<bool> held{false};
  std::atomic<bool> ends{false};
  std::thread holder([&] {
    lock.lock();
    held = true;
    while (!ends) std::this_thread::yield();
    lock.unlock();
  });
  while (!held) std::this_thread::yield();
  const pid_t child = fork();
  if (child == 0) {
    alarm(200);
    int refused = 0;
    const auto try_it = [&] {
      try {
        lock.lock();
      } catch (const base::Error& error) {
        if (error.status() == base::Status::forked) ++refused;
      }
    };
    try_it();
    try_it();
    open.lock();
    open.unlock();
    _exit(refused == 2 ? 0 : 1);
  }
  ends = true;
  holder.join();
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  lock.lock();  // the parent's lock is unaffected
  lock.unlock();
}

TEST(MemorySlots, SlotsAreFoundOnlyWhileTaken) {
  Slots slots;
  EXPECT_EQ(slots.take(), no_slot);
  EXPECT_FALSE(slots.has_place());
  slots.chunks().add(slots.chunks().prepare());
  EXPECT_EQ(slots.find(AllocationId{1} << 32), no_slot);
  const std::uint32_t index = slots.take();
  const AllocationId id = slots.id_of(index);
  EXPECT_EQ(slots.find(id), index);
  EXPECT_EQ(slots.find(id & 0xFFFFFFFF), no_slot);
  slots.release(index);
  EXPECT_EQ(slots.find(id), no_slot);
  EXPECT_EQ(slots.find(slots.id_of(index)), no_slot);
  EXPECT_EQ(slots.take(), index);
  EXPECT_NE(slots.id_of(index), id);
}

TEST(MemorySlots, ASlotWithExhaustedGenerationsIsNotReused) {
  Slots slots(0xFFFFFFFC);
  slots.chunks().add(slots.chunks().prepare());
  const std::uint32_t index = slots.take();
  const AllocationId first = slots.id_of(index);
  slots.release(index);
  EXPECT_EQ(slots.take(), index);
  const AllocationId last = slots.id_of(index);
  EXPECT_EQ(last >> 32, 0xFFFFFFFFU);
  slots.release(index);
  EXPECT_NE(slots.take(), index);
  EXPECT_EQ(slots.find(first), no_slot);
  EXPECT_EQ(slots.find(last), no_slot);
  EXPECT_EQ(slots.find(index), no_slot);
}

TEST(MemoryNames, ManyNamesOfAllLengths) {
  Names names;
  std::vector<std::string> all;
  for (int i = 0; i < 3000; ++i) all.push_back(std::string(static_cast<std::size_t>(i % 70), 'x') + base::cat(i));
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(names.find(all[i]), no_layer);
    LayerId new_layer = no_layer;
    EXPECT_EQ(names.add(all[i],
                        [&](LayerId layer) {
                          new_layer = layer;
                          EXPECT_EQ(names.find(all[i]), no_layer);  // not found yet
                        }),
              static_cast<LayerId>(i));
    EXPECT_EQ(new_layer, static_cast<LayerId>(i));
  }
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(names.find(all[i]), static_cast<LayerId>(i));
  EXPECT_EQ(names.count(), 3000);
  EXPECT_EQ(names.find(std::string("1\0", 2)), no_layer);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string_view name = names.name(static_cast<LayerId>(i));
    EXPECT_EQ(name, all[i]);
    EXPECT_EQ(name.data()[name.size()], '\0');
  }
}

TEST(MemoryNames, NamesThatDifferInOneCharacterAnywhere) {
  Names names;
  std::vector<std::string> all;
  for (std::size_t length = 1; length <= 70; ++length) {
    all.emplace_back(length, 'a');
    for (std::size_t at = 0; at < length; ++at) {
      all.emplace_back(length, 'a');
      all.back()[at] = 'b';
    }
  }
  for (const std::string& name : all) static_cast<void>(names.add(name, [](LayerId) {}));
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(names.find(all[i]), static_cast<LayerId>(i)) << all[i];
}

// Enough names for pairs with equal 32-bit hashes (about ten): each is still found, and never confused.
TEST(MemoryNames, NamesWithEqualHashesAreDistinguished) {
  Names names;
  constexpr int count = 300000;
  for (int i = 0; i < count; ++i) names.add(base::cat("layer.", i), [](LayerId) {});
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    wrong += names.find(base::cat("layer.", i)) != i ? 1 : 0;
    wrong += names.find(base::cat("other.", i)) != no_layer ? 1 : 0;
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace ckpt::memory
