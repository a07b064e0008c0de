// Durable writes of one large file by each method, compared with the same system calls in a bare loop and with memcpy. Every row
// writes the same bytes from the same warm memory, ends with fsync, and removes the file outside the measured time.
//   bench_storage [--benchmark_filter=...]; the directory is CKPT_BENCH_DIR, or the system's temporary directory.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "storage/file_system.h"

namespace {

using namespace ckpt::storage;

constexpr std::int64_t file_bytes = std::int64_t{256} << 20;
constexpr std::size_t call_bytes = std::size_t{1} << 20;  // the size of the state part's write calls

class Directory {
 public:
  Directory() {
    const char* const wanted = ::getenv("CKPT_BENCH_DIR");
    std::string pattern =
        std::string(wanted != nullptr ? wanted : std::filesystem::temp_directory_path().string()) + "/ckpt-bench-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no directory to write to: " + pattern);
    path_ = pattern;
  }
  ~Directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct Free {
  void operator()(void* start) const { ::free(start); }
};

// Returns memory that is aligned for O_DIRECT and touched.
std::unique_ptr<std::byte, Free> warm_memory(std::size_t bytes) {
  void* const start = ::aligned_alloc(4096, bytes);
  if (start == nullptr) throw std::bad_alloc();
  std::memset(start, 0x5a, bytes);
  return std::unique_ptr<std::byte, Free>(static_cast<std::byte*>(start));
}

void set_rate(benchmark::State& state) { state.SetBytesProcessed(state.iterations() * file_bytes); }

void write_stream(benchmark::State& state, WritePath first) {
  const Directory directory;
  WriteOptions options;
  options.first = first;
  const auto storage = open_file_system(directory.path(), Root::must_exist, options);
  const auto memory = warm_memory(call_bytes);
  const std::span<const std::byte> bytes(memory.get(), call_bytes);
  for (auto _ : state) {
    const auto file = storage->create_stream("f", {file_bytes, nullptr});
    const WritePath taken = dynamic_cast<StreamFile&>(*file).path();
    for (std::int64_t at = 0; at < file_bytes; at += static_cast<std::int64_t>(call_bytes)) file->write(at, bytes);
    file->sync();
    state.PauseTiming();
    if (taken != first) state.SkipWithError("this directory or system cannot write that way");
    storage->remove("f");
    state.ResumeTiming();
  }
  set_rate(state);
}

// The baseline: aligned pieces by pwrite, nothing else. flags: O_DIRECT or 0.
void write_bare(benchmark::State& state, int flags, std::size_t piece) {
  const Directory directory;
  const std::string path = directory.path() + "/f";
  const auto memory = warm_memory(piece);
  for (auto _ : state) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | flags, 0600);
    bool good = file >= 0 && ::fallocate(file, 0, 0, file_bytes) == 0;
    for (std::int64_t at = 0; good && at < file_bytes; at += static_cast<std::int64_t>(piece)) {
      good = ::pwrite(file, memory.get(), piece, at) == static_cast<ssize_t>(piece);
    }
    good = good && ::fsync(file) == 0;
    state.PauseTiming();
    if (file >= 0) ::close(file);
    ::unlink(path.c_str());
    if (!good) state.SkipWithError("the directory does not take such writes");
    state.ResumeTiming();
  }
  set_rate(state);
}

void bare_direct(benchmark::State& state) { write_bare(state, O_DIRECT, chunk_bytes); }
void bare_page_cache(benchmark::State& state) { write_bare(state, 0, call_bytes); }
void stream_ring(benchmark::State& state) { write_stream(state, WritePath::ring); }
void stream_direct(benchmark::State& state) { write_stream(state, WritePath::direct); }
void stream_buffered(benchmark::State& state) { write_stream(state, WritePath::buffered); }

// The copy of every byte before it is written.
void memory_copy(benchmark::State& state) {
  const auto from = warm_memory(call_bytes);
  const auto to = warm_memory(chunk_bytes);
  for (auto _ : state) {
    for (std::int64_t at = 0; at < file_bytes; at += static_cast<std::int64_t>(call_bytes)) {
      std::memcpy(to.get() + at % static_cast<std::int64_t>(chunk_bytes), from.get(), call_bytes);
      benchmark::ClobberMemory();
    }
  }
  set_rate(state);
}

BENCHMARK(memory_copy)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(bare_page_cache)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(bare_direct)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(stream_buffered)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(stream_direct)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(stream_ring)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
