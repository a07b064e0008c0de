// Retried operations, operations that are not retried, and the lengths of the pauses.
#include "storage/retry.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../state/faulty_storage.h"
#include "scratch.h"
#include "storage/file_system.h"
#include "storage/memory.h"

namespace {

using namespace ckpt::storage;
using ckpt::base::Status;
using ckpt::tests::Faults;
using ckpt::tests::FaultyStorage;

std::vector<std::int64_t> pauses_of(const FaultPolicy& policy) {
  std::vector<std::int64_t> pauses;
  FaultHandler handler(policy, [&](std::int64_t ns) { pauses.push_back(ns); });
  EXPECT_ERROR(handler.run([](std::int32_t attempt) { ckpt::base::fail(Status::io, "attempt ", attempt); }), Status::io,
               "attempt " + std::to_string(policy.max_attempts));
  EXPECT_EQ(handler.retries(), policy.max_attempts - 1);
  return pauses;
}

TEST(StorageRetry, PausesGrow) {
  EXPECT_EQ(pauses_of({5, 100, 1000, 3, 0, 0}), (std::vector<std::int64_t>{100, 300, 900, 1000}));
  EXPECT_EQ(pauses_of({3, 0, 1000, 2, 1, 0}), std::vector<std::int64_t>{});
  EXPECT_EQ(pauses_of({1, 100, 1000, 2, 0, 0}), std::vector<std::int64_t>{});
  EXPECT_EQ(pauses_of({2000, 1, 7, 1e300, 0, 0}).back(), 7);
}

TEST(StorageRetry, JitterStaysInBoundsAndFollowsTheSeed) {
  const FaultPolicy policy{200, 1000, 1'000'000, 1, 0.25, 7};
  const auto pauses = pauses_of(policy);
  EXPECT_GE(*std::min_element(pauses.begin(), pauses.end()), 750);
  EXPECT_LE(*std::max_element(pauses.begin(), pauses.end()), 1250);
  EXPECT_LT(*std::min_element(pauses.begin(), pauses.end()), 800);
  EXPECT_GT(*std::max_element(pauses.begin(), pauses.end()), 1200);
  EXPECT_EQ(pauses, pauses_of(policy));
  FaultPolicy other = policy;
  other.seed = 8;
  EXPECT_NE(pauses, pauses_of(other));
}

TEST(StorageRetry, RefusesAnInvalidPolicy) {
  EXPECT_ERROR(FaultHandler({0, 1, 1, 2, 0, 0}), Status::invalid_argument, "max_attempts");
  EXPECT_ERROR(FaultHandler({1, -1, 1, 2, 0, 0}), Status::invalid_argument, "first_delay_ns");
  EXPECT_ERROR(FaultHandler({1, 1, -1, 2, 0, 0}), Status::invalid_argument, "max_delay_ns");
  EXPECT_ERROR(FaultHandler({1, 1, 1, 0.5, 0, 0}), Status::invalid_argument, "factor");
  EXPECT_ERROR(FaultHandler({1, 1, 1, std::numeric_limits<double>::quiet_NaN(), 0, 0}), Status::invalid_argument, "factor");
  EXPECT_ERROR(FaultHandler({1, 1, 1, 2, 1.5, 0}), Status::invalid_argument, "jitter");
  EXPECT_ERROR(FaultHandler({1, 1, 1, 2, std::numeric_limits<double>::quiet_NaN(), 0}), Status::invalid_argument, "jitter");
}

struct Retrying {
  Retrying() : handler(std::make_shared<FaultHandler>(FaultPolicy{3, 1, 1, 1, 0, 0}, [](std::int64_t) {})) {
    storage = make_retrying_storage(std::make_shared<FaultyStorage>(inner, faults), handler);
  }
  // Makes every operation of this kind fail once with status, then succeed.
  void fail_next(const std::string& kind, Status status) {
    *faults = {};
    faults->only = kind;
    faults->status = status;
    faults->fail_at = 0;
  }
  std::shared_ptr<Storage> inner = make_memory_storage();
  std::shared_ptr<Faults> faults = std::make_shared<Faults>();
  std::shared_ptr<FaultHandler> handler;
  std::shared_ptr<Storage> storage;
};

TEST(StorageRetry, RetriesTransientErrors) {
  Retrying r;
  const std::string text = "text";
  r.fail_next("create", Status::io);
  auto file = r.storage->create("f");
  r.fail_next("write", Status::io);
  file->write(0, std::as_bytes(std::span(text)));
  r.fail_next("file_size", Status::busy);
  EXPECT_EQ(file->size(), 4);
  r.fail_next("open", Status::timeout);
  auto reader = r.storage->open("f");
  r.fail_next("read", Status::io);
  std::string back(4, '\0');
  EXPECT_EQ(reader->read(0, std::as_writable_bytes(std::span(back))), 4);
  EXPECT_EQ(back, text);
  r.fail_next("rename", Status::io);
  r.storage->rename("f", "g");
  r.fail_next("size", Status::io);
  EXPECT_EQ(r.storage->size("g"), 4);
  r.fail_next("list", Status::io);
  EXPECT_EQ(r.storage->list("").size(), 1U);
  r.fail_next("make_directory", Status::io);
  r.storage->make_directory("d");
  r.fail_next("remove_directory", Status::io);
  r.storage->remove_directory("d");
  r.fail_next("remove", Status::io);
  r.storage->remove("g");
  EXPECT_EQ(r.handler->retries(), 11);
}

// The user's function is called for every operation that may be retried, and for no other.
TEST(StorageRetry, CallsTheFunctionForEveryOperation) {
  Retrying r;
  std::vector<Status> asked;
  const auto yes = [&](const ckpt::base::Error& error, std::int32_t, RetryDecision& decision) {
    asked.push_back(error.status());
    EXPECT_FALSE(decision.retry);
    decision.retry = true;
  };
  r.handler = std::make_shared<FaultHandler>(
      FaultPolicy{3, 1, 1, 1, 0, 0}, [](std::int64_t) {}, yes);
  r.storage = make_retrying_storage(std::make_shared<FaultyStorage>(r.inner, r.faults), r.handler);
  const std::string text = "text";
  const auto next = [&](const char* kind) { r.fail_next(kind, Status::permission); };
  next("create");
  auto file = r.storage->create("f");
  next("write");
  file->write(0, std::as_bytes(std::span(text)));
  next("file_size");
  EXPECT_EQ(file->size(), 4);
  next("open");
  auto reader = r.storage->open("f");
  next("read");
  std::string back(4, '\0');
  EXPECT_EQ(reader->read(0, std::as_writable_bytes(std::span(back))), 4);
  next("rename");
  r.storage->rename("f", "g");
  next("size");
  EXPECT_EQ(r.storage->size("g"), 4);
  next("list");
  EXPECT_EQ(r.storage->list("").size(), 1U);
  next("make_directory");
  r.storage->make_directory("d");
  next("remove_directory");
  r.storage->remove_directory("d");
  next("remove");
  r.storage->remove("g");
  EXPECT_EQ(asked, std::vector<Status>(11, Status::permission));
  next("sync");
  EXPECT_ERROR(file->sync(), Status::permission, "injected");
  r.fail_next("create", Status::cancelled);
  EXPECT_ERROR(r.storage->create("h"), Status::cancelled, "injected");
  EXPECT_EQ(asked.size(), 11U);
  EXPECT_EQ(r.handler->retries(), 11);
}

TEST(StorageRetry, DoesNotRetryPermanentErrors) {
  Retrying r;
  for (const Status status : {Status::no_space, Status::permission, Status::corrupt, Status::not_found, Status::invalid_argument}) {
    r.fail_next("create", status);
    EXPECT_ERROR(r.storage->create("f"), status, "injected");
  }
  EXPECT_EQ(r.handler->retries(), 0);
}

TEST(StorageRetry, NeverSyncsTwiceNorWaitsForALock) {
  Retrying r;
  const auto file = r.storage->create("f");
  r.fail_next("sync", Status::io);
  EXPECT_ERROR(file->sync(), Status::io, "injected");
  r.fail_next("sync_directory", Status::io);
  EXPECT_ERROR(r.storage->sync_directory(""), Status::io, "injected");
  const auto lock = r.storage->lock(".lock");
  EXPECT_ERROR(r.storage->lock(".lock"), Status::busy, "memory");
  EXPECT_EQ(r.handler->retries(), 0);
}

TEST(StorageRetry, GivesUp) {
  Retrying r;
  r.fail_next("create", Status::io);
  r.faults->and_all_later = true;
  EXPECT_ERROR(r.storage->create("f"), Status::io, "injected");
  EXPECT_EQ(r.faults->counted, 3);
}

TEST(StorageRetry, LinksAreRetried) {
  Retrying r;
  r.storage->create("f");
  r.fail_next("link", Status::io);
  r.faults->links = true;
  EXPECT_TRUE(r.storage->link("f", "g"));
  r.fail_next("link", Status::io);
  r.faults->links = true;
  // The first attempt created the name and then reported an error.
  r.faults->before = [&](const std::string& line) {
    if (line == "link f h" && r.faults->counted == 0) r.inner->link("f", "h");
  };
  EXPECT_TRUE(r.storage->link("f", "h"));
  r.faults->before = {};
  EXPECT_ERROR(r.storage->link("f", "h"), Status::already_exists, "h");
  r.faults->links = false;
  EXPECT_FALSE(r.storage->link("f", "i"));
}

TEST(StorageRetry, FilesAreMappedDirectly) {
  const ckpt::tests::Scratch scratch;
  const auto storage = make_retrying_storage(open_file_system(scratch.path(), Root::make),
                                             std::make_shared<FaultHandler>(FaultPolicy{}, [](std::int64_t) {}));
  storage->create("f")->write(0, std::as_bytes(std::span("text", 4)));
  const auto mapping = storage->open("f")->map(4);
  ASSERT_NE(mapping, nullptr);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(mapping->bytes().data()), mapping->bytes().size()), "text");
}

// The first attempt removed the file and then reported an error.
TEST(StorageRetry, AMissingFileCountsAsRemoved) {
  Retrying r;
  r.storage->create("f");
  r.fail_next("remove", Status::io);
  r.faults->before = [&](const std::string& line) {
    if (line == "remove f" && r.faults->counted == 0) r.inner->remove("f");
  };
  r.storage->remove("f");
  EXPECT_ERROR(r.storage->remove("f"), Status::not_found, "f");
}

TEST(StorageRetry, StreamsStayStreams) {
  const ckpt::tests::Scratch scratch;
  WriteOptions options;
  options.stream_from_bytes = 0;
  const auto storage = make_retrying_storage(open_file_system(scratch.path(), Root::make, options),
                                             std::make_shared<FaultHandler>(FaultPolicy{}, [](std::int64_t) {}));
  const auto file = storage->create_stream("f", {});
  std::byte byte{};
  EXPECT_ERROR(file->read(0, {&byte, 1}), Status::unsupported, "sequential writing");
}

}  // namespace
