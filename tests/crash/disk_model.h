// What a disk may hold after a power cut: the weakest that POSIX allows a file system to keep.
//
// - A file's bytes last from its sync on. Of what was written since, each block of 512 bytes may be there, be what it was before
//   (zeros in new space), be torn in its middle, or hold stale bytes; and the file's length may be the old one, the new one, or end
//   at any block between.
// - A name lasts from the sync of its directory on. Of the names made, renamed and removed in it since, any subset may be there, in
//   any order among directories. A rename is atomic: that is what POSIX file systems do keep.
// - The sync of a file says nothing about its name, and that of a directory nothing about its own name.
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

// Every path and its bytes, directories before what is in them; nothing for a directory.
using Image = std::vector<std::pair<std::string, std::optional<std::string>>>;

std::string describe(const Image& image);
std::shared_ptr<storage::Storage> disk_of(const Image& image);

class DiskModel {
 public:
  static constexpr std::size_t block_bytes = 512;

  // A disk that holds image, all of it durable.
  explicit DiskModel(const Image& image);

  void apply(const Operation& operation);
  // Calls visit with what a crash now may leave: with all when they are at most `most` (not counting equal ones), else with the
  // regular ones (nothing lost, everything lost, each moment in order) and as many drawn by seed as make `most`.
  void crash(std::uint64_t most, std::uint64_t seed, const std::function<void(const Image&)>& visit) const;
  // As long as the power stays on.
  Image now() const;

 private:
  struct NameChange {
    std::string erased;  // "" for none
    std::string set;     // "" for none
    std::size_t node = 0;
    std::int64_t time = 0;
  };
  struct Node {
    bool is_directory = false;
    std::map<std::string, std::size_t> names;  // now
    std::map<std::string, std::size_t> durable_names;
    std::vector<NameChange> changes;  // since
    std::string bytes;                // now
    std::string durable_bytes;
    std::map<std::size_t, bool> touched;  // blocks written since
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
