#include "storage/storage.h"

#include <atomic>

#include "base/error.h"

namespace ckpt::storage {

std::uint64_t Storage::next_number() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

std::string Storage::identity() const { return base::cat("object ", number_); }

std::unique_ptr<Scratch> Storage::create_scratch(std::int64_t) {
  base::fail(base::Status::unsupported, "storage ", base::quoted(name()),
             " has no files without a name; the file system and memory have");
}

void require_path(std::string_view path) {
  using base::quoted;
  base::require(path.find('\0') == std::string_view::npos, "path holds a NUL: ", quoted(path));
  for (std::size_t begin = 0; !path.empty() && begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view component = path.substr(begin, end - begin);
    base::require(!component.empty() && component != "." && component != "..", "path ", quoted(path),
                  " leaves its root or has an empty ", "component");
    begin = end + 1;
  }
}

std::string join(std::string_view directory, std::string_view name) {
  return directory.empty() ? std::string(name) : base::cat(directory, '/', name);
}

std::string_view parent(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

}  // namespace ckpt::storage
