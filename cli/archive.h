// Zip archives of strangers, read entry by entry: NumPy's .npz and PyTorch's .pt files are such.
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

// flags: as zip_open takes them. Throws std::runtime_error that names path.
Archive open_archive(const std::string& path, int flags);

// An entry whose sizes are possible: the archive is long enough for it.
struct ArchiveEntry {
  std::uint64_t index = 0;
  std::string name;
  std::uint64_t bytes = 0;  // of its contents, as the archive says
  bool compressed = false;
};

// Throws std::runtime_error that names path and the entry (kind: what it is called there) when what the archive says cannot be
// true, before memory is taken for it.
std::vector<ArchiveEntry> entries_of(zip_t* archive, const std::string& path, const std::string& kind);

// An archive's file, mapped: the bytes of what is stored in it without compression can be had where they lie. Pages come from the
// file when they are touched, and the system takes them back as it likes.
class ArchiveMapping {
 public:
  // Throws std::runtime_error that names path.
  explicit ArchiveMapping(const std::string& path);

  // The contents of a stored entry of the archive, read once through it and compared: its checksum holds. nullptr when they are not
  // where the archive's directory says; then EntryReader has them. They live as long as this object or a copy of it.
  const char* find(zip_t* archive, const ArchiveEntry& entry) const;

 private:
  std::shared_ptr<const char> bytes_;
  std::uint64_t size_ = 0;
};

// The contents of one entry from their begin to their end. Throws std::runtime_error.
class EntryReader {
 public:
  EntryReader(zip_t* archive, std::uint64_t index);

  void read(char* to, std::size_t bytes);
  // The checksum is compared where nothing comes any more.
  void finish();

 private:
  struct Close {
    void operator()(zip_file_t* file) const noexcept { zip_fclose(file); }
  };

  std::size_t read_at_most(char* to, std::size_t bytes);

  std::unique_ptr<zip_file_t, Close> file_;
};

}  // namespace ckpt::cli
