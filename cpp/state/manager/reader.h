// Reads tensors of a checkpoint, a safetensors file, or an indexed folder one by one: whole, in part, or mapped.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/os/thread.h"
#include "base/progress.h"
#include "base/thread_pool.h"
#include "state/load_options.h"
#include "state/manifest.h"
#include "state/name_table.h"
#include "state/ranks/shard_reader.h"
#include "state/safetensors.h"
#include "storage/storage.h"
#include "tensor/buffer_pool.h"
#include "tensor/tensor.h"

namespace ckpt::state {

class Protocol;

// Not thread-safe; mapped tensors can be used by any thread.
class Reader {
 public:
  using Pool = std::shared_ptr<tensor::BufferPool>;

  // Opens one checkpoint; "": the newest with a manifest, selected again if a writer removes it during the call. Verify::full reads
  // every byte now, and Error(corrupt) names the first bad tensor; lazy checks a tensor's chunks at their first use; none never
  // checks. With several ranks the reader keeps the storage, since files are opened at their first use.
  Reader(Protocol& protocol, const std::string& name, Verify verify);
  // path: a safetensors file, a directory with model.safetensors.index.json, or one with model.safetensors. Such files have no
  // checksums. Links are followed.
  explicit Reader(const std::string& path);

  std::int64_t count() const noexcept { return std::ssize(items_) + (shards_ == nullptr ? 0 : std::ssize(shards_->items())); }
  // Error(out_of_range) unless 0 <= index < count.
  const TensorEntry& at(std::int64_t index) const;
  // "" for files without groups.
  const std::string& group(std::int64_t index) const;
  // Returns the position of the first byte in its file; 0 in a sharded checkpoint.
  std::int64_t offset(std::int64_t index) const;
  // The metadata of all files, in their order.
  const Metadata& metadata() const noexcept { return metadata_; }
  // group "": any. Error(not_found); Error(invalid_argument) if several groups contain the name.
  std::int64_t find(std::string_view group, std::string_view name) const;

  // Reads into a tensor of the same dtype and shape; after an error its contents are undefined.
  void read(std::int64_t index, tensor::Tensor& target);
  // Read into new memory of pool. begin, length: along the first dimension; Error(unsupported) if they are not whole bytes.
  std::shared_ptr<tensor::Tensor> read_new(std::int64_t index, const Pool& pool);
  std::shared_ptr<tensor::Tensor> read_slice(std::int64_t index, std::int64_t begin, std::int64_t length, const Pool& pool);
  // Returns a read-only tensor over the file's mapping, which it keeps alive. Error(unsupported) if the storage cannot map files or
  // the bytes are not aligned for the dtype; Error(corrupt) if the file was truncated.
  std::shared_ptr<tensor::Tensor> map(std::int64_t index);

 private:
  struct Part {
    std::string path;
    std::unique_ptr<storage::File> file;
    std::int64_t size = 0;
    Header header;
    std::shared_ptr<storage::Mapping> mapping;
  };
  struct Item {
    std::size_t part;
    std::size_t entry;
    std::size_t group;
    std::vector<Digest> chunks;  // of a checked tensor, in order; empty: not checked
    std::vector<bool> checked;   // by chunk: needs no further check, unless all reads are checked
  };

  void add_checkpoint(storage::Storage& storage, const std::string& directory, const Manifest& manifest, Verify verify,
                      base::Progress& progress);
  Part& add_part(std::string path, std::unique_ptr<storage::File> file);
  void add_file(const std::string& path);
  void add_indexed(const std::string& directory);
  void index_names();
  const Item& item(std::int64_t index) const;
  Part& fresh_part(const Item& item);
  // A piece of a tensor's bytes within one chunk, and the bytes to read for it: the whole chunk if it is checked.
  struct Stretch {
    std::int64_t chunk = 0;
    std::int64_t begin = 0;
    std::int64_t end = 0;
    bool is_checked = false;
  };
  std::vector<Stretch> stretches(const Item& item, std::int64_t begin, std::int64_t end) const;
  static std::int64_t bytes_of(const std::vector<Stretch>& stretches);
  // Verifies exactly the bytes that it returns, without reading them twice. read: nullptr, or receives the bytes read so far.
  void read_bytes(Item& item, std::int64_t begin, std::span<std::byte> bytes, std::atomic<std::int64_t>* read = nullptr);
  // Checks the chunks that touch [begin, end) of a tensor and are not checked yet.
  void check_chunks(Item& item, std::int64_t begin, std::int64_t end);
  template <class Take>
  void read_stretch(Item& item, const Stretch& stretch, base::Progress& progress, Take&& take);
  // Reads into memory that was not touched yet.
  void read_new_bytes(Item& item, std::int64_t begin, std::span<std::byte> bytes);
  base::ThreadPool* helpers(const Item& item, std::size_t bytes);

  // Returns nullptr unless the checkpoint is sharded. Error(out_of_range) like at.
  const ShardReader::Item* sharded(std::int64_t index) const;

  std::unique_ptr<ShardReader> shards_;  // for sharded checkpoints, instead of parts and items
  std::vector<std::string> groups_;
  std::vector<Part> parts_;
  std::vector<Item> items_;
  bool checks_every_read_ = false;
  Metadata metadata_;
  NameTable by_name_;
  std::unique_ptr<base::ThreadPool> helpers_;  // created at the first use
  std::uint64_t generation_ = base::fork_generation();
};

}  // namespace ckpt::state
