#include "storage/file_system.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "storage/descriptor.h"
#include "storage/listing.h"
#include "storage/open_at.h"
#include "storage/os_error.h"
#include "storage/scratch_file.h"

namespace ckpt::storage {
namespace {

std::int64_t ns_of(const timespec& time) { return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; }

class OsMapping final : public Mapping {
 public:
  OsMapping(int descriptor, std::size_t size, const std::string& shown) : size_(size) {
    if (size == 0) return;  // mmap rejects 0 bytes
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

void sync_open_directory(int descriptor, const std::string& shown) {
  const int result = uninterrupted([&] { return ::fsync(descriptor); });
  // Some file systems cannot sync a directory and report EINVAL; no alternative exists there.
  if (result != 0 && errno != EINVAL) fail_os(errno, "sync directory", shown);
}

class FileSystem final : public Storage {
 public:
  FileSystem(Descriptor root, std::string name, const WriteOptions& options)
      : root_(std::move(root)),
        name_(std::move(name)),
        first_path_(options.first),
        stream_from_bytes_(options.stream_from_bytes),
        may_compress_(options.may_compress),
        lock_kind_(options.lock) {
    if (options.bytes_per_second == 0) return;
    for (auto* const limit : {&limit_, &scratch_read_limit_})
      *limit = std::make_shared<RateLimit>(options.bytes_per_second, std::int64_t{chunk_bytes}, options.clock, options.sleep);
  }

  std::unique_ptr<File> create(const std::string& path) override {
    return std::make_unique<OsFile>(make(path), shown(path), limit_);
  }

  std::unique_ptr<File> create_stream(const std::string& path, const StreamOptions& options) override {
    Descriptor created = make(path, options.mode);
    if (options.expected_bytes < stream_from_bytes_) return std::make_unique<OsFile>(std::move(created), shown(path), limit_);
    try {
      return std::make_unique<StreamFile>(std::move(created), shown(path), options, first_path_, limit_);
    } catch (...) {
      const Place place = find(path);
      ::unlinkat(place.directory(), place.leaf.c_str(), 0);  // most likely out of space: the incomplete file is removed
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
    // Without O_NONBLOCK, opening a FIFO that replaced the file would block indefinitely.
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
    // The file system has no hard links, the file has too many or belongs to another user, or the target is on another file
    // system.
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

  std::vector<Entry> list(const std::string& path) override { return list_directory(open_directory(path, "list"), shown(path)); }

  std::int64_t size(const std::string& path) override {
    const Place place = find(path);
    struct stat status {};
    if (::fstatat(place.directory(), place.leaf.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) fail_os(errno, "examine", shown(path));
    require_regular(status, shown(path));
    return status.st_size;
  }

  std::optional<Stamp> stamp(const std::string& path) noexcept override {
    constexpr std::int64_t settled_ns = 2'000'000'000;  // some file systems store times in whole seconds
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

  // Blocks reserved for the superuser count only for the superuser. Remote file systems without the information report 0 blocks.
  std::optional<std::int64_t> free_bytes() noexcept override {
    struct statvfs status {};
    if (may_compress_ || ::fstatvfs(root_.get(), &status) != 0 || status.f_blocks == 0) return std::nullopt;
    std::int64_t bytes = 0;
    const auto blocks = ::geteuid() == 0 ? status.f_bfree : status.f_bavail;
    if (__builtin_mul_overflow(blocks, status.f_frsize, &bytes)) return std::nullopt;
    return bytes;
  }

  std::unique_ptr<Lock> lock(const std::string& path) override {
    const Place place = find(path);
    return take_lock(lock_kind_, {place.directory(), place.leaf, path, shown(path), name_});
  }

  const std::string& name() const override { return name_; }
  std::string identity() const override {
    const struct stat status = status_of(root_.get(), name_);
    return base::cat("directory ", status.st_dev, ' ', status.st_ino);
  }

 private:
  // A path's last component and the open directory that contains it.
  struct Place {
    int root;
    Descriptor held;  // empty if the directory is the root itself
    std::string leaf;
    int directory() const { return held.get() >= 0 ? held.get() : root; }
  };

  // A removed directory that is still open appears empty. Not NOT_FOUND: callers would take that for a missing file.
  void require_root() const {
    if (status_of(root_.get(), name_).st_nlink == 0) {
      base::fail(base::Status::invalid_state, "the root ", base::quote(name_),
                 " no longer exists: it was removed after it was opened");
    }
  }

  Place find(const std::string& path) {
    require_path(path);
    base::require(!path.empty(), "path is empty: expected a path below the root");
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
    Descriptor created = open_at(place.directory(), place.leaf, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, "create", shown(path),
                                 mode.value_or(everyone));
    if (mode && ::fchmod(created.get(), *mode) != 0) {  // also the bits that the umask has removed
      const int code = errno;
      ::unlinkat(place.directory(), place.leaf.c_str(), 0);
      fail_os(code, "set the mode of", shown(path));
    }
    return created;
  }

  // Creates a file without a name (O_TMPFILE), or, where the file system does not support that, unlinks a named one at once.
  Descriptor make_unnamed() {
    constexpr mode_t owner = 0600;
    const std::string at = shown("(scratch file)");
#if defined(O_TMPFILE)
    const int created = uninterrupted([&] { return ::openat(root_.get(), ".", O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, owner); });
    if (created >= 0) return Descriptor(created);
    // Old systems treat O_TMPFILE as opening a directory for writing.
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
  LockKind lock_kind_;
  std::shared_ptr<RateLimit> limit_;               // of writes; nullptr: unlimited
  std::shared_ptr<RateLimit> scratch_read_limit_;  // nullptr: unlimited
};

// Creates a directory and its missing parents. Each new name is made durable by a sync of its parent directory.
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
  base::require(options.stream_from_bytes >= 0, "stream_from_bytes is ", options.stream_from_bytes, "; expected at least 0");
  base::require(options.bytes_per_second >= 0, "bytes_per_second is ", options.bytes_per_second,
                "; expected at least 0 (no limit)");
  base::require(root.find('\0') == std::string::npos, "root contains a NUL: ", base::quote(root));
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
  base::require(!path.empty() && path.find('\0') == std::string::npos, "path is empty or contains a NUL: ", base::quote(path));
  auto file = open_at(AT_FDCWD, path, O_RDONLY | O_NONBLOCK, "open", path);
  require_regular(status_of(file.get(), path), path);
  return std::make_unique<OsFile>(std::move(file), path);
}

}  // namespace ckpt::storage
