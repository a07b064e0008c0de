// Background saves and their baselines. Files are created in $TMPDIR (or /tmp) and removed; all memory is touched beforehand.
// "durable": until the commit's last fsync returned, bypassing the page cache.
//
//   bench_state --benchmark_filter=Async
//   python3 bench/compare/torch_save.py       torch.save + fsync of the same tensors, if torch is installed
#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "async/manager.h"
#include "base/os/memory.h"
#include "storage/file_system.h"
#include "storage/memory.h"
#include "storage/ring.h"

namespace {

namespace async = ckpt::async;
namespace state = ckpt::state;
namespace storage = ckpt::storage;
namespace fs = std::filesystem;
using ckpt::tensor::Dtype;
using ckpt::tensor::Tensor;

constexpr std::int64_t all_bytes = std::int64_t{512} << 20;
constexpr std::int64_t tensors = 128;
constexpr std::int64_t one_bytes = all_bytes / tensors;

double now() { return static_cast<double>(ckpt::base::monotonic_clock()->now_ns()) * 1e-9; }

class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "ckpt-bench-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    path = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  fs::path path;
};

// 512 MiB in 128 tensors, and a manager with touched copy memory, unless prepare_bytes is 0.
struct Setup {
  explicit Setup(std::int64_t bytes_per_second = 0, std::int64_t prepare_bytes = async::AsyncOptions().staging_bytes) {
    for (std::int64_t i = 0; i < tensors; ++i) {
      const auto tensor = Tensor::create(Dtype::f32, {one_bytes / 4});
      for (std::int64_t k = 0; k < one_bytes / 4; ++k) tensor->data_as<float>()[k] = static_cast<float>(i + k);
      what.add_tensor("model", "layer." + std::to_string(i), tensor);
    }
    state::CheckpointOptions keep;
    keep.keep_last = 1;
    checkpoint =
        std::make_shared<state::Checkpoint>(storage::open_file_system(folder.path.string(), storage::Root::must_exist), keep);
    async::AsyncOptions options;
    options.prepare_bytes = prepare_bytes;
    options.bytes_per_second = bytes_per_second;
    manager = std::make_shared<async::AsyncManager>(checkpoint, options);
  }
  async::TaskResult save(async::StagingMode mode) {
    async::TaskOptions task;
    task.mode = mode;
    state::SaveOptions options;
    options.step = ++step;
    return manager->wait(manager->save(what, options, task), -1);
  }
  Folder folder;
  state::State what;
  std::shared_ptr<state::Checkpoint> checkpoint;
  std::shared_ptr<async::AsyncManager> manager;
  std::int64_t step = 0;
};

void BM_AsyncBaselineMemcpyWarm(benchmark::State& run) {
  const Setup setup;
  const auto target = ckpt::base::map_pages(static_cast<std::size_t>(all_bytes));
  std::memset(target.get(), 1, static_cast<std::size_t>(all_bytes));
  for (auto _ : run) {
    std::byte* out = target.get();
    for (const auto& item : setup.what.groups()[0].tensors) {
      std::memcpy(out, item.tensor->data(), static_cast<std::size_t>(one_bytes));
      out += one_bytes;
    }
    benchmark::ClobberMemory();
  }
  run.SetBytesProcessed(run.iterations() * all_bytes);
}
BENCHMARK(BM_AsyncBaselineMemcpyWarm)->Unit(benchmark::kMillisecond)->UseRealTime();

// Eight chunks of 4 MiB in flight, no checksum, no copy, one fsync: the disk's maximum rate.
class RawWriter {
 public:
  RawWriter() { std::memset(memory_.get(), 1, depth * chunk); }
  // Returns seconds; negative without O_DIRECT or io_uring.
  double write(const std::string& path) const {
    const double begin = now();
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_DIRECT | O_CLOEXEC, 0600);
    const auto ring = storage::Ring::make(depth);
    if (file < 0 || ring == nullptr || ::posix_fallocate(file, 0, all_bytes) != 0) return -1;
    std::int64_t offset = 0;
    std::uint64_t under_way = 0;
    const auto start = [&](std::uint64_t tag) {
      ring->start_write(file, offset, {memory_.get() + tag * chunk, chunk}, tag);
      offset += chunk;
      ++under_way;
    };
    while (under_way < depth) start(under_way);
    while (under_way > 0) {
      ring->wait();
      while (const auto end = ring->take()) {
        --under_way;
        if (end->result != static_cast<std::int32_t>(chunk)) std::abort();
        if (offset < all_bytes) start(end->tag);
      }
    }
    if (::fsync(file) != 0) std::abort();
    const double seconds = now() - begin;
    ::close(file);
    fs::remove(path);
    return seconds;
  }

 private:
  static constexpr std::size_t chunk = std::size_t{4} << 20;
  static constexpr std::uint64_t depth = 8;
  ckpt::base::Pages memory_ = ckpt::base::map_pages(depth * chunk);
};

constexpr const char* no_raw_writer = "no O_DIRECT or no io_uring here";

void BM_AsyncBaselineRawWriterDurable(benchmark::State& run) {
  const Folder folder;
  const RawWriter raw;
  for (auto _ : run) {
    const double seconds = raw.write((folder.path / "raw").string());
    if (seconds < 0) return run.SkipWithError(no_raw_writer);
    run.SetIterationTime(seconds);
  }
  run.SetBytesProcessed(run.iterations() * all_bytes);
}
BENCHMARK(BM_AsyncBaselineRawWriterDurable)->Unit(benchmark::kMillisecond)->UseManualTime()->Iterations(5);

void stall_of(benchmark::State& run, async::StagingMode mode) {
  Setup setup;
  setup.save(mode);
  double durable = 0;
  for (auto _ : run) {
    const async::TaskResult result = setup.save(mode);
    run.SetIterationTime(static_cast<double>(result.stall_ns) * 1e-9);
    durable += static_cast<double>(result.durable_ns) * 1e-9;
  }
  run.counters["durable_ms"] = 1e3 * durable / static_cast<double>(run.iterations());
  run.counters["durable_MB/s"] = static_cast<double>(run.iterations() * all_bytes) / durable / 1e6;
  run.SetBytesProcessed(run.iterations() * all_bytes);
}
void BM_AsyncStallCopy(benchmark::State& run) { stall_of(run, async::StagingMode::copy); }
void BM_AsyncStallBorrow(benchmark::State& run) { stall_of(run, async::StagingMode::borrow); }
void BM_AsyncStallDeferred(benchmark::State& run) { stall_of(run, async::StagingMode::deferred); }
BENCHMARK(BM_AsyncStallCopy)->Unit(benchmark::kMillisecond)->UseManualTime()->Iterations(5);
BENCHMARK(BM_AsyncStallBorrow)->Unit(benchmark::kMillisecond)->UseManualTime()->Iterations(5);
BENCHMARK(BM_AsyncStallDeferred)->Unit(benchmark::kMillisecond)->UseManualTime()->Iterations(5);

double median(std::vector<double> of) {
  std::ranges::sort(of);
  return of[of.size() / 2];
}

// Alternates a raw write and a save, so that both see the same disk. Reports the save's rate from call to commit as a fraction of
// the raw writer's rate, the median over the rounds.
void share_of_raw(benchmark::State& run, async::StagingMode mode) {
  Setup setup;
  const RawWriter raw;
  setup.save(mode);
  std::vector<double> shares;
  std::vector<double> raw_seconds;
  for (auto _ : run) {
    raw_seconds.push_back(raw.write((setup.folder.path / "raw").string()));
    if (raw_seconds.back() < 0) return run.SkipWithError(no_raw_writer);
    const double seconds = static_cast<double>(setup.save(mode).durable_ns) * 1e-9;
    shares.push_back(raw_seconds.back() / seconds);
    run.SetIterationTime(seconds);
  }
  run.counters["raw_ms"] = 1e3 * median(raw_seconds);
  run.counters["share_of_raw"] = median(shares);
}
void BM_AsyncCopyVersusRawWriter(benchmark::State& run) { share_of_raw(run, async::StagingMode::copy); }
void BM_AsyncDeferredVersusRawWriter(benchmark::State& run) { share_of_raw(run, async::StagingMode::deferred); }
void BM_AsyncBorrowVersusRawWriter(benchmark::State& run) { share_of_raw(run, async::StagingMode::borrow); }
BENCHMARK(BM_AsyncCopyVersusRawWriter)->Unit(benchmark::kMillisecond)->UseManualTime()->Iterations(15);
BENCHMARK(BM_AsyncDeferredVersusRawWriter)->Unit(benchmark::kMillisecond)->UseManualTime()->Iterations(15);
BENCHMARK(BM_AsyncBorrowVersusRawWriter)->Unit(benchmark::kMillisecond)->UseManualTime()->Iterations(15);

// Touches memory once: a virtual machine gets memory from its host when it is first used.
void back_memory() {
  constexpr std::size_t bytes = std::size_t{1} << 30;
  const auto pages = ckpt::base::map_pages(bytes);
  std::memset(pages.get(), 1, bytes);
}

// The stall of a manager's first save, with default options, and the median of its next five.
void BM_AsyncFirstStall(benchmark::State& run) {
  back_memory();
  for (auto _ : run) {
    Setup setup(0, 0);
    const auto stall_ms = [&] { return 1e-6 * static_cast<double>(setup.save(async::StagingMode::copy).stall_ns); };
    const double first = stall_ms();
    std::vector<double> later;
    for (int i = 0; i < 5; ++i) later.push_back(stall_ms());
    run.SetIterationTime(1e-3 * first);
    run.counters["later_ms"] = median(later);
    run.counters["first_by_later"] = first / median(later);
  }
}
BENCHMARK(BM_AsyncFirstStall)->Unit(benchmark::kMillisecond)->UseManualTime()->Iterations(1);

void BM_AsyncForegroundSaveDurable(benchmark::State& run) {
  Setup setup;
  state::SaveOptions options;
  for (auto _ : run) {
    ++options.step;
    const double begin = now();
    setup.checkpoint->save(setup.what, options);
    run.SetIterationTime(now() - begin);
  }
  run.SetBytesProcessed(run.iterations() * all_bytes);
}
BENCHMARK(BM_AsyncForegroundSaveDurable)->Unit(benchmark::kMillisecond)->UseManualTime()->Iterations(5);

// The part of a save that is not staging: nothing is copied, and no worker starts.
void BM_AsyncEnqueue(benchmark::State& run) {
  const auto checkpoint = std::make_shared<state::Checkpoint>(storage::make_memory_storage(), state::CheckpointOptions{});
  const auto manager = std::make_shared<async::AsyncManager>(checkpoint, async::AsyncOptions{});
  state::State what;
  what.add_tensor("model", "t", Tensor::create(Dtype::f32, {1}));
  async::TaskOptions task;
  task.mode = async::StagingMode::borrow;
  task.gate_step = 1000;
  for (auto _ : run) {
    const double begin = now();
    const std::int64_t id = manager->save(what, {}, task);
    run.SetIterationTime(now() - begin);
    manager->cancel(id);
  }
}
BENCHMARK(BM_AsyncEnqueue)->Unit(benchmark::kMicrosecond)->UseManualTime();

std::int64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t size = 0;
  std::int64_t resident = 0;
  statm >> size >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

void BM_AsyncHundredThousandSmallTasks(benchmark::State& run) {
  state::CheckpointOptions keep;
  keep.keep_last = 1;
  const auto checkpoint = std::make_shared<state::Checkpoint>(storage::make_memory_storage(), keep);
  async::AsyncOptions options;
  options.staging_bytes = 1 << 20;
  const auto manager = std::make_shared<async::AsyncManager>(checkpoint, options);
  state::State what;
  what.add_tensor("model", "t", Tensor::create(Dtype::f32, {16}));
  async::TaskOptions task;
  task.when_full = async::WhenFull::wait;
  const auto save = [&](int count) {
    for (int i = 0; i < count; ++i) manager->save(what, {}, task);
    manager->wait_all(-1);
  };
  save(10'000);
  const std::int64_t before = resident_bytes();
  for (auto _ : run) save(100'000);
  run.counters["grown_KiB"] = static_cast<double>(resident_bytes() - before) / 1024;
}
BENCHMARK(BM_AsyncHundredThousandSmallTasks)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(1);

// ---- A matrix product on the other core ----

using Gemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int);

class Products {
 public:
  Products() : a_(n * n, 1.0F), b_(n * n, 0.5F), c_(n * n, 0.0F) {
    void* const blas = ::dlopen("libopenblas.so.0", RTLD_NOW);
    if (blas == nullptr) return;
    gemm_ = reinterpret_cast<Gemm>(::dlsym(blas, "cblas_sgemm"));
    if (const auto set = reinterpret_cast<void (*)(int)>(::dlsym(blas, "openblas_set_num_threads"))) set(1);
  }
  bool available() const { return gemm_ != nullptr; }
  void once() {
    constexpr int size = static_cast<int>(n);
    gemm_(101, 111, 111, size, size, size, 1.0F, a_.data(), size, b_.data(), size, 0.0F, c_.data(), size);
  }

 private:
  static constexpr std::size_t n = 1024;
  std::vector<float> a_;
  std::vector<float> b_;
  std::vector<float> c_;
  Gemm gemm_ = nullptr;
};

void BM_AsyncProductAlone(benchmark::State& run) {
  Products products;
  if (!products.available()) return run.SkipWithError("no OpenBLAS here");
  for (auto _ : run) products.once();
}
BENCHMARK(BM_AsyncProductAlone)->Unit(benchmark::kMillisecond)->UseRealTime()->MinTime(2);

// Back-to-back saves of 512 MiB; the tensors are borrowed, so that only writing is measured.
void product_during_saves(benchmark::State& run, std::int64_t bytes_per_second) {
  Products products;
  if (!products.available()) return run.SkipWithError("no OpenBLAS here");
  Setup setup(bytes_per_second);
  std::atomic<bool> stop{false};
  std::atomic<std::int64_t> saves{0};
  std::thread saver([&] {
    while (!stop) saves += setup.save(async::StagingMode::borrow).state == async::TaskState::completed ? 1 : 0;
  });
  const double begin = now();
  for (auto _ : run) products.once();
  const double seconds = now() - begin;
  run.counters["written_MB/s"] = static_cast<double>(setup.manager->stats().written_bytes) / seconds / 1e6;
  stop = true;
  saver.join();
}
void BM_AsyncProductDuringSavesOf1GBps(benchmark::State& run) { product_during_saves(run, 1'000'000'000); }
void BM_AsyncProductDuringSavesUnlimited(benchmark::State& run) { product_during_saves(run, 0); }
BENCHMARK(BM_AsyncProductDuringSavesOf1GBps)->Unit(benchmark::kMillisecond)->UseRealTime()->MinTime(2);
BENCHMARK(BM_AsyncProductDuringSavesUnlimited)->Unit(benchmark::kMillisecond)->UseRealTime()->MinTime(2);

}  // namespace
