// Opening and reading checkpoints. Files are created in $TMPDIR (or /tmp) and removed.
//
//   bench_state --benchmark_filter=Open      10 GiB (a sparse file) and 100,000 tensors
//   bench_state --benchmark_filter=Save      a save with rules that examine 3,000 checkpoints
//   bench_state --benchmark_filter=Read      verified reads, memcpy and page-cache reads, one thread each
#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "state/hash.h"
#include "state/make_protocol.h"
#include "state/manager/checkpoint.h"
#include "state/manager/reader.h"
#include "state/manifest.h"
#include "state/manifest_text.h"
#include "state/safetensors.h"
#include "storage/file_system.h"

namespace {

using ckpt::state::make_protocol;
using ckpt::state::Reader;
using ckpt::state::Verify;
using ckpt::tensor::Dtype;
using ckpt::tensor::Tensor;
namespace state = ckpt::state;
namespace storage = ckpt::storage;
namespace fs = std::filesystem;

class Directory {
 public:
  Directory() {
    std::string pattern = (fs::temp_directory_path() / "ckpt-bench-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    path = pattern;
    disk = storage::open_file_system(path.string(), storage::Root::must_exist);
  }
  ~Directory() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  fs::path path;
  std::shared_ptr<storage::Storage> disk;
};

// Creates a checkpoint with 10 tensors of 1 GiB that are file holes. Its checksums do not match the zeros; this benchmark does not
// verify them.
void make_sparse(const Directory& directory) {
  std::vector<state::TensorEntry> entries;
  for (int i = 0; i < 10; ++i) entries.push_back({"t" + std::to_string(i), Dtype::f32, {std::int64_t{1} << 28}});
  const std::string head = state::make_header(entries, {});
  const std::int64_t bytes = static_cast<std::int64_t>(head.size()) + entries.back().offset + entries.back().bytes;
  std::ofstream(directory.path / "model.safetensors", std::ios::binary) << head;
  fs::resize_file(directory.path / "model.safetensors", static_cast<std::uintmax_t>(bytes));
  state::Manifest manifest;
  manifest.library_version = "0";
  manifest.groups.push_back({"model", {{"model.safetensors", bytes, {}}}, {}});
  for (const state::TensorEntry& entry : entries) {
    const auto chunks = static_cast<std::size_t>(state::chunk_count(entry.bytes));
    manifest.groups[0].tensors.push_back(
        {entry.name, "model.safetensors", entry.dtype, entry.shape, std::vector<state::Digest>(chunks)});
  }
  std::ofstream(directory.path / "manifest.json", std::ios::binary) << state::to_text(manifest);
}

void BM_OpenAndMapSparse10GiB(benchmark::State& run) {
  const Directory directory;
  make_sparse(directory);
  for (auto _ : run) {
    Reader reader(*make_protocol(directory.disk), ".", Verify::none);
    benchmark::DoNotOptimize(reader.map(9)->data());
  }
}
BENCHMARK(BM_OpenAndMapSparse10GiB)->Unit(benchmark::kMillisecond);

void BM_OpenHundredThousandTensors(benchmark::State& run) {
  const Directory directory;
  std::vector<state::TensorEntry> entries;
  for (int i = 0; i < 100'000; ++i) entries.push_back({"layer." + std::to_string(i) + ".weight", Dtype::f32, {4, 4}});
  std::string text = state::make_header(entries, {});
  text.append(64 * entries.size(), '\0');
  std::ofstream(directory.path / "model.safetensors", std::ios::binary) << text;
  for (auto _ : run) {
    Reader reader((directory.path / "model.safetensors").string());
    benchmark::DoNotOptimize(reader.count());
  }
}
BENCHMARK(BM_OpenHundredThousandTensors)->Unit(benchmark::kMillisecond);

// The same number of tensors in a checkpoint; its manifest lists them too.
void BM_OpenCheckpointOfHundredThousandTensors(benchmark::State& run) {
  const Directory directory;
  const auto tensor = Tensor::create(Dtype::f32, {4, 4});
  std::memset(tensor->data(), 0, 64);
  state::State what;
  for (int i = 0; i < 100'000; ++i) what.add_tensor("model", "layer." + std::to_string(i) + ".weight", tensor);
  state::Checkpoint(directory.disk, {}).save(what, {});
  for (auto _ : run) {
    Reader reader(*make_protocol(directory.disk), "", Verify::none);
    benchmark::DoNotOptimize(reader.count());
  }
}
BENCHMARK(BM_OpenCheckpointOfHundredThousandTensors)->Unit(benchmark::kMillisecond);

void BM_SaveWithThreeThousandExisting(benchmark::State& run) {
  constexpr std::int64_t count = 3000;
  const Directory directory;
  const auto tensor = Tensor::create(Dtype::f32, {4, 4});
  std::memset(tensor->data(), 0, 64);
  state::State what;
  what.add_tensor("model", "weight", tensor);
  state::SaveOptions options;
  state::CheckpointOptions keeps;
  {
    state::Checkpoint checkpoint(directory.disk, keeps);
    for (; options.step < count; ++options.step) checkpoint.save(what, options);
  }
  std::this_thread::sleep_for(std::chrono::seconds(3));
  keeps.keep_last = run.range(0) != 0 ? count : 0;  // 0: no retention rule, so no checkpoint is examined
  state::Checkpoint checkpoint(directory.disk, keeps);
  checkpoint.save(what, options);  // the first save reads all manifests
  for (auto _ : run) {
    ++options.step;
    checkpoint.save(what, options);
  }
}
BENCHMARK(BM_SaveWithThreeThousandExisting)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->Iterations(50);

constexpr std::int64_t read_bytes = std::int64_t{256} << 20;

// One checkpoint of 256 MiB, in the page cache.
class Saved {
 public:
  Saved() : tensor(Tensor::create(Dtype::u8, {read_bytes})) {
    for (std::int64_t i = 0; i < read_bytes; ++i) tensor->data_as<unsigned char>()[i] = static_cast<unsigned char>(i * 7);
    state::State what;
    what.add_tensor("model", "t", tensor);
    state::Checkpoint(directory.disk, {}).save(what, {});
  }
  Directory directory;
  std::shared_ptr<Tensor> tensor;
};

void set_bytes(benchmark::State& run) { run.SetBytesProcessed(run.iterations() * read_bytes); }

void BM_ReadMemcpy(benchmark::State& run) {
  const Saved saved;
  const auto target = Tensor::create(Dtype::u8, {read_bytes});
  std::memset(target->data(), 1, static_cast<std::size_t>(read_bytes));
  for (auto _ : run) {
    std::memcpy(target->data(), saved.tensor->data(), static_cast<std::size_t>(read_bytes));
    benchmark::ClobberMemory();
  }
  set_bytes(run);
}
BENCHMARK(BM_ReadMemcpy)->Unit(benchmark::kMillisecond);

void read_warm(benchmark::State& run, Verify verify) {
  const Saved saved;
  const auto target = Tensor::create(Dtype::u8, {read_bytes});
  std::memset(target->data(), 1, static_cast<std::size_t>(read_bytes));
  Reader reader(*make_protocol(saved.directory.disk), "", verify);
  reader.read(0, *target);  // saves bypass the page cache
  for (auto _ : run) reader.read(0, *target);
  set_bytes(run);
}
void BM_ReadPageCache(benchmark::State& run) { read_warm(run, Verify::none); }
void BM_ReadVerifiedWarm(benchmark::State& run) { read_warm(run, Verify::lazy); }
BENCHMARK(BM_ReadPageCache)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ReadVerifiedWarm)->Unit(benchmark::kMillisecond);

// The same by a whole load: manifest, header, and every byte verified while it is read into the state's tensor; or first into the
// load's own memory, from which it is copied after verification.
void load_warm(benchmark::State& run, bool in_place) {
  const Saved saved;
  state::State target;
  target.add_tensor("model", "t", saved.tensor);
  state::Checkpoint checkpoint(saved.directory.disk, {.read_only = true});
  state::LoadOptions options;
  options.in_place = in_place;
  checkpoint.load(target, options);
  for (auto _ : run) benchmark::DoNotOptimize(checkpoint.load(target, options).bytes);
  set_bytes(run);
}
void BM_LoadInPlace(benchmark::State& run) { load_warm(run, true); }
void BM_LoadAllOrNothing(benchmark::State& run) { load_warm(run, false); }
BENCHMARK(BM_LoadInPlace)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_LoadAllOrNothing)->Unit(benchmark::kMillisecond);

// Into memory that the system has never provided before: the difference to BM_ReadVerifiedWarm is the cost of page faults.
void BM_ReadVerifiedNewMemory(benchmark::State& run) {
  const Saved saved;
  Reader reader(*make_protocol(saved.directory.disk), "", Verify::lazy);
  const auto pool = ckpt::tensor::BufferPool::create(nullptr, "bench", 0);
  for (auto _ : run) benchmark::DoNotOptimize(reader.read_new(0, pool)->data());
  set_bytes(run);
}
BENCHMARK(BM_ReadVerifiedNewMemory)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
