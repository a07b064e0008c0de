// The way of a checkpoint's bytes into the caller's tensors, in two steps: all is read and checked, then the tensors are written.
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

  // Reads and checks what goes into the state's tensors; in place it goes there straight away, else nothing is written.
  virtual void read(const Manifest& manifest, const State& state) = 0;
  // Error(out_of_range) when an element that was read cannot be converted.
  virtual void require_fit() const = 0;
  // Writes the tensors. What is thrown here has happened to a file since it was read.
  virtual void write() = 0;
};

// The threads that read so many bytes of files that the system caches.
std::unique_ptr<base::ThreadPool> pool_for_reading(std::int64_t bytes);
// True when some bytes are in two of them.
bool have_overlap(std::vector<std::span<const std::byte>> ranges);

// What one process has saved into whole tensors.
class Filling final : public Filler {
 public:
  // directory: the checkpoint's. progress: in two passes over each byte. All of them must outlive this object. has_begun becomes
  // true before the first tensor is written.
  Filling(storage::Storage& storage, const std::string& directory, const LoadOptions& options, const NameMap& names,
          base::Progress& progress, bool& has_begun);

  // Reads each byte that both have. Files that the system caches are only checked, and stay open; the others' bytes come into
  // memory of this object's own. In place all of them go straight into the tensors.
  void read(const Manifest& manifest, const State& state) override;
  void require_fit() const override;
  // From memory, or by a second reading of the cached files, checked like the first.
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
  // The least that one thread reads alone: a chunk of a tensor.
  struct Part {
    std::size_t item;
    std::size_t file;
    std::int64_t chunk;
  };

  void add_file(std::string path, std::unique_ptr<storage::File> file, const FileRecord& record, const GroupRecord& group,
                const Targets& targets);
  void read_whole(storage::File& file, const TensorPlace& place, std::byte* destination);
  std::int64_t read_part(const Part& part, std::byte* destination);
  void note_misfit(const TensorPlace& place, std::int64_t element);  // -1: none
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
  std::string misfit_;  // what cannot be converted, "" when all can
};

}  // namespace ckpt::state
