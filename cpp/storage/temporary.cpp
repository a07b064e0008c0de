#include "storage/temporary.h"

#include <algorithm>
#include <memory>
#include <random>

#include "base/error.h"

namespace ckpt::storage {
namespace {

constexpr std::size_t longest_name = 255;  // bytes of one component, in nearly all file systems
constexpr std::string_view mark = ".tmp-";
constexpr std::size_t random_digits = 8;

// Returns "<path>.tmp-1a2b3c4d"; a name that would be too long is cut at a character.
std::string temporary_path(const std::string& path, std::uint32_t random) {
  const std::size_t name_at = path.rfind('/') + 1;  // 0 without a '/'
  std::size_t end = std::min(path.size(), name_at + longest_name - mark.size() - random_digits);
  while (end < path.size() && end > name_at && (static_cast<unsigned char>(path[end]) & 0xC0) == 0x80) --end;
  std::string out = path.substr(0, end);
  out += mark;
  for (int shift = 28; shift >= 0; shift -= 4) out += "0123456789abcdef"[(random >> shift) & 15];
  return out;
}

struct Temporary {
  std::string path;
  std::unique_ptr<File> file;
};

Temporary create_temporary(Storage& storage, const std::string& path, const StreamOptions& options) {
  std::random_device random;
  for (int tries = 1;; ++tries) {
    std::string name = temporary_path(path, random());
    try {
      auto file = storage.create_stream(name, options);
      return {std::move(name), std::move(file)};
    } catch (const base::Error& error) {
      if (error.status() != base::Status::already_exists || tries == 100) throw;
    }
  }
}

}  // namespace

std::string temporary_path(const std::string& path) { return temporary_path(path, std::random_device()()); }

void replace_file(Storage& storage, const std::string& path, const StreamOptions& options,
                  const std::function<void(File&)>& write) {
  Temporary temporary = create_temporary(storage, path, options);
  try {
    write(*temporary.file);
    temporary.file->sync();
    storage.rename(temporary.path, path);
  } catch (...) {
    temporary.file.reset();
    try {
      storage.remove(temporary.path);
    } catch (const base::Error&) {  // the first error is the one to report
    }
    throw;
  }
}

}  // namespace ckpt::storage
