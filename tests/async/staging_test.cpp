// The units of a background save: memory, staging, failures and the table.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <new>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "async/arena.h"
#include "expect_error.h"
#include "fixture.h"
#include "storage/file_system.h"

namespace {

using namespace ckpt::tests;
using namespace ckpt::async;
using namespace ckpt::state;
using ckpt::base::Status;
using ckpt::tensor::Dtype;
using ckpt::tensor::Tensor;

// Tensors of several dtypes and sizes: empty, one byte, several blocks and a fraction, in another order than in the file.
class Assorted {
 public:
  explicit Assorted(std::int64_t scale) {
    add("model", "bytes", Dtype::u8, 3 * scale + 1);
    add("model", "empty", Dtype::f32, 0);
    add("model", "floats", Dtype::f32, scale);
    add("model", "one", Dtype::u8, 1);
    add("other", "doubles", Dtype::f64, scale / 2 + 1);
    add("other", "last", Dtype::i16, 7);
    state.set_json("key", "[1,2]");
  }
  State state;

 private:
  void add(const char* group, const char* name, Dtype dtype, std::int64_t elements) {
    const auto tensor = Tensor::create(dtype, {elements});
    const auto bytes = tensor->byte_span();
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 31 + i / 251 + elements);
    state.add_tensor(group, name, tensor);
  }
};

// In every mode, and with any amount of memory, the files equal those of a foreground save.
void expect_same_files(const State& state, const AsyncOptions& options, TaskOptions task) {
  Background it(options);
  SaveOptions save;
  save.step = 1;
  const SaveResult expected = it.checkpoint->save(state, save);
  const TaskResult result = it.manager->wait(it.manager->save(state, save, std::move(task)), -1);
  ASSERT_EQ(result.state, TaskState::completed) << result.error;
  for (const char* file : {"model.safetensors", "other.safetensors"}) {
    EXPECT_TRUE(read_file(*it.disk, expected.name + "/" + file) == read_file(*it.disk, result.name + "/" + file)) << file;
  }
  EXPECT_EQ(result.bytes, expected.bytes);
  // The manifests differ in their commit sequence and their own checksum alone.
  // Saves differ in the number, the time, and the checksum over both.
  const auto without_sequence = [](std::string text) {
    for (const char* const key : {"\"commit_sequence\"", "\"saved_utc_ns\"", "\"checksum\""}) {
      const auto at = text.find(key);
      text.erase(at, text.find('\n', at) - at);
    }
    return text;
  };
  EXPECT_EQ(without_sequence(it.checkpoint->manifest(result.name)), without_sequence(it.checkpoint->manifest(expected.name)));
  it.checkpoint->verify(result.name);
}

// ---- Arena ----

bool never() { return false; }
bool always() { return true; }

TEST(AsyncArena, AThrowingWaitLeavesTheQueue) {
  Arena arena(smallest_arena_bytes);
  const auto held = arena.take(arena.blocks(), never, {});
  EXPECT_THROW(arena.take(1, never, [] { throw std::runtime_error("would_wait"); }), std::runtime_error);
  EXPECT_THROW(arena.take(1, []() -> bool { throw std::runtime_error("should_stop"); }, {}), std::runtime_error);
  arena.release(held);
  // Takes nothing unless it is first in the queue.
  EXPECT_EQ(static_cast<std::int64_t>(arena.take(arena.blocks(), always, {}).size()), arena.blocks());
}

TEST(AsyncArena, AFailedAllocationWakesTheNextWaiter) {
  std::promise<void> making;
  std::promise<void> waiting;
  std::atomic<bool> is_first{true};
  Arena arena(smallest_arena_bytes, [&](std::int64_t bytes) {
    if (is_first.exchange(false)) {
      making.set_value();
      waiting.get_future().wait();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));  // until the other thread waits
      throw std::bad_alloc();
    }
    return system_block(bytes);
  });
  auto failing = std::async(std::launch::async, [&] { EXPECT_THROW(arena.take(arena.blocks(), never, {}), std::bad_alloc); });
  making.get_future().wait();
  std::atomic<bool> is_late{false};
  auto next = std::async(std::launch::async, [&] {
    return arena.take(
        1, [&] { return is_late.load(); }, [&] { waiting.set_value(); });
  });
  EXPECT_EQ(next.wait_for(std::chrono::seconds(30)), std::future_status::ready);
  is_late = true;
  arena.wake();
  EXPECT_EQ(next.get().size(), 1U);
  failing.get();
}

// ---- Files ----

TEST(AsyncStaging, EveryModeWritesTheSameFiles) {
  for (const std::int64_t scale : {2, 5000, 300'000}) {  // part of a block; several blocks; more than all memory
    for (const StagingMode mode : {StagingMode::copy, StagingMode::borrow, StagingMode::deferred}) {
      const Assorted assorted(scale);
      AsyncOptions options;
      options.staging_bytes = scale == 2 ? 1 << 20 : smallest_arena_bytes;
      options.staging_threads = 3;
      TaskOptions task;
      task.mode = mode;
      SCOPED_TRACE(ckpt::base::cat("scale ", scale, ", mode ", static_cast<int>(mode)));
      expect_same_files(assorted.state, options, task);
    }
  }
}

// Groups large enough to be written directly from the staging memory, and one that is not.
TEST(AsyncStaging, FilesWrittenFromStagingMemoryEqualThoseOfAForegroundSave) {
  State state;
  for (const auto& [group, bytes] : {std::pair("a", (9 << 20) + 5), {"b", 100}, {"c", 5 << 20}}) {
    for (const char* const name : {"one", "two"}) {
      const auto tensor = Tensor::create(Dtype::u8, {bytes});
      for (std::int64_t i = 0; i < bytes; ++i)
        tensor->data_as<std::uint8_t>()[i] = static_cast<std::uint8_t>(i * 31 + i / 251 + name[0]);
      state.add_tensor(group, name, tensor);
    }
  }
  ckpt::storage::WriteOptions always;
  always.stream_from_bytes = 0;
  const Scratch scratch;
  const auto disk = ckpt::storage::open_file_system(scratch.path(), ckpt::storage::Root::make, always);
  const auto checkpoint = std::make_shared<Checkpoint>(disk, CheckpointOptions{});
  const SaveResult expected = checkpoint->save(state, {});
  for (const std::int64_t staging_bytes : {std::int64_t{1} << 30, std::int64_t{28} << 20, std::int64_t{8} << 20}) {
    AsyncOptions options;
    options.staging_bytes = staging_bytes;
    const auto manager = std::make_shared<AsyncManager>(checkpoint, options);
    for (const StagingMode mode : {StagingMode::copy, StagingMode::deferred}) {
      TaskOptions task;
      task.mode = mode;
      const TaskResult result = manager->wait(manager->save(state, {}, task), -1);
      ASSERT_EQ(result.state, TaskState::completed) << result.error;
      for (const char* const file : {"a.safetensors", "b.safetensors", "c.safetensors"})
        EXPECT_TRUE(read_file(*disk, expected.name + "/" + file) == read_file(*disk, result.name + "/" + file)) << file;
      checkpoint->verify(result.name);
    }
    AsyncManager::release(manager);
  }
}

// A state of exactly the staging memory's size can be rewritten after an error of sync, like a smaller one.
TEST(AsyncStaging, AStateOfExactlyTheStagingMemoryIsNotWrittenInWaves) {
  AsyncOptions options;
  options.staging_bytes = 8 << 20;
  Background it(options);
  State state;
  state.add_tensor("model", "t", Tensor::create(Dtype::u8, {options.staging_bytes}));
  it.fail_next("sync");
  const TaskResult result = it.manager->wait(it.manager->save(state, {}, {}), -1);
  EXPECT_EQ(result.state, TaskState::completed) << result.error;
  EXPECT_EQ(result.saved.rewritten, 1);
}

// The source returns the last bytes only once the first ones are being written.
TEST(AsyncStaging, ALargeStateIsWrittenWhileItIsCopied) {
  AsyncOptions options;
  options.staging_threads = 1;
  Background it(options);
  std::atomic<bool> is_written{false};
  it.faults->before = [&](const std::string& line) {
    if (line.starts_with("write ")) is_written = true;
  };
  State state;
  state.add_tensor("model", "t", Tensor::create(Dtype::u8, {64 << 20}));
  TaskOptions task;
  task.source = [&](const std::string&, const StateTensor& item, std::int64_t offset, std::span<std::byte> out) {
    const bool is_last = offset + static_cast<std::int64_t>(out.size()) == item.tensor->bytes();
    while (is_last && !is_written) std::this_thread::yield();
    std::ranges::fill(out, std::byte{1});
  };
  const TaskResult result = it.manager->wait(it.manager->save(state, {}, task), -1);
  EXPECT_EQ(result.state, TaskState::completed) << result.error;
}

// The task has ended, but a thread still reads the caller's tensors: the caller must not free them yet.
TEST(AsyncStaging, AWaitOutlastsTheCopyOfACancelledTask) {
  Background it;
  State state;
  state.add_tensor("model", "t", Tensor::create(Dtype::u8, {10}));
  std::atomic<bool> is_reading{false};
  std::atomic<bool> may_return{false};
  TaskOptions task;
  task.mode = StagingMode::deferred;
  task.source = [&](const std::string&, const StateTensor&, std::int64_t, std::span<std::byte> out) {
    is_reading = true;
    while (!may_return) std::this_thread::yield();
    std::ranges::fill(out, std::byte{1});
  };
  const std::int64_t id = it.manager->save(state, {}, task);
  while (!is_reading) std::this_thread::yield();
  EXPECT_TRUE(it.manager->cancel(id));
  while (it.manager->info(id).state != TaskState::cancelled) std::this_thread::yield();
  EXPECT_ERROR(it.manager->wait_staged(id, 0), Status::timeout, "was not staged");
  EXPECT_ERROR(it.manager->wait_staged(0, 0), Status::timeout, "was not staged");  // 0: all tasks
  EXPECT_ERROR(it.manager->wait_all(0), Status::timeout, "did not end");
  EXPECT_ERROR(it.manager->wait(id, 0), Status::timeout, "did not end");
  may_return = true;
  it.manager->wait_staged(id, -1);
  EXPECT_EQ(it.manager->wait(id, -1).state, TaskState::cancelled);
}

TEST(AsyncStaging, AnEmptyStateIsSavedToo) {
  Background it;
  EXPECT_EQ(it.manager->wait(it.manager->save(State(), {}, {}), -1).state, TaskState::completed);
}

// A tensor with a pointer that is not an address in this process.
TEST(AsyncStaging, ASourceReadsMemoryThatTheLibraryCannot) {
  for (const std::int64_t elements : {10, 100'000}) {
    for (const StagingMode mode : {StagingMode::copy, StagingMode::deferred}) {
      AsyncOptions options;
      options.staging_bytes = smallest_arena_bytes;
      Background it(options);
      State state;
      state.add_tensor("model", "device", Tensor::borrow(reinterpret_cast<void*>(std::uintptr_t{4096}), Dtype::u8, {elements}, {}));
      TaskOptions task;
      task.mode = mode;
      task.source = [](const std::string& group, const StateTensor& item, std::int64_t offset, std::span<std::byte> out) {
        EXPECT_EQ(group + item.name, "modeldevice");
        EXPECT_EQ(item.tensor->data(), reinterpret_cast<void*>(std::uintptr_t{4096}));
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::byte>((static_cast<std::size_t>(offset) + i) % 253);
      };
      const TaskResult result = it.manager->wait(it.manager->save(state, {}, task), -1);
      ASSERT_EQ(result.state, TaskState::completed) << result.error;
      State loaded;
      const auto target = Tensor::create(Dtype::u8, {elements});
      loaded.add_tensor("model", "device", target);
      it.checkpoint->load(loaded, {});
      for (std::int64_t i = 0; i < elements; ++i) ASSERT_EQ(target->data_as<std::uint8_t>()[i], i % 253) << i;
    }
  }
}

TEST(AsyncStaging, AnErrorOfTheSourceFailsTheSave) {
  for (const std::int64_t elements : {10, 300'000}) {  // at once, and in waves while the writer runs
    for (const StagingMode mode : {StagingMode::copy, StagingMode::deferred}) {
      AsyncOptions options;
      options.staging_bytes = smallest_arena_bytes;
      Background it(options);
      State state;
      state.add_tensor("model", "device", Tensor::create(Dtype::u8, {elements}));
      TaskOptions task;
      task.mode = mode;
      task.source = [](const std::string&, const StateTensor&, std::int64_t, std::span<std::byte>) {
        ckpt::base::fail(Status::callback, "the device is gone");
      };
      const TaskResult result = it.manager->wait(it.manager->save(state, {}, task), -1);
      EXPECT_EQ(result.state, TaskState::failed);
      EXPECT_EQ(result.status, Status::callback);
      EXPECT_EQ(result.error, "the device is gone");
      EXPECT_EQ(names_in(*it.disk, ""), "");
      task.mode = StagingMode::borrow;
      EXPECT_ERROR(it.manager->save(state, {}, task), Status::invalid_argument, "BORROW");
    }
  }
}

// Waves cannot be copied again: an error of sync fails the save, and the previous checkpoint remains.
TEST(AsyncStaging, AReleasedWaveIsNotRewritten) {
  AsyncOptions options;
  options.staging_bytes = smallest_arena_bytes;
  Background it(options);
  const Assorted assorted(300'000);
  it.fail_next("sync");
  const TaskResult result = it.manager->wait(it.manager->save(assorted.state, {}, {}), -1);
  EXPECT_EQ(result.state, TaskState::failed);
  EXPECT_NE(result.error.find("larger than the staging memory"), std::string::npos) << result.error;
}

TEST(AsyncStaging, CancellingWakesACopyInWaves) {
  AsyncOptions options;
  options.staging_bytes = smallest_arena_bytes;
  Background it(options);
  const Assorted assorted(300'000);
  it.blocker.shut("write ");
  std::thread canceller([&] {
    it.blocker.wait_for_thread();
    EXPECT_TRUE(it.manager->cancel(it.manager->live_ids().at(0)));
    it.blocker.open();
  });
  const std::int64_t id = it.manager->save(assorted.state, {}, {});
  canceller.join();
  EXPECT_EQ(it.manager->wait(id, -1).state, TaskState::cancelled);
  EXPECT_FALSE(it.manager->info(id).staged);
  EXPECT_EQ(names_in(*it.disk, ""), "");
}

// At one byte per second the second block would take a month to write; the flag interrupts the sleep.
TEST(AsyncStaging, ALimitedWriterStopsOnRequest) {
  AsyncOptions options = Background::small();
  options.bytes_per_second = 1;
  Background it(options);
  State state;
  state.add_tensor("model", "large", Tensor::create(Dtype::u8, {9 << 20}));  // twice the burst size
  TaskOptions task;
  task.mode = StagingMode::borrow;
  const std::int64_t id = it.manager->save(state, {}, task);
  while (it.manager->info(id).started_at_ns == 0) std::this_thread::yield();
  EXPECT_TRUE(it.manager->cancel(id));
  EXPECT_EQ(it.manager->wait(id, -1).state, TaskState::cancelled);
}

TEST(AsyncStaging, TheArenaServesWaitersInOrder) {
  Arena arena(smallest_arena_bytes);
  ASSERT_EQ(arena.blocks(), 8);
  EXPECT_EQ(arena.allocated_bytes(), 0);
  const auto never = [] { return false; };
  const auto max = arena.take(6, never, {});
  ASSERT_EQ(max.size(), 6U);
  std::atomic<int> order{0};
  std::atomic<int> waiting{0};
  int all_came = 0;
  int one_came = 0;
  std::thread all([&] {
    const auto blocks = arena.take(8, never, [&] { ++waiting; });
    all_came = ++order;
    arena.release(blocks);
  });
  while (waiting < 1) std::this_thread::yield();
  // Two blocks are free, but another thread was first.
  std::thread one([&] {
    const auto blocks = arena.take(1, never, [&] { ++waiting; });
    one_came = ++order;
    arena.release(blocks);
  });
  while (waiting < 2) std::this_thread::yield();
  arena.release(max);
  all.join();
  one.join();
  EXPECT_EQ(all_came, 1);
  EXPECT_EQ(one_came, 2);
  EXPECT_EQ(arena.allocated_bytes(), smallest_arena_bytes);

  const auto held = arena.take(8, never, {});
  std::atomic<bool> gave_up{false};
  std::thread impatient([&] {
    EXPECT_TRUE(arena
                    .take(
                        1, [&] { return gave_up.load(); }, [&] { ++waiting; })
                    .empty());
  });
  while (waiting < 3) std::this_thread::yield();
  gave_up = true;
  arena.wake();
  impatient.join();
  arena.release(held);
  EXPECT_EQ(arena.take(8, never, {}).size(), 8U);  // no thread waits any more
}

TEST(AsyncStaging, TheArenaIsPreparedInAdvance) {
  Arena arena(std::int64_t{32} << 20);
  EXPECT_EQ(arena.block_bytes(), std::int64_t{4} << 20);
  arena.prepare(std::int64_t{9} << 20);
  EXPECT_EQ(arena.allocated_bytes(), std::int64_t{12} << 20);
  EXPECT_ERROR(arena.prepare(-1), Status::invalid_argument, "prepare_bytes is -1");
}

// Several threads record failures concurrently; they are reported in the order of the tasks' age.
TEST(AsyncStaging, FailuresAreReportedOnceTheOldestFirst) {
  Failures failures;
  EXPECT_FALSE(failures.take().has_value());
  for (const std::int64_t id : {3, 1, 4, 2}) failures.add(id, {Status::io, "failure " + std::to_string(id)});
  failures.remove(4);
  failures.remove(7);
  EXPECT_EQ(failures.take()->message(), "failure 1; 2 more tasks failed");
  failures.add(0, {Status::no_space, "failure 0"});
  EXPECT_EQ(failures.take()->status(), Status::no_space);
  EXPECT_EQ(failures.take()->message(), "failure 2; 1 more task failed");
  EXPECT_EQ(failures.take()->message(), "failure 3");
  EXPECT_FALSE(failures.take().has_value());
}

TEST(AsyncStaging, IdsAreNeverReused) {
  TaskTable table(1);
  std::set<std::int64_t> ids;
  for (int i = 0; i < 1000; ++i) {
    const auto task = std::make_shared<Task>(TaskKind::save, TaskOptions{}, 0);
    table.add(task);
    EXPECT_GT(task->id, 0);
    EXPECT_TRUE(ids.insert(task->id).second);
    EXPECT_EQ(table.find(task->id), task);
    task->end(Task::Phase::queued, Task::Phase::cancelled, {});
    table.note_notified(*task);
    EXPECT_TRUE(task->was_notified());
  }
  EXPECT_LE(table.size(), 2);
  std::int64_t found = 0;
  for (const std::int64_t id : ids) found += table.find(id) != nullptr ? 1 : 0;
  EXPECT_EQ(found, 1);
}

// Many threads try to end a task concurrently, in every way: one wins, and the result stays.
TEST(AsyncStaging, ATaskEndsOnce) {
  using Phase = Task::Phase;
  for (int round = 0; round < 200; ++round) {
    Task task(TaskKind::save, {}, 0);
    std::atomic<int> wins{0};
    std::vector<std::thread> threads;
    for (const Phase end : {Phase::completed, Phase::failed, Phase::cancelled, Phase::rejected}) {
      threads.emplace_back([&, end] { wins += task.end(Phase::queued, end, {}) ? 1 : 0; });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wins, 1);
    EXPECT_FALSE(task.move(Phase::queued, Phase::running));
    EXPECT_EQ(task.result().state, task.state());
  }
}

}  // namespace
