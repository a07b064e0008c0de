// Loads a checkpoint's bytes into the caller's tensors in two phases: first everything is read and checked, then the tensors are
// written. A load that fails in the first phase has not changed any tensor.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "base/thread_pool.h"
#include "state/load_options.h"
#include "state/manifest.h"
#include "state/name_map.h"
#include "state/state.h"
#include "state/tensor_file.h"
#include "storage/storage.h"
#include "tensor/tensor.h"

namespace ckpt::state {

class Filler {
 public:
  virtual ~Filler() = default;

  // Reads and checks the data for the state's tensors. An in-place load writes it directly into them; otherwise nothing is written.
  virtual void read(const Manifest& manifest, const State& state) = 0;
  // Error(out_of_range) if an element that was read cannot be converted.
  virtual void require_fit() const = 0;
  // Writes the tensors. Throws only if a file has changed since it was read.
  virtual void write() = 0;
};

// Returns the threads to read this many bytes of cached files.
std::unique_ptr<base::ThreadPool> pool_for_reading(std::int64_t bytes);
// Returns whether any two ranges overlap.
bool have_overlap(std::vector<std::span<const std::byte>> ranges);

// Loads whole tensors that one process has saved.
class Filling final : public Filler {
 public:
  // directory: the checkpoint's. progress: counts each byte in two passes. All of them must outlive this object. has_begun becomes
  // true before the first tensor is written.
  Filling(storage::Storage& storage, const std::string& directory, const LoadOptions& options, const NameMap& names,
          base::Progress& progress, bool& has_begun);

  // Reads the tensors that are both in the checkpoint and in the state. Cached files are only checked, and stay open; other files
  // are copied to memory. An in-place load reads all directly into the tensors.
  void read(const Manifest& manifest, const State& state) override;
  void require_fit() const override;
  // Copies from memory, or reads and checks the cached files a second time.
  void write() override;

 private:
  using Targets = std::map<std::string_view, std::shared_ptr<tensor::Tensor>>;

  // One tensor: its bytes were either copied or will be read again.
  struct Item {
    TensorPlace place;
    std::shared_ptr<tensor::Tensor> target;
    std::unique_ptr<std::byte[]> copy;
  };
  struct CachedFile {
    std::string path;
    std::unique_ptr<storage::File> file;
  };
  // The unit of work of a thread: a chunk of a tensor.
  struct Part {
    std::size_t item;
    std::size_t file;
    std::int64_t chunk;
  };

  void add_file(std::string path, std::unique_ptr<storage::File> file, const FileRecord& record, const GroupRecord& group,
                const Targets& targets);
  void read_whole(storage::File& file, const TensorPlace& place, std::byte* destination);
  std::int64_t read_part(const Part& part, std::byte* destination);
  void note_misfit(const TensorPlace& place, std::int64_t element);  // element -1: all fit
  void start_threads();

  storage::Storage& storage_;
  const std::string& directory_;
  const LoadOptions& options_;
  const NameMap& names_;
  base::Progress& progress_;
  bool& has_begun_;
  std::vector<Item> items_;
  std::vector<CachedFile> cached_;
  std::vector<Part> parts_;  // of the cached files
  std::unique_ptr<base::ThreadPool> pool_;
  std::string misfit_;  // description of the first element that cannot be converted, "" if all can
};

}  // namespace ckpt::state
