// Scratch files: written bytes are read back, with every method and length; errors and stops do not affect the next copy.
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "scratch.h"
#include "storage/file_system.h"
#include "storage/memory.h"
#include "storage/retry.h"
#include "storage/transfer_queue.h"

namespace ckpt::storage {
namespace {

using base::Status;
using Direction = TransferQueue::Direction;

constexpr std::int64_t scratch_bytes = std::int64_t{64} << 20;
const std::atomic<bool> no_stop{false};

std::shared_ptr<Storage> by_path(const tests::Scratch& directory, WritePath path) {
  WriteOptions options;
  options.first = path;
  options.stream_from_bytes = 1;
  return open_file_system(directory.path(), Root::make, options);
}

std::vector<std::shared_ptr<Storage>> all_ways(const tests::Scratch& directory) {
  return {make_memory_storage(), by_path(directory, WritePath::buffered), by_path(directory, WritePath::direct),
          by_path(directory, WritePath::ring),
          make_retrying_storage(by_path(directory, WritePath::ring), std::make_shared<FaultHandler>(FaultPolicy{}))};
}

std::vector<std::byte> random_bytes(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

TEST(Scratches, WrittenBytesAreReadBack) {
  const tests::Scratch directory;
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  for (const auto& storage : all_ways(directory)) {
    const auto scratch = storage->create_scratch(scratch_bytes);
    std::int64_t offset = 0;
    std::vector<std::pair<std::int64_t, std::vector<std::byte>>> written;
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{511}, std::size_t{4096}, std::size_t{4097},
                                    mebibyte - 1, mebibyte, mebibyte + 1, 5 * mebibyte, 9 * mebibyte + 77}) {
      for (const std::size_t shift : {std::size_t{0}, std::size_t{64}}) {  // in memory: aligned to a page, and unaligned
        std::vector<std::byte> room(count + shift + 4096);
        const auto address = reinterpret_cast<std::uintptr_t>(room.data());
        const std::span<std::byte> bytes(room.data() + (4096 - address % 4096) + shift, count);
        std::ranges::copy(random_bytes(count, static_cast<std::uint32_t>(count + shift)), bytes.begin());
        scratch->write(offset, bytes, no_stop);
        written.push_back({offset, {bytes.begin(), bytes.end()}});
        offset += static_cast<std::int64_t>(count + scratch_alignment) / scratch_alignment * scratch_alignment;
      }
    }
    ASSERT_LE(offset, scratch_bytes);
    for (const auto& [from, expected] : written) {
      std::vector<std::byte> got(expected.size() + 1, std::byte{0xEE});
      scratch->read(from, std::span(got).first(expected.size()), no_stop);
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), got.begin())) << storage->name() << ' ' << expected.size();
      EXPECT_EQ(got.back(), std::byte{0xEE});
    }
  }
}

TEST(Scratches, OneThreadWritesWhileAnotherOneReads) {
  const tests::Scratch directory;
  const auto first = random_bytes(std::size_t{3} << 20, 1);
  const auto second = random_bytes(std::size_t{3} << 20, 2);
  for (const auto& storage : all_ways(directory)) {
    const auto scratch = storage->create_scratch(scratch_bytes);
    const std::int64_t far = std::ssize(first);
    scratch->write(0, first, no_stop);
    std::thread writer([&] {
      for (int i = 0; i < 10; ++i) scratch->write(far, second, no_stop);
    });
    std::vector<std::byte> got(first.size());
    for (int i = 0; i < 10; ++i) {
      std::ranges::fill(got, std::byte{});
      scratch->read(0, got, no_stop);
      EXPECT_TRUE(got == first);
    }
    writer.join();
    scratch->read(far, got, no_stop);
    EXPECT_TRUE(got == second);
  }
}

TEST(Scratches, AStoppedCopyIsCancelledAndTheNextOneWorks) {
  const tests::Scratch directory;
  const auto bytes = random_bytes(std::size_t{9} << 20, 3);
  WriteOptions options;
  options.bytes_per_second = 1;
  const auto scratch = open_file_system(directory.path(), Root::make, options)->create_scratch(scratch_bytes);
  std::atomic<bool> stop{false};
  std::thread stopper([&] { stop = true; });
  EXPECT_ERROR(scratch->write(0, bytes, stop), Status::cancelled, "stopped");
  stopper.join();
  std::vector<std::byte> got(4096);
  scratch->read(0, got, no_stop);  // its own limit, with a burst of free bytes
}

TEST(Scratches, TheLimitAppliesToReadsSeparately) {
  struct Clock final : base::Clock {
    std::int64_t now_ns() const override { return now; }
    mutable std::int64_t now = 0;
  };
  const tests::Scratch directory;
  const auto clock = std::make_shared<Clock>();
  constexpr std::int64_t rate = 1 << 20;  // bytes per second
  WriteOptions options;
  options.bytes_per_second = rate;
  options.clock = clock;
  options.sleep = [&](std::int64_t ns) { clock->now += ns; };
  const auto scratch = open_file_system(directory.path(), Root::make, options)->create_scratch(scratch_bytes);
  const std::int64_t free = std::int64_t{4} << 20;
  std::vector<std::byte> bytes(static_cast<std::size_t>(free + 3 * rate));
  scratch->write(0, bytes, no_stop);
  EXPECT_NEAR(static_cast<double>(clock->now), 3e9, 1e7);
  scratch->read(0, bytes, no_stop);
  EXPECT_NEAR(static_cast<double>(clock->now), 6e9, 1e7);
}

TEST(TransferQueues, CopyInOrderAndReportTheFirstError) {
  // Fails at one offset, and records its calls.
  struct Failing final : Scratch {
    void write(std::int64_t offset, std::span<const std::byte>, const std::atomic<bool>&) override {
      asked.push_back(offset);
      if (offset == 20) base::fail(Status::io, "offset 20 is broken");
    }
    void read(std::int64_t, std::span<std::byte>, const std::atomic<bool>&) override {}
    std::vector<std::int64_t> asked;
  };
  const auto scratch = std::make_shared<Failing>();
  std::byte memory{};
  {
    TransferQueue queue(scratch, {.name = "tier 7"}, Direction::store, 4);
    for (int round = 0; round < 3; ++round) {
      std::vector<std::uint64_t> numbers;
      for (std::int32_t i = 0; i < 4; ++i) numbers.push_back(queue.begin({10 * i, &memory, 1, 100 + i}));
      queue.wait(numbers[1]);
      EXPECT_ERROR(queue.wait(numbers[3]), Status::io, "tier 7, slot 102: offset 20 is broken");
      queue.drain();
    }
    queue.wait(queue.begin({50, &memory, 1, 0}));
    queue.begin({60, &memory, 1, 0});  // not awaited: the destructor ends or drops it
  }
  std::vector<std::int64_t> expected;
  for (int round = 0; round < 3; ++round) expected.insert(expected.end(), {0, 10, 20});
  expected.push_back(50);
  scratch->asked.resize(expected.size());
  EXPECT_EQ(scratch->asked, expected);
}

}  // namespace
}  // namespace ckpt::storage
