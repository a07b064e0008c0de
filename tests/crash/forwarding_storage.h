// A storage that forwards to another one; wrappers override the operations that they observe.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "storage/storage.h"

namespace ckpt::tests {

class ForwardingStorage : public storage::Storage {
 public:
  explicit ForwardingStorage(std::shared_ptr<storage::Storage> inner) : inner_(std::move(inner)) {}
  std::unique_ptr<storage::File> create(const std::string& path) override { return inner_->create(path); }
  std::unique_ptr<storage::File> open(const std::string& path) override { return inner_->open(path); }
  std::unique_ptr<storage::File> create_stream(const std::string& path, const storage::StreamOptions& options) override {
    return inner_->create_stream(path, options);
  }
  bool link(const std::string& from, const std::string& to) override { return inner_->link(from, to); }
  void rename(const std::string& from, const std::string& to) override { inner_->rename(from, to); }
  void remove(const std::string& path) override { inner_->remove(path); }
  void remove_directory(const std::string& path) override { inner_->remove_directory(path); }
  void make_directory(const std::string& path) override { inner_->make_directory(path); }
  void sync_directory(const std::string& path) override { inner_->sync_directory(path); }
  std::vector<storage::Entry> list(const std::string& path) override { return inner_->list(path); }
  std::int64_t size(const std::string& path) override { return inner_->size(path); }
  std::optional<std::int64_t> free_bytes() noexcept override { return inner_->free_bytes(); }
  std::unique_ptr<storage::Lock> lock(const std::string& path) override { return inner_->lock(path); }
  const std::string& name() const override { return inner_->name(); }

 protected:
  storage::Storage& inner() const { return *inner_; }

 private:
  std::shared_ptr<storage::Storage> inner_;
};

}  // namespace ckpt::tests
