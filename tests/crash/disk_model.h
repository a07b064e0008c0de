// The possible contents of a disk after a power cut, with the weakest guarantees that POSIX allows a file system to give.
//
// - A file's bytes are durable after its sync. Each block of 512 bytes with unsynced writes may contain the new bytes, the bytes
// before
//   (zeros in new space), a mix torn in its middle, or stale bytes; and the file's length may be the old one, the new one, or any
// block
//   boundary between them.
// - A name is durable after the sync of its directory. Any subset of the names created, renamed and removed since may be durable,
// in
//   any order across directories. A rename is atomic: POSIX file systems do guarantee that.
// - The sync of a file does not make its name durable, and the sync of a directory does not make the directory's own name durable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recorder.h"
#include "storage/storage.h"

namespace ckpt::tests {

// Every path and its bytes, directories before their contents; no value for a directory.
using Image = std::vector<std::pair<std::string, std::optional<std::string>>>;

std::string describe(const Image& image);
std::shared_ptr<storage::Storage> disk_of(const Image& image);

class DiskModel {
 public:
  static constexpr std::size_t block_bytes = 512;

  // Creates a disk that contains image, all of it durable.
  explicit DiskModel(const Image& image);

  void apply(const Operation& operation);
  // Calls visit with the possible disks after a crash now: with all, if there are at most `most` (counting equal ones once);
  // otherwise with the regular ones (nothing lost, everything lost, each moment in order), filled up to `most` with random ones
  // drawn from seed.
  void crash(std::uint64_t max, std::uint64_t seed, const std::function<void(const Image&)>& visit) const;
  // Returns the contents while the power stays on.
  Image now() const;

 private:
  struct NameChange {
    std::string erased;  // "": none
    std::string set;     // "": none
    std::size_t node = 0;
    std::int64_t time = 0;
  };
  struct Node {
    bool is_directory = false;
    std::map<std::string, std::size_t> names;  // current
    std::map<std::string, std::size_t> durable_names;
    std::vector<NameChange> changes;  // unsynced
    std::string bytes;                // current
    std::string durable_bytes;
    std::map<std::size_t, bool> touched;  // blocks with unsynced writes
  };

  std::size_t find(const std::string& path) const;
  std::size_t make(bool is_directory);
  void change(const std::string& directory, NameChange change);
  std::vector<std::uint64_t> radices() const;
  Image image_of(const std::vector<std::uint64_t>& digits) const;
  std::string bytes_of(const Node& node, const std::uint64_t*& digit) const;
  std::vector<std::vector<std::uint64_t>> regular(const std::vector<std::uint64_t>& radices) const;

  std::vector<Node> nodes_;  // 0: the root
  std::int64_t time_ = 0;
};

}  // namespace ckpt::tests
