// Storage operations for object stores, equally on files and object stores; and files with read-ahead.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include "../state/faulty_storage.h"
#include "../state/object_store.h"
#include "base/entered.h"
#include "base/log.h"
#include "scratch.h"
#include "storage/file_system.h"
#include "storage/memory.h"
#include "storage/objects.h"
#include "storage/read_ahead.h"
#include "storage/retry.h"

namespace {

using namespace ckpt::storage;
using namespace ckpt::tests;
using ckpt::base::Status;

enum class Kind { file_system, memory, objects, retrying };

class StorageObjects : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    switch (GetParam()) {
      case Kind::file_system: storage = open_file_system(scratch.path(), Root::make); break;
      case Kind::memory: storage = make_memory_storage(); break;
      case Kind::objects: storage = std::make_shared<BucketClient>(std::make_shared<Bucket>()); break;
      case Kind::retrying:
        storage = make_retrying_storage(std::make_shared<BucketClient>(std::make_shared<Bucket>()),
                                        std::make_shared<FaultHandler>(FaultPolicy(), [](std::int64_t) {}));
    }
  }
  void put(const std::string& path, const std::string& text) { storage->put_if_absent(path, std::as_bytes(std::span(text))); }
  std::string read(const std::string& path) {
    const auto file = storage->open(path);
    std::string text(static_cast<std::size_t>(file->size()), '\0');
    file->read(0, std::as_writable_bytes(std::span(text)));
    return text;
  }
  std::string listed(const std::string& prefix, const std::string& after = "", std::int64_t limit = list_limit) {
    std::string out;
    for (const Object& object : storage->list_from(prefix, after, limit))
      out += ckpt::base::cat(object.path, ':', object.bytes, ' ');
    return out;
  }

  ckpt::tests::Scratch scratch;
  std::shared_ptr<Storage> storage;
};

std::string name_of(const testing::TestParamInfo<Kind>& instance) {
  constexpr const char* names[] = {"FileSystem", "Memory", "Objects", "Retrying"};
  return names[static_cast<std::size_t>(instance.param)];
}

INSTANTIATE_TEST_SUITE_P(Storage, StorageObjects, testing::Values(Kind::file_system, Kind::memory, Kind::objects, Kind::retrying),
                         name_of);

TEST_P(StorageObjects, TheFirstPutWins) {
  storage->make_directory("d");
  put("d/a", "first");
  EXPECT_EQ(status_of([&] { put("d/a", "second"); }), Status::already_exists);
  EXPECT_EQ(read("d/a"), "first");
  put("empty", "");
  EXPECT_EQ(storage->size("empty"), 0);
  EXPECT_EQ(listed(""), "d/a:5 empty:0 ");  // nothing else remains
  EXPECT_EQ(storage->is_objects(), GetParam() == Kind::objects || GetParam() == Kind::retrying);
}

TEST_P(StorageObjects, OneOfManyConcurrentPutsSucceeds) {
  for (int round = 0; round < 20; ++round) {
    const std::string path = ckpt::base::cat("file", round);
    std::atomic<int> won{0};
    std::string winner;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        const std::string text = ckpt::base::cat("of ", i);
        if (status_of([&] { put(path, text); }) != Status::ok) return;
        ++won;
        winner = text;
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(won, 1);
    EXPECT_EQ(read(path), winner);
  }
}

TEST_P(StorageObjects, ListsByWholePathsInTheOrderOfTheirBytes) {
  for (const char* directory : {"a", "a/b", "b", "empty"}) storage->make_directory(directory);
  // '-' and '.' sort before '/', '0' after it.
  for (const char* path : {"a-", "a.x", "a/1", "a/b/2", "a/b/3", "a/c", "a0", "b/4", "z"}) put(path, path);
  EXPECT_EQ(listed(""), "a-:2 a.x:3 a/1:3 a/b/2:5 a/b/3:5 a/c:3 a0:2 b/4:3 z:1 ");
  EXPECT_EQ(listed("a/"), "a/1:3 a/b/2:5 a/b/3:5 a/c:3 ");
  EXPECT_EQ(listed("a/b"), "a/b/2:5 a/b/3:5 ");
  EXPECT_EQ(listed("a/b/2"), "a/b/2:5 ");
  EXPECT_EQ(listed("a"), "a-:2 a.x:3 a/1:3 a/b/2:5 a/b/3:5 a/c:3 a0:2 ");
  EXPECT_EQ(listed("nothing/at/all"), "");
  EXPECT_EQ(listed("empty/"), "");
  // Page by page, with every page size, the result is the same.
  const std::string whole = listed("");
  for (std::int64_t limit = 1; limit <= 10; ++limit) {
    std::string pages;
    std::string after;
    for (;;) {
      const std::vector<Object> page = storage->list_from("", after, limit);
      EXPECT_LE(std::ssize(page), limit);
      for (const Object& object : page) pages += ckpt::base::cat(object.path, ':', object.bytes, ' ');
      if (page.empty()) break;
      after = page.back().path;
    }
    EXPECT_EQ(pages, whole) << limit;
  }
  EXPECT_EQ(listed("", "a/"), "a/1:3 a/b/2:5 a/b/3:5 a/c:3 a0:2 b/4:3 z:1 ");
  EXPECT_EQ(listed("a/", "a/b"), "a/b/2:5 a/b/3:5 a/c:3 ");
}

TEST_P(StorageObjects, RemovesManyFiles) {
  for (const char* path : {"a", "b", "c"}) put(path, path);
  const std::string paths[] = {"a", "not there", "c"};
  storage->remove_many(paths);
  EXPECT_EQ(listed(""), "b:1 ");
}

TEST_P(StorageObjects, ReadsRanges) {
  put("f", "0123456789");
  const auto file = storage->open("f");
  char left[3] = {};
  char right[2] = {};
  const Range ranges[] = {{7, std::as_writable_bytes(std::span(left))}, {0, std::as_writable_bytes(std::span(right))}};
  file->read_ranges(ranges);
  EXPECT_EQ(std::string(left, 3) + std::string(right, 2), "78901");
  const Range behind[] = {{8, std::as_writable_bytes(std::span(left))}};
  EXPECT_EQ(status_of([&] { file->read_ranges(behind); }), Status::invalid_argument);
}

// ---- Object stores ----

TEST(StorageOfObjects, DirectoriesAreCommonPrefixes) {
  BucketClient storage(std::make_shared<Bucket>());
  for (const char* path : {"a/b/1", "a/b/2", "a/c", "z"}) storage.put_if_absent(path, {});
  const auto names = [&](const std::string& path) {
    std::string out;
    for (const Entry& entry : storage.list(path)) out += entry.name + (entry.is_directory ? "/ " : " ");
    return out;
  };
  EXPECT_EQ(names(""), "a/ z ");
  EXPECT_EQ(names("a"), "b/ c ");
  EXPECT_EQ(status_of([&] { names("nowhere"); }), Status::not_found);
  EXPECT_EQ(status_of([&] { storage.rename("z", "y"); }), Status::unsupported);
  EXPECT_EQ(status_of([&] { storage.lock(".lock"); }), Status::unsupported);
  EXPECT_EQ(status_of([&] { storage.remove_directory("a"); }), Status::already_exists);
  EXPECT_NO_THROW(storage.remove_directory("nowhere"));
  EXPECT_NO_THROW(storage.make_directory("nowhere"));
  EXPECT_NO_THROW(storage.sync_directory(""));
}

TEST(StorageOfObjects, PutIsRetriedAndReportsItsOutcome) {
  const auto bucket = std::make_shared<Bucket>();
  const auto requests = std::make_shared<Requests>();
  const auto storage = make_retrying_storage(std::make_shared<BucketClient>(bucket, requests),
                                             std::make_shared<FaultHandler>(FaultPolicy(), [](std::int64_t) {}));
  bool once = true;
  requests->before = [&](const std::string&) {
    if (std::exchange(once, false)) ckpt::base::fail(Status::io, "reset");
  };
  storage->put_if_absent("f", {});
  EXPECT_EQ(requests->count("put_if_absent"), 2);
  // The first attempt succeeded, but its answer was lost.
  once = true;
  requests->before = {};
  requests->after = [&](const std::string&) {
    if (std::exchange(once, false)) ckpt::base::fail(Status::io, "lost");
  };
  EXPECT_EQ(status_of([&] { storage->put_if_absent("g", {}); }), Status::already_exists);
  EXPECT_EQ(bucket->names(), "f g ");
}

TEST(StorageOfObjects, WithoutHardLinksConditionalPutsAreUnsupported) {
  const auto faults = std::make_shared<Faults>();  // links: none
  FaultyStorage storage(make_memory_storage(), faults);
  EXPECT_EQ(status_of([&] { storage.put_if_absent("f", {}); }), Status::unsupported);
  EXPECT_TRUE(storage.list("").empty());
}

// ---- Reading ahead ----

TEST(StorageReadAhead, RequestsExpectedBytesInPieces) {
  const auto bucket = std::make_shared<Bucket>();
  const auto requests = std::make_shared<Requests>();
  BucketClient storage(bucket, requests);
  std::string& text = bucket->objects["f"];
  text.resize(static_cast<std::size_t>(range_bytes * 9 + 12345));
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i % 251);
  const auto read_all = [&](File& file, std::int64_t begin, std::int64_t end, std::size_t step) {
    std::string buffer(step, '\0');
    for (std::int64_t at = begin; at < end;) {
      const auto piece = std::as_writable_bytes(std::span(buffer)).first(std::min(step, static_cast<std::size_t>(end - at)));
      ASSERT_EQ(file.read(at, piece), std::ssize(piece));
      ASSERT_EQ(std::memcmp(buffer.data(), text.data() + at, piece.size()), 0) << at;
      at += std::ssize(piece);
    }
  };
  const auto file = open_ahead(storage, "f");
  const std::int64_t size = file->size();
  requests->log.clear();
  file->expect(0, size);
  read_all(*file, 0, size, 100'000);
  EXPECT_EQ(requests->count("get"), 10);
  EXPECT_EQ(requests->max_ranges, ranges_at_once);
  // Only the expected bytes.
  requests->log.clear();
  file->expect(1'000'000, 1'000'100);
  read_all(*file, 1'000'000, 1'000'100, 7);
  EXPECT_EQ(requests->count("get"), 1);
  // Unexpected reads work, too, and reads end at the end of the file.
  read_all(*file, size - 10, size, 3);
  char beyond[4] = {};
  EXPECT_EQ(file->read(size, std::as_writable_bytes(std::span(beyond))), 0);
  EXPECT_EQ(file->read(size + 5, std::as_writable_bytes(std::span(beyond))), 0);
  EXPECT_EQ(file->read(size - 2, std::as_writable_bytes(std::span(beyond))), 2);
  // A failed piece is reported, and requested again.
  requests->before = [](const std::string& line) { ckpt::base::fail(Status::io, "no ", line); };
  file->expect(0, size);
  EXPECT_EQ(status_of([&] { read_all(*file, 0, size, 1000); }), Status::io);
  requests->before = {};
  read_all(*file, 0, size, 1 << 20);
}

// The read-ahead thread calls with the settings of the thread that it works for.
TEST(StorageReadAhead, ReadsTheNextPiecesConcurrently) {
  const auto bucket = std::make_shared<Bucket>();
  const auto requests = std::make_shared<Requests>();
  BucketClient storage(bucket, requests);
  constexpr std::int64_t window = range_bytes * ranges_at_once;
  constexpr std::int64_t size = 2 * window + 5;
  bucket->objects["f"].resize(static_cast<std::size_t>(size));
  bucket->objects["f"][static_cast<std::size_t>(window)] = 'x';
  std::vector<std::string> logged;
  const std::thread::id reader = std::this_thread::get_id();
  ckpt::base::set_log(ckpt::base::LogLevel::warning, [&](auto, const char*, const char* message) {
    EXPECT_EQ(std::this_thread::get_id(), reader);
    logged.emplace_back(message);
  });
  std::promise<void> next_requested;
  std::atomic<int> asked{0};
  std::atomic<bool> was_refused{false};
  requests->before = [&](const std::string&) {
    if (asked.fetch_add(1) != ranges_at_once) return;
    ckpt::base::warn("test", "the ninth");
    try {
      ckpt::base::Entered::refuse(&storage, "storage");
    } catch (const ckpt::base::Error&) {
      was_refused = true;
    }
    next_requested.set_value();
  };
  {
    const ckpt::base::Entered entered(&storage);
    const auto file = open_ahead(storage, "f");
    asked = 0;
    file->expect(0, size);
    char byte = 0;
    const auto read_at = [&](std::int64_t at) { return file->read(at, std::as_writable_bytes(std::span(&byte, 1))); };
    EXPECT_EQ(read_at(0), 1);
    // No read has requested those yet.
    ASSERT_EQ(next_requested.get_future().wait_for(std::chrono::minutes(2)), std::future_status::ready);
    EXPECT_TRUE(logged.empty());
    EXPECT_EQ(read_at(window), 1);
    EXPECT_EQ(byte, 'x');
    EXPECT_TRUE(was_refused);
    EXPECT_EQ(logged, std::vector<std::string>{"the ninth"});
    EXPECT_EQ(read_at(size - 1), 1);
    EXPECT_EQ(asked, 2 * ranges_at_once + 1);
  }
  ckpt::base::set_log(ckpt::base::LogLevel::warning, {});
  // An error is reported when its bytes are read, not earlier.
  requests->before = [&](const std::string&) {
    if (asked.fetch_add(1) >= ranges_at_once) ckpt::base::fail(Status::io, "no more");
  };
  asked = 0;
  const auto file = open_ahead(storage, "f");
  asked = 0;
  file->expect(0, size);
  std::string bytes(static_cast<std::size_t>(window), '\0');
  EXPECT_EQ(file->read(0, std::as_writable_bytes(std::span(bytes))), window);
  EXPECT_EQ(status_of([&] { file->read(window, std::as_writable_bytes(std::span(bytes)).first(1)); }), Status::io);
  requests->before = {};
  EXPECT_EQ(file->read(window, std::as_writable_bytes(std::span(bytes))), window);
  EXPECT_EQ(bytes[0], 'x');
}

// A child does not have the thread: it reads by itself.
TEST(StorageReadAhead, ContinuesInAForkedChild) {
  const auto bucket = std::make_shared<Bucket>();
  const auto requests = std::make_shared<Requests>();
  BucketClient storage(bucket, requests);
  constexpr std::int64_t window = range_bytes * ranges_at_once;
  bucket->objects["f"].resize(static_cast<std::size_t>(2 * window));
  bucket->objects["f"][static_cast<std::size_t>(window)] = 'x';
  auto file = open_ahead(storage, "f");
  // The thread is blocked during the fork.
  std::atomic<int> asked{0};
  std::promise<void> is_blocked;
  std::promise<void> should_retry;
  requests->before = [&](const std::string&) {
    if (asked.fetch_add(1) != ranges_at_once) return;
    is_blocked.set_value();
    should_retry.get_future().wait();
  };
  file->expect(0, 2 * window);
  char byte = 0;
  const auto read_at = [&](std::int64_t at) { return file->read(at, std::as_writable_bytes(std::span(&byte, 1))); };
  EXPECT_EQ(read_at(0), 1);
  is_blocked.get_future().wait();
  const pid_t child = fork();
  if (child == 0) {
    const bool is_right = read_at(window) == 1 && byte == 'x';
    file.reset();
    _exit(is_right ? 0 : 1);
  }
  should_retry.set_value();
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read_at(window), 1);
  EXPECT_EQ(byte, 'x');
}

}  // namespace
