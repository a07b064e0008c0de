#include "state/ranks/shard_reader.h"

#include <utility>

#include "state/ranks/block_copy.h"

namespace ckpt::state {

ShardReader::ShardReader(std::shared_ptr<storage::Storage> storage, std::string directory, Manifest manifest, bool is_checked)
    : storage_(std::move(storage)),
      manifest_(std::move(manifest)),
      files_(*storage_, std::move(directory), manifest_),
      is_checked_(is_checked) {
  for (std::size_t g = 0; g < manifest_.groups.size(); ++g) {
    for (const TensorRecord& record : manifest_.groups[g].tensors) {
      items_.push_back({{record.name, record.dtype, record.shape, 0, tensor_bytes(record.dtype, record.shape)}, g, &record});
    }
  }
}

void ShardReader::read(const Item& item, const Box& wanted, std::span<std::byte> bytes) {
  const TensorRecord& record = *item.record;
  base::Progress progress;
  progress.begin(std::ssize(bytes));
  record.placement->for_each_block(wanted, [&](const Box& box, std::int64_t part) {
    const auto [begin, end] = bytes_between(box, wanted, record.dtype);
    const StoredBlock stored = files_.find(group(item), record, box, part, is_checked_);
    const BlockCopy copy{box, record.dtype, wanted, bytes.data(), record.dtype, nullptr};
    read_block(stored, begin, end, {progress},
               [&](std::int64_t at, std::span<const std::byte> piece) { copy_elements(copy, at, piece); });
  });
  progress.finish();
}

}  // namespace ckpt::state
