#include "storage/storage.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <utility>

#include "base/error.h"
#include "storage/temporary.h"

namespace ckpt::storage {

std::uint64_t Storage::next_number() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

std::string Storage::identity() const { return base::cat("object ", number_); }

std::unique_ptr<Scratch> Storage::create_scratch(std::int64_t) {
  base::fail(base::Status::unsupported, "storage ", base::quote(name()),
             " does not support scratch files; file systems and memory do");
}

void File::read_ranges(std::span<const Range> ranges) {
  for (const Range& range : ranges) {
    const std::int64_t read = this->read(range.offset, range.bytes);
    base::require(read == std::ssize(range.bytes), "the file ends ", read, " bytes after offset ", range.offset, "; expected ",
                  range.bytes.size(), " bytes");
  }
}

namespace {

// Runs body; ignores not_found.
template <class Body>
void unless_missing(Body&& body) {
  try {
    body();
  } catch (const base::Error& error) {
    if (error.status() != base::Status::not_found) throw;
  }
}

// Returns the name, with a '/' for directories, so that files sort by their full paths: "a.b" is before "a/b".
std::string sort_key(const Entry& entry) { return entry.is_directory ? entry.name + '/' : entry.name; }

class Walk {
 public:
  Walk(Storage& storage, const std::string& prefix, const std::string& after, std::int64_t limit)
      : storage_(storage), prefix_(prefix), after_(after), limit_(limit) {}

  std::vector<Object> run() {
    const std::string begin(parent(prefix_));
    unless_missing([&] { enter(begin); });
    return std::move(found_);
  }

 private:
  bool is_full() const { return std::ssize(found_) >= limit_; }

  void enter(const std::string& directory) {
    std::vector<Entry> entries = storage_.list(directory);
    std::ranges::sort(entries, {}, sort_key);
    for (const Entry& entry : entries) {
      if (is_full()) return;
      const std::string path = join(directory, entry.name);
      unless_missing([&] { entry.is_directory ? look_into(path) : add(path); });
    }
  }
  void look_into(const std::string& directory) {
    const std::string all = directory + '/';
    const bool is_wanted = all.starts_with(prefix_) || prefix_.starts_with(all);
    const bool is_passed = all < after_ && !after_.starts_with(all);
    if (is_wanted && !is_passed) enter(directory);
  }
  void add(const std::string& path) {
    if (path.starts_with(prefix_) && path > after_) found_.push_back({path, storage_.size(path)});
  }

  Storage& storage_;
  const std::string& prefix_;
  const std::string& after_;
  std::int64_t limit_;
  std::vector<Object> found_;
};

}  // namespace

// Writes the bytes under a temporary name, then links the final name, which must be new: a file that exists under it is complete.
void Storage::put_if_absent(const std::string& path, std::span<const std::byte> bytes) {
  const std::string temporary = temporary_path(path);
  bool linked = false;
  try {
    const auto file = create(temporary);
    file->write(0, bytes);
    file->sync();
    linked = link(temporary, path);
  } catch (...) {
    try {
      remove(temporary);
    } catch (const base::Error&) {  // the first error is the one to report
    }
    throw;
  }
  remove(temporary);
  if (!linked) base::fail(base::Status::unsupported, "storage ", base::quote(name()), " cannot create a file atomically");
  sync_directory(std::string(parent(path)));
}

std::vector<Object> Storage::list_from(const std::string& prefix, const std::string& after, std::int64_t limit) {
  return Walk(*this, prefix, after, limit).run();
}

void Storage::remove_many(std::span<const std::string> paths) {
  std::exception_ptr first;
  for (const std::string& path : paths) {
    try {
      unless_missing([&] { remove(path); });
    } catch (const base::Error&) {
      if (first == nullptr) first = std::current_exception();
    }
  }
  if (first != nullptr) std::rethrow_exception(first);
}

void require_path(std::string_view path) {
  using base::quote;
  base::require(path.find('\0') == std::string_view::npos, "path contains a NUL: ", quote(path));
  for (std::size_t begin = 0; !path.empty() && begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view component = path.substr(begin, end - begin);
    base::require(!component.empty() && component != "." && component != "..", "path ", quote(path),
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
