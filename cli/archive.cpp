#include "archive.h"

#include <exception>
#include <filesystem>
#include <stdexcept>

#include "text.h"

namespace ckpt::cli {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) { throw std::runtime_error(path + ": " + why); }

// What an archive says of its entries, compared with what it can hold, before memory is taken for them.
class Sizes {
 public:
  explicit Sizes(std::uint64_t archive_bytes) : left_(archive_bytes) {}

  void check(const zip_stat_t& stat) {
    constexpr zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    if ((stat.valid & needed) != needed) throw std::runtime_error("the archive does not say how long it is");
    if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE) {
      throw std::runtime_error("it is compressed by method " + std::to_string(stat.comp_method) +
                               "; stored and deflated ones can be read");
    }
    if (stat.comp_size > left_) throw std::runtime_error("the archive is too short for what it says of its entries");
    left_ -= stat.comp_size;
    // deflate makes at most 258 bytes of two bits: zlib's documentation says 1032 to 1.
    const bool possible = stat.comp_method == ZIP_CM_STORE ? stat.size == stat.comp_size : stat.size / 1032 <= stat.comp_size;
    if (!possible) {
      throw std::runtime_error("it cannot have " + std::to_string(stat.size) + " bytes, of " + std::to_string(stat.comp_size) +
                               " in the archive");
    }
  }

 private:
  std::uint64_t left_;
};

}  // namespace

Archive open_archive(const std::string& path, int flags) {
  int code = 0;
  Archive archive(zip_open(path.c_str(), flags, &code));
  if (archive != nullptr) return archive;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const std::string why = zip_error_strerror(&error);
  zip_error_fini(&error);
  refuse(path, why);
}

std::vector<ArchiveEntry> entries_of(zip_t* archive, const std::string& path, const std::string& kind) {
  std::vector<ArchiveEntry> entries;
  Sizes sizes(std::filesystem::file_size(path));
  const auto count = static_cast<zip_uint64_t>(zip_get_num_entries(archive, 0));
  for (zip_uint64_t i = 0; i < count; ++i) {
    zip_stat_t stat;
    if (zip_stat_index(archive, i, 0, &stat) != 0) refuse(path, zip_strerror(archive));
    try {
      sizes.check(stat);
    } catch (const std::exception& error) {
      refuse(path, kind + " " + printable(stat.name) + ": " + error.what());
    }
    entries.push_back({i, stat.name, stat.size, stat.comp_method != ZIP_CM_STORE});
  }
  return entries;
}

EntryReader::EntryReader(zip_t* archive, std::uint64_t index) : file_(zip_fopen_index(archive, index, 0)) {
  if (file_ == nullptr) throw std::runtime_error(zip_strerror(archive));
}

void EntryReader::read(char* to, std::size_t bytes) {
  if (read_at_most(to, bytes) != bytes) throw std::runtime_error("the entry is shorter than the archive says");
}

void EntryReader::finish() {
  char more = 0;
  if (read_at_most(&more, 1) != 0) throw std::runtime_error("the entry is longer than the archive says");
}

std::size_t EntryReader::read_at_most(char* to, std::size_t bytes) {
  std::size_t done = 0;
  while (done < bytes) {
    const zip_int64_t count = zip_fread(file_.get(), to + done, bytes - done);
    if (count < 0) throw std::runtime_error(zip_file_strerror(file_.get()));
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

}  // namespace ckpt::cli
