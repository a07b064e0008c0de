// Reads tensors of a sharded checkpoint one by one, assembled from the blocks that intersect the requested range.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/progress.h"
#include "state/manifest.h"
#include "state/ranks/block_files.h"
#include "state/safetensors.h"
#include "storage/storage.h"

namespace ckpt::state {

// Not thread-safe. Parts and files are opened at the first use.
class ShardReader {
 public:
  // is_checked: chunks are checked each time they are read.
  ShardReader(std::shared_ptr<storage::Storage> storage, std::string directory, Manifest manifest, bool is_checked);

  struct Item {
    TensorEntry entry;  // offset: none
    std::size_t group = 0;
    const TensorRecord* record = nullptr;
  };
  const std::vector<Item>& items() const noexcept { return items_; }
  const std::string& group(const Item& item) const { return manifest_.groups[item.group].name; }

  // Fills bytes with a box of a tensor.
  void read(const Item& item, const Box& wanted, std::span<std::byte> bytes);

 private:
  const std::shared_ptr<storage::Storage> storage_;
  const Manifest manifest_;
  BlockFiles files_;
  const bool is_checked_;
  std::vector<Item> items_;
};

}  // namespace ckpt::state
