// Large files: every method of writing gives the same bytes; each falls back to the next; rate limit and stop.
#include "storage/stream_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "base/os/memory.h"
#include "scratch.h"
#include "storage/file_system.h"
#include "storage/memory.h"

namespace {

using namespace ckpt::storage;
using ckpt::base::Status;
using ckpt::tests::Scratch;

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

// Eight bytes at a time, since this runs unoptimized with sanitizers over hundreds of megabytes.
std::vector<std::byte> pattern(std::int64_t bytes) {
  std::vector<std::uint64_t> words(static_cast<std::size_t>(bytes) / 8 + 1);
  std::uint64_t x = 12345;
  for (std::uint64_t& word : words) word = x = x * 6364136223846793005U + 1442695040888963407U;
  std::vector<std::byte> out(static_cast<std::size_t>(bytes));
  if (bytes > 0) std::memcpy(out.data(), words.data(), out.size());
  return out;
}

bool holds(const std::string& path, const std::vector<std::byte>& expected) {
  std::ifstream in(path, std::ios::binary);
  std::string text(expected.size() + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  return static_cast<std::size_t>(in.gcount()) == expected.size() &&
         (expected.empty() || std::memcmp(text.data(), expected.data(), expected.size()) == 0);
}

// Writes in pieces of an odd size, so that chunks and writes do not coincide.
void write_all_of(File& file, std::span<const std::byte> bytes, std::size_t piece = 777'777) {
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    file.write(static_cast<std::int64_t>(at), bytes.subspan(at, std::min(piece, bytes.size() - at)));
  }
}

WriteOptions always(WritePath first) {
  WriteOptions options;
  options.first = first;
  options.stream_from_bytes = 0;
  return options;
}

class StorageStream : public testing::TestWithParam<WritePath> {
 protected:
  std::shared_ptr<Storage> open() { return open_file_system(scratch.path(), Root::make, always(GetParam())); }
  Scratch scratch;
};

INSTANTIATE_TEST_SUITE_P(Storage, StorageStream, testing::Values(WritePath::ring, WritePath::direct, WritePath::buffered),
                         [](const auto& instance) {
                           return instance.param == WritePath::ring     ? "Ring"
                                  : instance.param == WritePath::direct ? "Direct"
                                                                        : "Buffered";
                         });

TEST_P(StorageStream, WritesAllBytes) {
  const auto storage = open();
  const std::int64_t chunk = static_cast<std::int64_t>(chunk_bytes);
  for (const std::int64_t size :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{4096}, chunk - 1, chunk, chunk + 1, 2 * chunk, 11 * chunk + 12345}) {
    for (const std::int64_t expected : {std::int64_t{0}, size, size + 3 * mebibyte}) {
      SCOPED_TRACE(testing::Message() << size << " bytes, " << expected << " expected");
      const auto bytes = pattern(size);
      const auto file = storage->create_stream("f", {expected, nullptr});
      write_all_of(*file, bytes);
      EXPECT_EQ(file->size(), size);
      file->sync();
      EXPECT_EQ(storage->size("f"), size);
      EXPECT_TRUE(holds(scratch / "f", bytes));
      storage->remove("f");
    }
  }
}

// After a header that is copied: at the same alignment as in the file (modulo pages) and at another one, in chunks, in larger
// pieces and in small ones.
TEST_P(StorageStream, WritesBorrowedBytesFromAnyAddress) {
  constexpr std::size_t page = 4096;
  const auto storage = open();
  const auto bytes = pattern(5 * static_cast<std::int64_t>(chunk_bytes) + 12345);
  const auto memory = ckpt::base::map_pages(bytes.size() + 2 * page);
  for (const std::size_t header : {std::size_t{0}, std::size_t{1}, page, std::size_t{10'752}}) {
    for (const std::size_t shift : {0, 1}) {
      for (const std::size_t piece : {chunk_bytes, 2 * chunk_bytes + 777, std::size_t{777'777}}) {
        SCOPED_TRACE(testing::Message() << header << " bytes before, shifted by " << shift << ", pieces of " << piece);
        std::byte* const start = memory.get() + header % page + shift;
        std::memcpy(start, bytes.data() + header, bytes.size() - header);
        const auto file = storage->create_stream("f", {static_cast<std::int64_t>(bytes.size()), nullptr});
        file->write(0, std::span(bytes).first(header));
        for (std::size_t at = header; at < bytes.size(); at += piece)
          file->write_borrowed(static_cast<std::int64_t>(at), {start + (at - header), std::min(piece, bytes.size() - at)});
        EXPECT_EQ(file->size(), std::ssize(bytes));
        file->sync();
        EXPECT_TRUE(holds(scratch / "f", bytes));
        storage->remove("f");
      }
    }
  }
}

TEST_P(StorageStream, TakesBytesOnlyInOrder) {
  const auto file = open()->create_stream("f", {});
  const auto bytes = pattern(10);
  file->write(0, bytes);
  EXPECT_ERROR(file->write(11, bytes), Status::invalid_argument, "10");
  EXPECT_ERROR(file->write(0, bytes), Status::invalid_argument, "10");
  std::byte byte{};
  EXPECT_ERROR(file->read(0, {&byte, 1}), Status::unsupported, "sequential writing");
  file->write(10, bytes);
  file->sync();
  EXPECT_EQ(open()->size("f"), 20);
  EXPECT_ERROR(file->write(20, bytes), Status::invalid_state, "synced");
}

TEST_P(StorageStream, StopsAtTheNextChunk) {
  const auto stop = std::make_shared<std::atomic<bool>>(false);
  const auto bytes = pattern(3 * static_cast<std::int64_t>(chunk_bytes));
  const auto file = open()->create_stream("f", {0, stop});
  file->write(0, std::span(bytes).first(chunk_bytes));
  stop->store(true);
  EXPECT_ERROR(file->write(static_cast<std::int64_t>(chunk_bytes), std::span(bytes).subspan(chunk_bytes)), Status::cancelled,
               "stopped");
  EXPECT_ERROR(file->sync(), Status::invalid_state, "failed");
}

TEST_P(StorageStream, AFileThatMayGrowNoFurtherIsNoSpace) {
  const auto storage = open();
  const auto bytes = pattern(3 * static_cast<std::int64_t>(chunk_bytes));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{chunk_bytes, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  EXPECT_ERROR(storage->create_stream("expected", {static_cast<std::int64_t>(bytes.size()), nullptr}), Status::no_space,
               "expected");
  {
    const auto file = storage->create_stream("f", {});
    const auto fill = [&] {
      write_all_of(*file, bytes, bytes.size());
      file->sync();
    };
    EXPECT_ERROR(fill(), Status::no_space, "f");
  }
  // A write that threw may be repeated: it continues at the same position.
  const auto file = storage->create_stream("g", {});
  std::int64_t at = 0;  // the failing call depends on the timing of the system
  Status status = Status::ok;
  for (int call = 0; call < 20 && status == Status::ok; ++call) {
    status = ckpt::tests::status_of([&] {
      file->write(at, bytes);
      at += static_cast<std::int64_t>(bytes.size());
    });
  }
  EXPECT_EQ(status, Status::no_space);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, handler);
  file->write(at, bytes);
  file->sync();
  std::vector<std::byte> expected;
  for (std::int64_t begin = 0; begin <= at; begin += static_cast<std::int64_t>(bytes.size())) {
    expected.insert(expected.end(), bytes.begin(), bytes.end());
  }
  EXPECT_TRUE(holds(scratch / "g", expected));
}

TEST_P(StorageStream, KeepsTheBandwidth) {
  const auto clock = std::make_shared<ckpt::base::ManualClock>(0);
  WriteOptions options = always(GetParam());
  options.bytes_per_second = mebibyte;
  options.clock = clock;
  options.sleep = [&](std::int64_t ns) { clock->advance(ns); };
  const auto storage = open_file_system(scratch.path(), Root::make, options);
  const auto bytes = pattern(5 * static_cast<std::int64_t>(chunk_bytes));
  const auto file = storage->create_stream("f", {});
  write_all_of(*file, bytes);
  file->sync();
  // 20 MiB at 1 MiB/s, of which 4 MiB are written at once.
  EXPECT_EQ((clock->now_ns() + 500'000'000) / 1'000'000'000, 16);
  storage->create("small")->write(0, std::span(bytes).first(mebibyte));
  EXPECT_EQ((clock->now_ns() + 500'000'000) / 1'000'000'000, 17);
  EXPECT_TRUE(holds(scratch / "f", bytes));
}

TEST(StorageStreamPath, SmallFilesAndOtherStoragesUseThePlainPath) {
  const Scratch scratch;
  const auto storage = open_file_system(scratch.path(), Root::make);
  EXPECT_EQ(dynamic_cast<StreamFile*>(storage->create_stream("small", {mebibyte, nullptr}).get()), nullptr);
  EXPECT_NE(dynamic_cast<StreamFile*>(storage->create_stream("large", {64 * mebibyte, nullptr}).get()), nullptr);
  EXPECT_EQ(dynamic_cast<StreamFile*>(make_memory_storage()->create_stream("f", {64 * mebibyte, nullptr}).get()), nullptr);
}

TEST(StorageStreamPath, AForcedPathIsTaken) {
  const Scratch scratch;
  const auto path_of = [&](WritePath first, const char* name) {
    const auto file = open_file_system(scratch.path(), Root::make, always(first))->create_stream(name, {});
    return dynamic_cast<StreamFile&>(*file).path();
  };
  EXPECT_EQ(path_of(WritePath::buffered, "b"), WritePath::buffered);
  EXPECT_NE(path_of(WritePath::direct, "d"), WritePath::ring);
}

// No descriptor is available, so there is no ring, either.
TEST(StorageStreamPath, FallsBackWithoutARing) {
  const Scratch scratch;
  Descriptor file(::open((scratch / "f").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_GE(file.get(), 0);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  StreamFile stream(std::move(file), "f", {}, WritePath::ring, nullptr);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_NE(stream.path(), WritePath::ring);
  const auto bytes = pattern(9 * mebibyte + 1);
  write_all_of(stream, bytes);
  stream.sync();
  EXPECT_TRUE(holds(scratch / "f", bytes));
}

// A file system in memory does not report an alignment for O_DIRECT: the page cache is used.
TEST(StorageStreamPath, FallsBackIfTheAlignmentIsUnknown) {
  const std::string shared = "/dev/shm";
  struct stat status {};
  if (::stat(shared.c_str(), &status) != 0 || ::access(shared.c_str(), W_OK) != 0) GTEST_SKIP() << "no " << shared;
  std::string pattern_text = shared + "/ckpt-test-XXXXXX";
  ASSERT_NE(::mkdtemp(pattern_text.data()), nullptr);
  {
    const auto storage = open_file_system(pattern_text, Root::make, always(WritePath::ring));
    const auto file = storage->create_stream("f", {64 * mebibyte, nullptr});
    EXPECT_EQ(dynamic_cast<StreamFile&>(*file).path(), WritePath::buffered);
    const auto bytes = pattern(9 * mebibyte + 1);
    write_all_of(*file, bytes);
    file->sync();
    EXPECT_TRUE(holds(pattern_text + "/f", bytes));
  }
  std::filesystem::remove_all(pattern_text);
}

// The system refuses the writes in the ring (its descriptor was replaced by a read-only one): the error of the plain write is
// reported.
TEST(StorageStreamPath, AnErrorInTheRingIsReported) {
  const Scratch scratch;
  std::ofstream(scratch / "f") << "";
  Descriptor reading(::open((scratch / "f").c_str(), O_RDONLY | O_CLOEXEC));
  StreamFile file(std::move(reading), "f", {}, WritePath::ring, nullptr);
  const auto bytes = pattern(20 * static_cast<std::int64_t>(chunk_bytes));
  EXPECT_ERROR(write_all_of(file, bytes), Status::io, "cannot write 'f'");
}

TEST(StorageStreamPath, AnErrorInTheRingIsReportedForBorrowedBytesToo) {
  const Scratch scratch;
  std::ofstream(scratch / "f") << "";
  Descriptor reading(::open((scratch / "f").c_str(), O_RDONLY | O_CLOEXEC));
  const std::size_t size = 40 * chunk_bytes;  // more than the maximum in flight
  const auto memory = ckpt::base::map_pages(size);
  StreamFile file(std::move(reading), "f", {}, WritePath::ring, nullptr);
  EXPECT_ERROR(file.write_borrowed(0, {memory.get(), size}), Status::io, "cannot write 'f'");
}

}  // namespace
