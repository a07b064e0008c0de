// A storage that counts the bytes read through it and the opened files; another storage holds the files.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "storage/storage.h"

namespace ckpt::tests {

class CountedStorage final : public storage::Storage {
 public:
  // is_cached: whether its files report that they are cached.
  explicit CountedStorage(std::shared_ptr<storage::Storage> inner, bool is_cached = false)
      : inner_(std::move(inner)), is_cached_(is_cached) {}

  struct Counts {
    std::int64_t bytes = 0;         // read from all files
    std::int64_t tensor_bytes = 0;  // read from files with tensors
    std::int64_t lists = 0;
    std::map<std::string, std::int64_t> opened = {};  // by file name
    std::int64_t max_open = 0;                        // maximum number of files open at once
  };
  Counts take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(counts_, {});
  }

  std::unique_ptr<storage::File> create(const std::string& path) override { return inner_->create(path); }
  std::unique_ptr<storage::File> open(const std::string& path) override {
    auto file = inner_->open(path);
    const std::lock_guard lock(mutex_);
    ++counts_.opened[path.substr(path.rfind('/') + 1)];
    counts_.max_open = std::max(counts_.max_open, ++open_);
    return std::make_unique<CountedFile>(*this, std::move(file), path.ends_with(".safetensors"));
  }
  void rename(const std::string& from, const std::string& to) override { inner_->rename(from, to); }
  bool link(const std::string& from, const std::string& to) override { return inner_->link(from, to); }
  void remove(const std::string& path) override { inner_->remove(path); }
  void remove_directory(const std::string& path) override { inner_->remove_directory(path); }
  void make_directory(const std::string& path) override { inner_->make_directory(path); }
  void sync_directory(const std::string& path) override { inner_->sync_directory(path); }
  std::vector<storage::Entry> list(const std::string& path) override {
    {
      const std::lock_guard lock(mutex_);
      ++counts_.lists;
    }
    return inner_->list(path);
  }
  std::int64_t size(const std::string& path) override { return inner_->size(path); }
  std::optional<storage::Stamp> stamp(const std::string& path) noexcept override { return inner_->stamp(path); }
  std::unique_ptr<storage::Lock> lock(const std::string& path) override { return inner_->lock(path); }
  const std::string& name() const override { return inner_->name(); }
  std::string identity() const override { return inner_->identity(); }

 private:
  class CountedFile final : public storage::File {
   public:
    CountedFile(CountedStorage& counts, std::unique_ptr<storage::File> inner, bool has_tensors)
        : counts_(counts), inner_(std::move(inner)), has_tensors_(has_tensors) {}
    ~CountedFile() override {
      const std::lock_guard lock(counts_.mutex_);
      --counts_.open_;
    }
    std::int64_t size() override { return inner_->size(); }
    std::int64_t read(std::int64_t offset, std::span<std::byte> bytes) override {
      const std::int64_t count = inner_->read(offset, bytes);
      const std::lock_guard lock(counts_.mutex_);
      counts_.counts_.bytes += count;
      if (has_tensors_) counts_.counts_.tensor_bytes += count;
      return count;
    }
    void write(std::int64_t offset, std::span<const std::byte> bytes) override { inner_->write(offset, bytes); }
    void sync() override { inner_->sync(); }
    bool is_cached() const noexcept override { return counts_.is_cached_; }

   private:
    CountedStorage& counts_;
    const std::unique_ptr<storage::File> inner_;
    const bool has_tensors_;
  };

  const std::shared_ptr<storage::Storage> inner_;
  const bool is_cached_;
  mutable std::mutex mutex_;
  Counts counts_;
  std::int64_t open_ = 0;
};

}  // namespace ckpt::tests
