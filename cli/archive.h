// Zip archives from untrusted sources, read entry by entry: NumPy's .npz and PyTorch's .pt files are zip archives.
#pragma once

#include <zip.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ckpt::cli {

struct DiscardArchive {
  void operator()(zip_t* archive) const noexcept { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, DiscardArchive>;

// flags: as for zip_open. Throws std::runtime_error that names path.
Archive open_archive(const std::string& path, int flags);

// An entry with plausible sizes: the archive is long enough to contain it.
struct ArchiveEntry {
  std::uint64_t index = 0;
  std::string name;
  std::uint64_t bytes = 0;  // uncompressed, as recorded in the archive
  bool compressed = false;
};

// Returns the archive's entries. Throws std::runtime_error that names path and the entry (kind: the word for an entry in messages)
// if the recorded sizes are impossible. This happens before memory is allocated for an entry.
std::vector<ArchiveEntry> entries_of(zip_t* archive, const std::string& path, const std::string& kind);

// An archive's file, mapped into memory: entries stored without compression are read in place. The system loads pages on access and
// can drop them at any time.
class ArchiveMapping {
 public:
  // Throws std::runtime_error that names path.
  explicit ArchiveMapping(const std::string& path);

  // Returns the contents of a stored entry after reading them once and comparing the checksum. Returns nullptr if they are not
  // where the archive's directory places them; then read them with EntryReader. Valid while this object or a copy of it exists.
  const char* find(zip_t* archive, const ArchiveEntry& entry) const;

 private:
  std::shared_ptr<const char> bytes_;
  std::uint64_t size_ = 0;
};

// Reads the contents of one entry sequentially. Throws std::runtime_error.
class EntryReader {
 public:
  EntryReader(zip_t* archive, std::uint64_t index);

  void read(char* to, std::size_t bytes);
  // Requires the end of the entry, where libzip compares the checksum.
  void finish();

 private:
  struct Close {
    void operator()(zip_file_t* file) const noexcept { zip_fclose(file); }
  };

  std::size_t read_at_most(char* to, std::size_t bytes);

  std::unique_ptr<zip_file_t, Close> file_;
};

}  // namespace ckpt::cli
