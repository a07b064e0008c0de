// A storage that records its operations and fails on demand.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "storage/storage.h"

namespace ckpt::tests {

struct Faults {
  std::vector<std::string> log;  // every operation: "write step-.../model.safetensors.tmp1"
  std::int64_t fail_at = -1;     // the operation with this number fails ...
  bool and_all_later = false;    // ... and all later ones
  base::Status status = base::Status::io;
  std::string only;                                     // only operations of this kind are counted; "": all
  std::function<void(const std::string& line)> before;  // runs before every operation
  bool links = false;                                   // whether the storage supports hard links
  std::optional<std::int64_t> free_bytes;               // the free space that the storage reports
  std::int64_t counted = 0;
  std::int64_t fired = 0;

  // Returns true if the operation must fail.
  bool note(const std::string& kind, const std::string& path) {
    log.push_back(kind + " " + path);
    if (before) before(log.back());
    if (!only.empty() && kind != only) return false;
    const std::int64_t number = counted++;
    const bool fails = fail_at >= 0 && (number == fail_at || (and_all_later && number > fail_at));
    fired += fails ? 1 : 0;
    return fails;
  }
  void check(const std::string& kind, const std::string& path) {
    if (note(kind, path)) fail(kind, path);
  }
  [[noreturn]] void fail(const std::string& kind, const std::string& path) const {
    base::fail(status, "injected: cannot ", kind, ' ', path);
  }
};

class FaultyFile final : public storage::File {
 public:
  FaultyFile(std::unique_ptr<storage::File> file, std::string path, std::shared_ptr<Faults> faults)
      : file_(std::move(file)), path_(std::move(path)), faults_(std::move(faults)) {}

  std::int64_t size() override {
    faults_->check("file_size", path_);
    return file_->size();
  }
  std::int64_t read(std::int64_t offset, std::span<std::byte> bytes) override {
    faults_->check("read", path_);
    return file_->read(offset, bytes);
  }
  // A failing write writes the first half.
  void write(std::int64_t offset, std::span<const std::byte> bytes) override {
    const bool fails = faults_->note("write", path_);
    file_->write(offset, fails ? bytes.first(bytes.size() / 2) : bytes);
    if (fails) faults_->fail("write", path_);
  }
  void sync() override {
    faults_->check("sync", path_);
    file_->sync();
  }

 private:
  std::unique_ptr<storage::File> file_;
  std::string path_;
  std::shared_ptr<Faults> faults_;
};

// An object store if the inner storage is one.
class FaultyStorage final : public storage::Storage {
 public:
  FaultyStorage(std::shared_ptr<storage::Storage> inner, std::shared_ptr<Faults> faults)
      : inner_(std::move(inner)), faults_(std::move(faults)) {}

  std::unique_ptr<storage::File> create(const std::string& path) override {
    faults_->check("create", path);
    return std::make_unique<FaultyFile>(inner_->create(path), path, faults_);
  }
  std::unique_ptr<storage::File> create_stream(const std::string& path, const storage::StreamOptions& options) override {
    faults_->check("create", path);
    return std::make_unique<FaultyFile>(inner_->create_stream(path, options), path, faults_);
  }
  bool is_objects() const noexcept override { return inner_->is_objects(); }
  void put_if_absent(const std::string& path, std::span<const std::byte> bytes) override {
    if (!is_objects()) return Storage::put_if_absent(path, bytes);
    faults_->check("put_if_absent", path);
    inner_->put_if_absent(path, bytes);
  }
  std::vector<storage::Object> list_from(const std::string& prefix, const std::string& after, std::int64_t limit) override {
    if (!is_objects()) return Storage::list_from(prefix, after, limit);
    faults_->check("list", prefix);
    return inner_->list_from(prefix, after, limit);
  }
  void remove_many(std::span<const std::string> paths) override {
    if (!is_objects()) return Storage::remove_many(paths);
    for (const std::string& path : paths) faults_->check("remove", path);
    inner_->remove_many(paths);
  }
  std::unique_ptr<storage::File> open(const std::string& path) override {
    faults_->check("open", path);
    return std::make_unique<FaultyFile>(inner_->open(path), path, faults_);
  }
  void rename(const std::string& from, const std::string& to) override {
    faults_->check("rename", from + " " + to);
    inner_->rename(from, to);
  }
  bool link(const std::string& from, const std::string& to) override {
    if (!faults_->links) return false;
    faults_->check("link", from + " " + to);
    return inner_->link(from, to);
  }
  void remove(const std::string& path) override {
    faults_->check("remove", path);
    inner_->remove(path);
  }
  void remove_directory(const std::string& path) override {
    faults_->check("remove_directory", path);
    inner_->remove_directory(path);
  }
  void make_directory(const std::string& path) override {
    faults_->check("make_directory", path);
    inner_->make_directory(path);
  }
  void sync_directory(const std::string& path) override {
    faults_->check("sync_directory", path);
    inner_->sync_directory(path);
  }
  std::vector<storage::Entry> list(const std::string& path) override {
    faults_->check("list", path);
    return inner_->list(path);
  }
  std::int64_t size(const std::string& path) override {
    faults_->check("size", path);
    return inner_->size(path);
  }
  std::optional<std::int64_t> free_bytes() noexcept override { return faults_->free_bytes; }
  std::unique_ptr<storage::Lock> lock(const std::string& path) override {
    faults_->check("lock", path);
    return inner_->lock(path);
  }
  const std::string& name() const override { return inner_->name(); }

 private:
  std::shared_ptr<storage::Storage> inner_;
  std::shared_ptr<Faults> faults_;
};

}  // namespace ckpt::tests
