// One machine's view of a directory that several machines have mounted by NFS: listings and looked-up names are cached for some
// time, until the machine changes the directory itself (nfs(5), "Directory entry caching"; RFC 8881, 10.8). Its writes are visible
// to all at once, and an open asks the server (close-to-open).
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "storage/storage.h"

namespace ckpt::tests {

// Shared by all machines.
struct LateClock {
  std::int64_t now = 0;
  std::int64_t delay = 60;  // acdirmax
};

class LateStorage final : public storage::Storage {
 public:
  LateStorage(std::shared_ptr<storage::Storage> server, std::shared_ptr<LateClock> clock)
      : server_(std::move(server)), clock_(std::move(clock)) {}

  std::unique_ptr<storage::File> create(const std::string& path) override {
    ask_again(path);
    return server_->create(path);
  }
  std::unique_ptr<storage::File> open(const std::string& path) override {
    look_up(path);
    return server_->open(path);
  }
  void rename(const std::string& from, const std::string& to) override {
    ask_again(from);
    ask_again(to);
    server_->rename(from, to);
    if (auto moved = seen_.extract(from)) {  // the cache follows a renamed directory
      moved.key() = to;
      seen_.insert(std::move(moved));
    }
  }
  void remove(const std::string& path) override {
    ask_again(path);
    server_->remove(path);
  }
  void remove_directory(const std::string& path) override {
    ask_again(path);
    server_->remove_directory(path);
    seen_.erase(path);
  }
  void make_directory(const std::string& path) override {
    ask_again(path);
    server_->make_directory(path);
  }
  void sync_directory(const std::string& path) override { server_->sync_directory(path); }
  std::vector<storage::Entry> list(const std::string& path) override { return seen(path).entries; }
  // Sizes are attributes: those of a removed file are cached for a while, too.
  std::int64_t size(const std::string& path) override {
    look_up(path);
    auto& sizes = seen(std::string(storage::parent(path))).sizes;
    const auto known = sizes.find(path);
    return known != sizes.end() ? known->second : sizes.emplace(path, server_->size(path)).first->second;
  }
  std::unique_ptr<storage::Lock> lock(const std::string& path) override { return server_->lock(path); }
  const std::string& name() const override { return server_->name(); }

 private:
  struct Seen {
    std::int64_t at = 0;
    std::vector<storage::Entry> entries;
    std::map<std::string, std::int64_t> sizes;
  };

  Seen& seen(const std::string& directory) {
    const auto known = seen_.find(directory);
    if (known != seen_.end() && clock_->now - known->second.at < clock_->delay) return known->second;
    seen_.erase(directory);
    return seen_.emplace(directory, Seen{clock_->now, server_->list(directory), {}}).first->second;
  }
  // Caches missing names, too.
  void look_up(const std::string& path) {
    const std::string directory(storage::parent(path));
    if (!directory.empty()) look_up(directory);
    const auto& entries = seen(directory).entries;
    const std::string name = path.substr(directory.empty() ? 0 : directory.size() + 1);
    if (std::ranges::find(entries, name, &storage::Entry::name) == entries.end())
      base::fail(base::Status::not_found, path, ": not found");
  }
  // After its own change the machine asks the server again, whether or not the change succeeded.
  void ask_again(const std::string& path) { seen_.erase(std::string(storage::parent(path))); }

  std::shared_ptr<storage::Storage> server_;
  std::shared_ptr<LateClock> clock_;
  std::map<std::string, Seen> seen_;  // by directory
};

}  // namespace ckpt::tests
