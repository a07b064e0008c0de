// The blocks of a checkpoint's tensors in the files that hold them, of either format: what one process wrote counts as one part, in
// which every tensor is one block. Parts, files and their headers are read and checked when a block of theirs is asked for first.
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

// What a part lists, by the tensors that its blocks belong to.
class PartRecords {
 public:
  explicit PartRecords(std::shared_ptr<const std::vector<GroupRecord>> groups);
  const std::vector<GroupRecord>& groups() const noexcept { return *groups_; }

  struct Entry {
    const GroupRecord* group = nullptr;
    const TensorRecord* block = nullptr;  // nullptr: there is none
  };
  Entry find(const std::string& group, const std::string& tensor, const Box& box) const;

 private:
  std::shared_ptr<const std::vector<GroupRecord>> groups_;
  std::map<std::pair<std::string_view, std::string_view>, std::vector<Entry>> by_tensor_;
};

// An open file whose header holds what its part says. One thread at a time, but for what is_cached() of the file permits.
struct BlockFile {
  std::string path;
  std::unique_ptr<storage::File> file;
  std::shared_ptr<const PartRecords> part;                                                // of which the places are
  std::unordered_map<const TensorRecord*, std::pair<std::int64_t, std::int64_t>> places;  // offset in the file, bytes
};

// A block's bytes. The place's record is that of the part: its chunks' digests and their bytes_of_chunk.
struct StoredBlock {
  std::shared_ptr<const BlockFile> from;
  TensorPlace place;
};

// Not synchronised; what it returns may be used after it has gone.
class BlockFiles {
 public:
  // So many stay open here; as many again may be in use elsewhere.
  static constexpr std::size_t most_files = OpenFiles::most / 2;

  // directory: the checkpoint's. The manifest and the storage must outlive this object.
  BlockFiles(storage::Storage& storage, std::string directory, const Manifest& manifest);

  std::int64_t parts() const noexcept { return manifest_.is_of_many() ? manifest_.world_size : 1; }
  // Error(corrupt) unless it is as the manifest vouches for it.
  std::shared_ptr<const PartRecords> part(std::int64_t number);
  // The block of a tensor of the manifest that has this box, in that part. Error(corrupt) names the tensor, the box and the rank
  // when the part has no such block. is_checked: becomes the place's.
  StoredBlock find(const std::string& group, const TensorRecord& tensor, const Box& box, std::int64_t part, bool is_checked);

 private:
  std::shared_ptr<const BlockFile> open(const std::shared_ptr<const PartRecords>& part, const GroupRecord& group,
                                        const std::string& name);
  std::string part_path(std::int64_t part) const;

  storage::Storage& storage_;
  const std::string directory_;
  const Manifest& manifest_;
  // What was asked for last stays, as far as memory and descriptors allow.
  std::map<std::int64_t, std::shared_ptr<const PartRecords>> parts_;
  std::deque<std::int64_t> part_order_;
  std::int64_t part_bytes_ = 0;
  std::map<std::string, std::shared_ptr<const BlockFile>> files_;
  std::deque<std::string> file_order_;
};

// The tensor's blocks that have elements of wanted, by number: see Placement. Of format 1: number 0, which is the whole tensor.
void for_each_stored_number(const TensorRecord& tensor, const Box& wanted, const std::function<void(std::int64_t number)>& take);
Placement::Block stored_block(const TensorRecord& tensor, std::int64_t number);

// [begin, end) of a block's bytes as they must be read: where they are checked, with the whole of each chunk that they touch.
std::pair<std::int64_t, std::int64_t> touched_bytes(const TensorPlace& place, std::int64_t begin, std::int64_t end);
// Reads [begin, end) of a block's bytes and hands them over piece by piece, each with its place in the block. Where they are
// checked, each chunk that they touch is read whole, and what was handed over of it holds only when this has returned.
using TakeBytes = std::function<void(std::int64_t at, std::span<const std::byte> bytes)>;
void read_block(const StoredBlock& block, std::int64_t begin, std::int64_t end, const ReadProgress& progress,
                const TakeBytes& take);

}  // namespace ckpt::state
