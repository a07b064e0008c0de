#include "storage/memory.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <set>

#include "base/error.h"
#include "base/fork_mutex.h"
#include "base/os/memory.h"

namespace ckpt::storage {
namespace {

using base::fail;
using base::quote;
using base::Status;

struct Contents {
  base::ForkMutex mutex;
  std::vector<std::byte> bytes;
};

class MemoryFile final : public File {
 public:
  MemoryFile(std::shared_ptr<Contents> contents, bool writable) : contents_(std::move(contents)), writable_(writable) {}

  std::int64_t size() override {
    const std::lock_guard lock(contents_->mutex);
    return static_cast<std::int64_t>(contents_->bytes.size());
  }

  std::int64_t read(std::int64_t offset, std::span<std::byte> bytes) override {
    const std::lock_guard lock(contents_->mutex);
    const auto begin = static_cast<std::size_t>(offset);
    if (begin >= contents_->bytes.size()) return 0;
    const std::size_t count = std::min(bytes.size(), contents_->bytes.size() - begin);
    if (count > 0) std::memcpy(bytes.data(), contents_->bytes.data() + begin, count);
    return static_cast<std::int64_t>(count);
  }

  void write(std::int64_t offset, std::span<const std::byte> bytes) override {
    if (!writable_) fail(Status::permission, "the file is opened for reading only");
    const std::lock_guard lock(contents_->mutex);
    const auto begin = static_cast<std::size_t>(offset);
    if (contents_->bytes.size() < begin + bytes.size()) contents_->bytes.resize(begin + bytes.size());
    if (!bytes.empty()) std::memcpy(contents_->bytes.data() + begin, bytes.data(), bytes.size());
  }

  void sync() override {}

 private:
  std::shared_ptr<Contents> contents_;
  bool writable_;
};

class MemoryScratch final : public Scratch {
 public:
  explicit MemoryScratch(std::int64_t bytes) : pages_(base::map_pages(static_cast<std::size_t>(bytes))) {}

  void write(std::int64_t offset, std::span<const std::byte> bytes, const std::atomic<bool>&) override {
    std::ranges::copy(bytes, pages_.get() + offset);
  }
  void read(std::int64_t offset, std::span<std::byte> bytes, const std::atomic<bool>&) override {
    std::copy_n(pages_.get() + offset, bytes.size(), bytes.data());
  }

 private:
  base::Pages pages_;
};

// Shared by the storage and its locks, which may outlive it.
struct Locks {
  base::ForkMutex mutex;
  std::set<std::string> held;
};

class MemoryLock final : public Lock {
 public:
  MemoryLock(std::shared_ptr<Locks> locks, std::string path) : locks_(std::move(locks)), path_(std::move(path)) {}
  // In a forked child the lock stays taken: it belongs to the parent.
  ~MemoryLock() override {
    if (generation_ != base::fork_generation()) return;
    const std::lock_guard lock(locks_->mutex);
    locks_->held.erase(path_);
  }

 private:
  std::shared_ptr<Locks> locks_;
  std::string path_;
  std::uint64_t generation_ = base::fork_generation();
};

class Memory final : public Storage {
 public:
  std::unique_ptr<File> create(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    require_new(path);
    auto contents = std::make_shared<Contents>();
    nodes_[path] = contents;
    return std::make_unique<MemoryFile>(std::move(contents), true);
  }

  std::unique_ptr<Scratch> create_scratch(std::int64_t bytes) override { return std::make_unique<MemoryScratch>(bytes); }

  std::unique_ptr<File> open(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    return std::make_unique<MemoryFile>(file(path), false);
  }

  void rename(const std::string& from, const std::string& to) override {
    const std::lock_guard lock(mutex_);
    const auto node = require_existing(from)->second;
    require_parent(to);
    const auto target = nodes_.find(to);
    if (from == to) return;
    if (target != nodes_.end() && (node == nullptr || target->second == nullptr)) fail_taken(to);
    base::require(!to.starts_with(join(from, "")), "cannot move ", quote(from), " into itself");
    nodes_.erase(from);
    nodes_[to] = node;
    if (node != nullptr) return;
    const std::string prefix = from + '/';
    for (auto it = nodes_.lower_bound(prefix); it != nodes_.end() && it->first.starts_with(prefix); it = nodes_.erase(it)) {
      nodes_[join(to, it->first.substr(prefix.size()))] = it->second;
    }
  }

  bool link(const std::string& from, const std::string& to) override {
    const std::lock_guard lock(mutex_);
    const auto contents = file(from);
    require_new(to);
    nodes_[to] = contents;
    return true;
  }

  void remove(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    file(path);
    nodes_.erase(path);
  }

  void remove_directory(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    require_directory(path);
    const auto below = nodes_.lower_bound(path + '/');
    if (below != nodes_.end() && below->first.starts_with(path + '/')) {
      fail(Status::already_exists, "cannot remove ", quote(path), ": it is not empty");
    }
    nodes_.erase(path);
  }

  void make_directory(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    require_new(path);
    nodes_[path] = nullptr;
  }

  void sync_directory(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    if (!path.empty()) require_directory(path);
  }

  std::vector<Entry> list(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    if (!path.empty()) require_directory(path);
    const std::string prefix = path.empty() ? "" : path + '/';
    std::vector<Entry> entries;
    for (auto it = nodes_.lower_bound(prefix); it != nodes_.end() && it->first.starts_with(prefix); ++it) {
      const std::string name = it->first.substr(prefix.size());
      if (name.find('/') == std::string::npos) entries.push_back({name, it->second == nullptr});
    }
    return entries;
  }

  std::int64_t size(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    return MemoryFile(file(path), false).size();
  }

  std::unique_ptr<Lock> lock(const std::string& path) override {
    require_path(path);
    const std::lock_guard lock(locks_->mutex);
    if (!locks_->held.insert(path).second)
      fail(Status::busy, quote(name_), " is being written by this process, which holds ", path);
    return std::make_unique<MemoryLock>(locks_, path);
  }

  const std::string& name() const override { return name_; }

 private:
  using Nodes = std::map<std::string, std::shared_ptr<Contents>>;  // nullptr: a directory

  [[noreturn]] static void fail_taken(const std::string& path) {
    fail(Status::already_exists, "path ", quote(path), " exists already");
  }

  Nodes::iterator require_existing(const std::string& path) {
    require_path(path);
    const auto found = nodes_.find(path);
    if (found == nodes_.end()) fail(Status::not_found, "path ", quote(path), " does not exist");
    return found;
  }

  void require_directory(const std::string& path) {
    base::require(require_existing(path)->second == nullptr, quote(path), " is not a directory");
  }

  void require_parent(const std::string& path) {
    require_path(path);
    base::require(!path.empty(), "path is empty: expected a path below the root");
    const std::string above(parent(path));
    if (!above.empty()) require_directory(above);
  }

  void require_new(const std::string& path) {
    require_parent(path);
    if (nodes_.contains(path)) fail_taken(path);
  }

  const std::shared_ptr<Contents>& file(const std::string& path) {
    const auto found = require_existing(path);
    base::require(found->second != nullptr, quote(path), " is not a regular file");
    return found->second;
  }

  base::ForkMutex mutex_;
  Nodes nodes_;
  std::shared_ptr<Locks> locks_ = std::make_shared<Locks>();
  std::string name_ = "memory";
};

}  // namespace

std::shared_ptr<Storage> make_memory_storage() { return std::make_shared<Memory>(); }

}  // namespace ckpt::storage
