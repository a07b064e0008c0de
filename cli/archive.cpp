#include "archive.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "text.h"

namespace ckpt::cli {
namespace {

[[noreturn]] void refuse_archive(const std::string& path, const std::string& why) { throw std::runtime_error(path + ": " + why); }

// Compares the sizes that an archive records for its entries with its length, before memory is allocated for them.
class Sizes {
 public:
  explicit Sizes(std::uint64_t archive_bytes) : left_(archive_bytes) {}

  void check(const zip_stat_t& stat) {
    constexpr zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    if ((stat.valid & needed) != needed) throw std::runtime_error("the archive directory records no size for it");
    if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE) {
      throw std::runtime_error("the entry is compressed by method " + std::to_string(stat.comp_method) +
                               "; expected stored or deflated");
    }
    if (stat.comp_size > left_) throw std::runtime_error("the archive is shorter than the recorded sizes of its entries");
    left_ -= stat.comp_size;
    // deflate compresses at most 1032 to 1 (zlib's documentation): 258 bytes in two bits.
    const bool possible = stat.comp_method == ZIP_CM_STORE ? stat.size == stat.comp_size : stat.size / 1032 <= stat.comp_size;
    if (!possible) {
      throw std::runtime_error("its recorded size of " + std::to_string(stat.size) + " bytes is impossible for " +
                               std::to_string(stat.comp_size) + " bytes in the archive");
    }
  }

 private:
  std::uint64_t left_;
};

// ---- Positions of entries ----
// Source: PKWARE's APPNOTE.TXT, 4.3: records begin with a signature, numbers are little-endian.

constexpr std::string_view local_signature("PK\3\4", 4);
constexpr std::string_view directory_signature("PK\1\2", 4);
constexpr std::string_view end_signature("PK\5\6", 4);
constexpr std::string_view end_64_signature("PK\6\6", 4);
constexpr std::string_view locator_64_signature("PK\6\7", 4);
constexpr std::uint64_t in_64_record = 0xFFFFFFFF;  // a 32-bit field with this value is replaced by a field in the zip64 record

// Returns nothing if the number would reach past the end of bytes.
template <class Number>
std::optional<std::uint64_t> number_at(std::string_view bytes, std::uint64_t at) {
  if (at > bytes.size() || bytes.size() - at < sizeof(Number)) return std::nullopt;
  Number number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}
const auto u16_at = number_at<std::uint16_t>;
const auto u32_at = number_at<std::uint32_t>;
const auto u64_at = number_at<std::uint64_t>;

bool has_at(std::string_view bytes, std::uint64_t at, std::string_view signature) {
  return at <= bytes.size() && bytes.substr(at).starts_with(signature);
}

// Returns the offset of the central directory.
std::optional<std::uint64_t> directory_of(std::string_view bytes) {
  const std::size_t end = bytes.rfind(end_signature);
  if (end == std::string_view::npos) return std::nullopt;
  const auto begin = u32_at(bytes, end + 16);
  if (begin != in_64_record) return begin;
  if (end < 20 || !has_at(bytes, end - 20, locator_64_signature)) return std::nullopt;
  const auto end_64 = u64_at(bytes, end - 20 + 8);
  if (!end_64 || !has_at(bytes, *end_64, end_64_signature)) return std::nullopt;
  return u64_at(bytes, *end_64 + 48);
}

// Returns the offset of the entry's local header, from its directory record at `at`.
std::optional<std::uint64_t> local_of(std::string_view bytes, std::uint64_t at) {
  const auto local = u32_at(bytes, at + 42);
  if (local != in_64_record) return local;
  // Zip64: in the extra field with id 1, after the sizes that need 64 bits.
  const auto name_bytes = u16_at(bytes, at + 28);
  const auto extra_bytes = u16_at(bytes, at + 30);
  std::uint64_t field = at + 46 + name_bytes.value_or(0);
  const std::uint64_t end = field + extra_bytes.value_or(0);
  while (field + 4 <= end) {
    const auto id = u16_at(bytes, field);
    const auto length = u16_at(bytes, field + 2);
    if (!id || !length) return std::nullopt;
    const int sizes = (u32_at(bytes, at + 24) == in_64_record ? 1 : 0) + (u32_at(bytes, at + 20) == in_64_record ? 1 : 0);
    if (*id == 1) return u64_at(bytes, field + 4 + static_cast<std::uint64_t>(sizes) * 8);
    field += 4 + *length;
  }
  return std::nullopt;
}

// Returns the offset of the contents of the directory's entry `number`; nothing if the archive is inconsistent.
std::optional<std::uint64_t> contents_of(std::string_view bytes, std::uint64_t number) {
  std::optional<std::uint64_t> at = directory_of(bytes);
  for (std::uint64_t i = 0; at && has_at(bytes, *at, directory_signature); ++i) {
    if (i == number) {
      const auto local = local_of(bytes, *at);
      if (!local || !has_at(bytes, *local, local_signature)) return std::nullopt;
      const auto name_bytes = u16_at(bytes, *local + 26);
      const auto extra_bytes = u16_at(bytes, *local + 28);
      if (!name_bytes || !extra_bytes) return std::nullopt;
      return *local + 30 + *name_bytes + *extra_bytes;
    }
    const auto name_bytes = u16_at(bytes, *at + 28);
    const auto extra_bytes = u16_at(bytes, *at + 30);
    const auto comment_bytes = u16_at(bytes, *at + 32);
    if (!name_bytes || !extra_bytes || !comment_bytes) return std::nullopt;
    at = *at + 46 + *name_bytes + *extra_bytes + *comment_bytes;
  }
  return std::nullopt;
}

}  // namespace

Archive open_archive(const std::string& path, int flags) {
  int code = 0;
  Archive archive(zip_open(path.c_str(), flags, &code));
  if (archive != nullptr) return archive;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const std::string why = zip_error_strerror(&error);
  zip_error_fini(&error);
  refuse_archive(path, why);
}

std::vector<ArchiveEntry> entries_of(zip_t* archive, const std::string& path, const std::string& kind) {
  std::vector<ArchiveEntry> entries;
  Sizes sizes(std::filesystem::file_size(path));
  const auto count = static_cast<zip_uint64_t>(zip_get_num_entries(archive, 0));
  for (zip_uint64_t i = 0; i < count; ++i) {
    zip_stat_t stat;
    if (zip_stat_index(archive, i, 0, &stat) != 0) refuse_archive(path, zip_strerror(archive));
    try {
      sizes.check(stat);
    } catch (const std::exception& error) {
      refuse_archive(path, kind + " " + printable(stat.name) + ": " + error.what());
    }
    entries.push_back({i, stat.name, stat.size, stat.comp_method != ZIP_CM_STORE});
  }
  return entries;
}

ArchiveMapping::ArchiveMapping(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) refuse_archive(path, reason_of(errno));
  struct stat status {};
  const bool is_known = fstat(file, &status) == 0;
  size_ = is_known ? static_cast<std::uint64_t>(status.st_size) : 0;
  void* const mapped = size_ == 0 ? MAP_FAILED : mmap(nullptr, size_, PROT_READ, MAP_SHARED, file, 0);
  const std::string why = reason_of(errno);
  (void)close(file);
  if (mapped == MAP_FAILED) refuse_archive(path, size_ == 0 ? "the file is empty" : why);
  bytes_ = {static_cast<const char*>(mapped), [size = size_](const char* bytes) { munmap(const_cast<char*>(bytes), size); }};
}

const char* ArchiveMapping::find(zip_t* archive, const ArchiveEntry& entry) const {
  const auto begin = entry.compressed ? std::nullopt : contents_of({bytes_.get(), size_}, entry.index);
  if (!begin || *begin > size_ || size_ - *begin < entry.bytes) return nullptr;
  constexpr std::size_t piece_bytes = std::size_t{256} << 10;
  const auto piece = std::make_unique<char[]>(piece_bytes);
  EntryReader reader(archive, entry.index);
  bool is_same = true;
  for (std::uint64_t done = 0; done < entry.bytes;) {
    const std::size_t count = std::min<std::uint64_t>(piece_bytes, entry.bytes - done);
    reader.read(piece.get(), count);
    is_same = is_same && std::memcmp(piece.get(), bytes_.get() + *begin + done, count) == 0;
    done += count;
  }
  reader.finish();
  return is_same ? bytes_.get() + *begin : nullptr;
}

EntryReader::EntryReader(zip_t* archive, std::uint64_t index) : file_(zip_fopen_index(archive, index, 0)) {
  if (file_ == nullptr) throw std::runtime_error(zip_strerror(archive));
}

void EntryReader::read(char* to, std::size_t bytes) {
  if (read_at_most(to, bytes) != bytes) throw std::runtime_error("the entry is shorter than its recorded size");
}

void EntryReader::finish() {
  char more = 0;
  if (read_at_most(&more, 1) != 0) throw std::runtime_error("the entry is longer than its recorded size");
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
