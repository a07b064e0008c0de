// Locates the blocks of a checkpoint's tensors in files of either format. A single-process checkpoint counts as one part, in which
// every tensor is one block. Parts, files and headers are read and checked when one of their blocks is first requested.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "state/box.h"
#include "state/manifest.h"
#include "state/open_files.h"
#include "state/tensor_file.h"
#include "storage/storage.h"

namespace ckpt::state {

// The records of a part, indexed by tensor.
class PartRecords {
 public:
  explicit PartRecords(std::shared_ptr<const std::vector<GroupRecord>> groups);
  const std::vector<GroupRecord>& groups() const noexcept { return *groups_; }

  struct Entry {
    const GroupRecord* group = nullptr;
    const TensorRecord* block = nullptr;  // nullptr: none
  };
  Entry find(const std::string& group, const std::string& tensor, const Box& box) const;

 private:
  std::shared_ptr<const std::vector<GroupRecord>> groups_;
  std::map<std::pair<std::string_view, std::string_view>, std::vector<Entry>> by_tensor_;
};

// An open file with a verified header. Not thread-safe, except as allowed by is_cached() of the file.
struct BlockFile {
  std::string path;
  std::unique_ptr<storage::File> file;
  std::shared_ptr<const PartRecords> part;                                                // owner of the records in places
  std::unordered_map<const TensorRecord*, std::pair<std::int64_t, std::int64_t>> places;  // offset in the file, bytes
};

// The bytes of a block. The place's record is that of the part: its chunks' digests and their bytes_of_chunk.
struct StoredBlock {
  std::shared_ptr<const BlockFile> from;
  TensorPlace place;
};

// Not synchronized; its results remain valid after its destruction.
class BlockFiles {
 public:
  // This number of files stays open; the same number can be in use elsewhere.
  static constexpr std::size_t max_files = OpenFiles::max / 2;

  // directory: the checkpoint's. The manifest and the storage must outlive this object.
  BlockFiles(storage::Storage& storage, std::string directory, const Manifest& manifest);

  std::int64_t parts() const noexcept { return manifest_.is_of_many() ? manifest_.world_size : 1; }
  // Error(corrupt) unless the part matches its record in the manifest.
  std::shared_ptr<const PartRecords> part(std::int64_t number);
  // Returns the block with this box of a tensor of the manifest, from that part. Error(corrupt) names the tensor, the box and the
  // rank if the part lacks the block. is_checked: value for the result's place.
  StoredBlock find(const std::string& group, const TensorRecord& tensor, const Box& box, std::int64_t part, bool is_checked);

 private:
  std::shared_ptr<const BlockFile> open(const std::shared_ptr<const PartRecords>& part, const GroupRecord& group,
                                        const std::string& name);
  std::string part_path(std::int64_t part) const;

  storage::Storage& storage_;
  const std::string directory_;
  const Manifest& manifest_;
  // Caches of the most recently used parts and files, limited by memory and descriptors.
  std::map<std::int64_t, std::shared_ptr<const PartRecords>> parts_;
  std::deque<std::int64_t> part_order_;
  std::int64_t part_bytes_ = 0;
  std::map<std::string, std::shared_ptr<const BlockFile>> files_;
  std::deque<std::string> file_order_;
};

// Calls take for the tensor's blocks that intersect wanted, by number: see Placement. In format 1: number 0, the whole tensor.
void for_each_stored_number(const TensorRecord& tensor, const Box& wanted, const std::function<void(std::int64_t number)>& take);
Placement::Block stored_block(const TensorRecord& tensor, std::int64_t number);

// Returns the range of a block's bytes to read for [begin, end): if it is checked, extended to whole chunks.
std::pair<std::int64_t, std::int64_t> touched_bytes(const TensorPlace& place, std::int64_t begin, std::int64_t end);
// Reads [begin, end) of a block's bytes and passes them to take in pieces, each with its position in the block. If they are
// checked, whole chunks are read, and passed data is only valid once this function has returned.
using TakeBytes = std::function<void(std::int64_t at, std::span<const std::byte> bytes)>;
void read_block(const StoredBlock& block, std::int64_t begin, std::int64_t end, const ReadProgress& progress,
                const TakeBytes& take);

}  // namespace ckpt::state
