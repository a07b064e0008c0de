#include "storage/file_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <random>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "storage/descriptor.h"
#include "storage/os_error.h"
#include "storage/scratch_file.h"

#ifndef O_PATH
#define O_PATH O_RDONLY
#endif

namespace ckpt::storage {
namespace {

constexpr mode_t everyone = 0666;  // less the process's umask

Descriptor open_at(int directory, const std::string& name, int flags, const char* verb, const std::string& shown,
                   mode_t mode = everyone) {
  const int number = uninterrupted([&] { return ::openat(directory, name.c_str(), flags | O_CLOEXEC, mode); });
  if (number < 0) fail_os(errno, verb, shown);
  return Descriptor(number);
}

struct stat status_of(int descriptor, const std::string& shown) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) fail_os(errno, "examine", shown);
  return status;
}

void require_regular(const struct stat& status, const std::string& shown) {
  base::require(S_ISREG(status.st_mode), base::quote(shown), " is not a regular file");
}

std::int64_t ns_of(const timespec& time) { return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; }

class OsMapping final : public Mapping {
 public:
  OsMapping(int descriptor, std::size_t size, const std::string& shown) : size_(size) {
    if (size == 0) return;  // mmap refuses 0 bytes
    data_ = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
    if (data_ == MAP_FAILED) fail_os(errno, "map", shown);
  }
  ~OsMapping() override {
    if (size_ > 0) ::munmap(data_, size_);
  }
  OsMapping(const OsMapping&) = delete;
  OsMapping& operator=(const OsMapping&) = delete;
  std::span<const std::byte> bytes() const noexcept override { return {static_cast<const std::byte*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_;
};

class OsFile final : public File {
 public:
  OsFile(Descriptor descriptor, std::string shown, std::shared_ptr<RateLimit> limit = nullptr)
      : descriptor_(std::move(descriptor)), shown_(std::move(shown)), limit_(std::move(limit)) {}

  std::int64_t size() override { return status_of(descriptor_.get(), shown_).st_size; }

  std::int64_t read(std::int64_t offset, std::span<std::byte> bytes) override {
    std::size_t done = 0;
    if (const int code = try_read_all(descriptor_.get(), offset, bytes, done); code != 0) fail_os(code, "read", shown_);
    return static_cast<std::int64_t>(done);
  }

  void write(std::int64_t offset, std::span<const std::byte> bytes) override {
    if (limit_ != nullptr) limit_->take(static_cast<std::int64_t>(bytes.size()), nullptr);
    write_all(descriptor_.get(), offset, bytes, shown_);
  }

  void sync() override {
    if (uninterrupted([&] { return ::fsync(descriptor_.get()); }) != 0) fail_os(errno, "sync", shown_);
  }

  bool is_cached() const noexcept override { return true; }

  std::shared_ptr<Mapping> map(std::int64_t size) override {
    return std::make_shared<OsMapping>(descriptor_.get(), static_cast<std::size_t>(size), shown_);
  }

 private:
  Descriptor descriptor_;
  std::string shown_;
  std::shared_ptr<RateLimit> limit_;
};

// A forked child has the same lock by its copy of the descriptor. So closing it here is not enough while a child lives, and letting
// go of it there would take it from its parent.
class OsLock final : public Lock {
 public:
  // directory: in which the locked file has this name. shown: the path for messages.
  OsLock(Descriptor descriptor, Descriptor directory, std::string name, std::string shown)
      : descriptor_(std::move(descriptor)), directory_(std::move(directory)), name_(std::move(name)), shown_(std::move(shown)) {}
  ~OsLock() override {
    if (owner_ == ::getpid()) uninterrupted([&] { return ::flock(descriptor_.get(), LOCK_UN); });
  }
  OsLock(const OsLock&) = delete;
  OsLock& operator=(const OsLock&) = delete;

  // flock locks a file, not its name: a program that unlinks the file lets the next writer lock another file of that name.
  void require_held() const override {
    if (!is_lost_.load(std::memory_order_relaxed)) look();
    if (!is_lost_.load(std::memory_order_relaxed)) return;
    base::fail(base::Status::busy, base::quote(shown_),
               ", which this writer has locked, was removed or replaced by another program, ",
               "so a second writer can have locked a new file of that name: this one saves and removes nothing any more; open the "
               "storage again to continue");
  }

 private:
  // A lost lock stays lost: a second writer may have opened meanwhile, even if the file has its name again.
  void look() const {
    const struct stat locked = status_of(descriptor_.get(), shown_);
    if (status_of(directory_.get(), shown_).st_nlink == 0) return;  // no process can make a file in a removed directory
    struct stat named {};
    const bool is_there = ::fstatat(directory_.get(), name_.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0;
    if (!is_there && errno != ENOENT) fail_os(errno, "examine", shown_);
    // The inode number of an open file is not used again, so an equal number is the same file, which has this name as a link.
    const bool is_same = is_there && named.st_dev == locked.st_dev && named.st_ino == locked.st_ino;
    if (!is_same || (locked.st_nlink == 0 && named.st_nlink > 0)) is_lost_.store(true, std::memory_order_relaxed);
  }

  Descriptor descriptor_;
  Descriptor directory_;
  std::string name_;
  std::string shown_;
  mutable std::atomic<bool> is_lost_{false};
  pid_t owner_ = ::getpid();
};

// The process id that a holder wrote into its lock file; "" when it has written none yet.
std::string holder_of(int descriptor) {
  std::array<char, 32> text{};
  const ssize_t count = uninterrupted([&] { return ::pread(descriptor, text.data(), text.size(), 0); });
  const std::string_view read(text.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  return std::string(read.substr(0, read.find_first_not_of("0123456789")));
}

void sync_open_directory(int descriptor, const std::string& shown) {
  const int result = uninterrupted([&] { return ::fsync(descriptor); });
  // Some file systems cannot sync a directory and say so by EINVAL; they have nothing better to offer.
  if (result != 0 && errno != EINVAL) fail_os(errno, "sync directory", shown);
}

class FileSystem final : public Storage {
 public:
  FileSystem(Descriptor root, std::string name, const WriteOptions& options)
      : root_(std::move(root)),
        name_(std::move(name)),
        first_path_(options.first),
        stream_from_bytes_(options.stream_from_bytes),
        may_compress_(options.may_compress) {
    if (options.bytes_per_second == 0) return;
    for (auto* const limit : {&limit_, &scratch_read_limit_})
      *limit = std::make_shared<RateLimit>(options.bytes_per_second, std::int64_t{chunk_bytes}, options.clock, options.sleep);
  }

  std::unique_ptr<File> create(const std::string& path) override {
    return std::make_unique<OsFile>(make(path), shown(path), limit_);
  }

  std::unique_ptr<File> create_stream(const std::string& path, const StreamOptions& options) override {
    Descriptor made = make(path, options.mode);
    if (options.expected_bytes < stream_from_bytes_) return std::make_unique<OsFile>(std::move(made), shown(path), limit_);
    try {
      return std::make_unique<StreamFile>(std::move(made), shown(path), options, first_path_, limit_);
    } catch (...) {
      const Place place = find(path);
      ::unlinkat(place.directory(), place.leaf.c_str(), 0);  // no room for it, most likely: nothing stays of it
      throw;
    }
  }

  std::unique_ptr<Scratch> create_scratch(std::int64_t bytes) override {
    const WritePath first = bytes < stream_from_bytes_ ? WritePath::buffered : first_path_;
    return std::make_unique<ScratchFile>(make_unnamed(), shown("(scratch file)"), bytes, first,
                                         ScratchFile::Limits{limit_, scratch_read_limit_});
  }

  std::unique_ptr<File> open(const std::string& path) override {
    const Place place = find(path);
    // Without O_NONBLOCK a pipe put in a file's place would hold the caller for ever.
    auto file = open_at(place.directory(), place.leaf, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, "open", shown(path));
    require_regular(status_of(file.get(), shown(path)), shown(path));
    return std::make_unique<OsFile>(std::move(file), shown(path));
  }

  void rename(const std::string& from, const std::string& to) override {
    const Place source = find(from);
    const Place target = find(to);
    if (::renameat(source.directory(), source.leaf.c_str(), target.directory(), target.leaf.c_str()) != 0) {
      fail_os(errno, base::cat("rename ", base::quote(shown(from)), " to"), shown(to));
    }
  }

  bool link(const std::string& from, const std::string& to) override {
    const Place source = find(from);
    const Place target = find(to);
    if (::linkat(source.directory(), source.leaf.c_str(), target.directory(), target.leaf.c_str(), 0) == 0) return true;
    // No links here, too many of this file, another user's file, or a file system below that differs.
    if (errno == EPERM || errno == EMLINK || errno == ENOTSUP || errno == EXDEV || errno == ENOSYS || errno == EACCES) return false;
    fail_os(errno, base::cat("link ", base::quote(shown(from)), " as"), shown(to));
  }

  void remove(const std::string& path) override { unlink(path, 0); }
  void remove_directory(const std::string& path) override { unlink(path, AT_REMOVEDIR); }

  void make_directory(const std::string& path) override {
    const Place place = find(path);
    if (::mkdirat(place.directory(), place.leaf.c_str(), 0777) != 0) fail_os(errno, "make directory", shown(path));
  }

  void sync_directory(const std::string& path) override {
    sync_open_directory(open_directory(path, "open directory").get(), shown(path));
  }

  std::vector<Entry> list(const std::string& path) override {
    Descriptor descriptor = open_directory(path, "list");
    const std::unique_ptr<DIR, int (*)(DIR*)> directory(::fdopendir(descriptor.get()), ::closedir);
    if (directory == nullptr) fail_os(errno, "list", shown(path));
    const int number = descriptor.give();  // closedir closes it
    std::vector<Entry> entries;
    for (;;) {
      errno = 0;
      const dirent* const found = ::readdir(directory.get());  // NOLINT(concurrency-mt-unsafe): this thread alone reads this stream
      if (found == nullptr) break;
      const std::string_view name = found->d_name;
      if (name == "." || name == "..") continue;
      struct stat status {};
      if (::fstatat(number, found->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno == ENOENT) continue;  // gone since
        fail_os(errno, "examine", shown(join(path, name)));
      }
      entries.push_back({std::string(name), S_ISDIR(status.st_mode)});
    }
    if (errno != 0) fail_os(errno, "list", shown(path));
    std::ranges::sort(entries, {}, &Entry::name);
    return entries;
  }

  std::int64_t size(const std::string& path) override {
    const Place place = find(path);
    struct stat status {};
    if (::fstatat(place.directory(), place.leaf.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) fail_os(errno, "examine", shown(path));
    require_regular(status, shown(path));
    return status.st_size;
  }

  std::optional<Stamp> stamp(const std::string& path) noexcept override {
    constexpr std::int64_t settled_ns = 2'000'000'000;  // file systems' times may have whole seconds
    try {
      const Place place = find(path);
      struct stat status {};
      if (::fstatat(place.directory(), place.leaf.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode))
        return std::nullopt;
      const std::int64_t changed_ns = ns_of(status.st_ctim);
      if (base::utc_ns() - changed_ns < settled_ns) return std::nullopt;
      return Stamp{status.st_ino, status.st_size, ns_of(status.st_mtim), changed_ns};
    } catch (...) {
      return std::nullopt;
    }
  }

  // What is kept for the superuser is there for the superuser. Remote file systems that do not know say that they have no blocks.
  std::optional<std::int64_t> free_bytes() noexcept override {
    struct statvfs status {};
    if (may_compress_ || ::fstatvfs(root_.get(), &status) != 0 || status.f_blocks == 0) return std::nullopt;
    std::int64_t bytes = 0;
    const auto blocks = ::geteuid() == 0 ? status.f_bfree : status.f_bavail;
    if (__builtin_mul_overflow(blocks, status.f_frsize, &bytes)) return std::nullopt;
    return bytes;
  }

  std::unique_ptr<Lock> lock(const std::string& path) override {
    Place place = find(path);
    auto file = open_at(place.directory(), place.leaf, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, "open lock file", shown(path));
    require_regular(status_of(file.get(), shown(path)), shown(path));
    if (uninterrupted([&] { return ::flock(file.get(), LOCK_EX | LOCK_NB); }) != 0) {
      if (errno != EWOULDBLOCK) fail_os(errno, "lock", shown(path));
      const std::string holder = holder_of(file.get());
      base::fail(base::Status::busy, base::quote(name_), " is being written by ",
                 holder.empty() ? std::string("another process") : base::cat("process ", holder), ", which holds ", path);
    }
    // The text is for people and for the message above only: the lock itself is the kernel's.
    const std::string text = base::cat(::getpid(), "\n");
    if (::ftruncate(file.get(), 0) != 0) fail_os(errno, "write", shown(path));
    write_all(file.get(), 0, std::as_bytes(std::span(text)), shown(path));
    Descriptor directory = open_at(place.directory(), ".", O_PATH | O_DIRECTORY, "enter", shown(path));
    auto lock = std::make_unique<OsLock>(std::move(file), std::move(directory), std::move(place.leaf), shown(path));
    lock->require_held();  // the file may have lost its name between open and flock
    return lock;
  }

  const std::string& name() const override { return name_; }
  std::string identity() const override {
    const struct stat status = status_of(root_.get(), name_);
    return base::cat("directory ", status.st_dev, ' ', status.st_ino);
  }

 private:
  // Where a path's last component lies: in an open directory.
  struct Place {
    int root;
    Descriptor held;  // empty when the directory is the root itself
    std::string leaf;
    int directory() const { return held.get() >= 0 ? held.get() : root; }
  };

  // A removed directory that is open looks like an empty one. Not NOT_FOUND: callers take that for a file that is missing.
  void require_root() const {
    if (status_of(root_.get(), name_).st_nlink == 0)
      base::fail(base::Status::invalid_state, "the root ", base::quote(name_),
                 " does not exist any more: it was removed after it was opened");
  }

  Place find(const std::string& path) {
    require_path(path);
    base::require(!path.empty(), "path is empty: the root itself is not allowed here");
    require_root();
    Place place{root_.get(), Descriptor(), path};
    for (std::size_t slash = place.leaf.find('/'); slash != std::string::npos; slash = place.leaf.find('/')) {
      const std::string component = place.leaf.substr(0, slash);
      place.held = open_at(place.directory(), component, O_PATH | O_DIRECTORY | O_NOFOLLOW, "enter", shown(path));
      place.leaf.erase(0, slash + 1);
    }
    return place;
  }

  Descriptor make(const std::string& path, std::optional<std::uint32_t> mode = {}) {
    const Place place = find(path);
    Descriptor made = open_at(place.directory(), place.leaf, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, "create", shown(path),
                              mode.value_or(everyone));
    if (mode && ::fchmod(made.get(), *mode) != 0) {  // also the bits that the umask has taken
      const int code = errno;
      ::unlinkat(place.directory(), place.leaf.c_str(), 0);
      fail_os(code, "set the mode of", shown(path));
    }
    return made;
  }

  // A file that has no name, or, where the file system makes none such, loses its own at once.
  Descriptor make_unnamed() {
    constexpr mode_t owner = 0600;
    const std::string at = shown("(scratch file)");
#if defined(O_TMPFILE)
    const int made = uninterrupted([&] { return ::openat(root_.get(), ".", O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, owner); });
    if (made >= 0) return Descriptor(made);
    // Old systems take it for a directory that is opened for writing.
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT && errno != EINVAL) fail_os(errno, "create", at);
#endif
    std::random_device random;
    for (int tries = 1;; ++tries) {
      const std::string name = base::cat(".scratch-", ::getpid(), '-', random());
      const int named = uninterrupted(
          [&] { return ::openat(root_.get(), name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, owner); });
      if (named < 0 && errno == EEXIST && tries < 100) continue;
      if (named < 0) fail_os(errno, "create", at);
      Descriptor file(named);
      if (::unlinkat(root_.get(), name.c_str(), 0) != 0) fail_os(errno, "remove", shown(name));
      return file;
    }
  }

  Descriptor open_directory(const std::string& path, const char* verb) {
    constexpr int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
    if (path.empty()) {
      require_root();
      return open_at(root_.get(), ".", flags, verb, name_);
    }
    const Place place = find(path);
    return open_at(place.directory(), place.leaf, flags, verb, shown(path));
  }

  void unlink(const std::string& path, int flags) {
    const Place place = find(path);
    if (::unlinkat(place.directory(), place.leaf.c_str(), flags) != 0) fail_os(errno, "remove", shown(path));
  }

  std::string shown(std::string_view path) const { return path.empty() ? name_ : base::cat(name_, '/', path); }

  Descriptor root_;
  std::string name_;
  WritePath first_path_;
  std::int64_t stream_from_bytes_;
  bool may_compress_;
  std::shared_ptr<RateLimit> limit_;               // of writes; nullptr: none
  std::shared_ptr<RateLimit> scratch_read_limit_;  // nullptr: none
};

// Makes a directory and those that lead to it. Each new name is made durable in the directory above it.
void make_root(const std::string& root) {
  for (std::size_t end = root.find_first_not_of('/'); end < root.size();) {
    end = std::min(root.find('/', end), root.size());
    const std::string path = root.substr(0, end);
    end = std::min(root.find_first_not_of('/', end), root.size());
    if (::mkdir(path.c_str(), 0777) != 0) {
      if (errno == EEXIST) continue;
      fail_os(errno, "make directory", path);
    }
    const std::size_t slash = path.rfind('/');
    const std::string above = slash == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1));
    sync_open_directory(open_at(AT_FDCWD, above, O_RDONLY | O_DIRECTORY, "open directory", above).get(), above);
  }
}

}  // namespace

std::shared_ptr<Storage> open_file_system(const std::string& root, Root mode, const WriteOptions& options) {
  base::require_name("root", root);
  base::require(options.stream_from_bytes >= 0, "stream_from_bytes is ", options.stream_from_bytes, "; at least 0");
  base::require(options.bytes_per_second >= 0, "bytes_per_second is ", options.bytes_per_second, "; at least 0 (no limit)");
  base::require(root.find('\0') == std::string::npos, "root holds a NUL: ", base::quote(root));
  constexpr int flags = O_RDONLY | O_DIRECTORY;
  int number = uninterrupted([&] { return ::open(root.c_str(), flags | O_CLOEXEC); });
  if (number < 0 && errno == ENOENT && mode == Root::make) {
    make_root(root);
    number = uninterrupted([&] { return ::open(root.c_str(), flags | O_CLOEXEC); });
  }
  if (number < 0) fail_os(errno, "open directory", root);
  return std::make_shared<FileSystem>(Descriptor(number), root, options);
}

std::unique_ptr<File> open_file(const std::string& path) {
  base::require(!path.empty() && path.find('\0') == std::string::npos, "path is empty or holds a NUL: ", base::quote(path));
  auto file = open_at(AT_FDCWD, path, O_RDONLY | O_NONBLOCK, "open", path);
  require_regular(status_of(file.get(), path), path);
  return std::make_unique<OsFile>(std::move(file), path);
}

}  // namespace ckpt::storage
