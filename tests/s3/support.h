// Support for the tests of libckpt-s3: calls a storage's functions as libckpt does, and collects their reasons.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bucket.h"
#include "config.h"
#include "storage.h"

namespace s3_test {

// Returns the reason of the last failure on this thread.
std::string& reason();
// Returns every reason of this process so far.
std::vector<std::string> all_reasons();

// Sets an environment variable during its lifetime.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) before_ = old, was_set_ = true;
    setenv(name, value.c_str(), 1);
  }
  explicit Variable(const char* name) : name_(name) {
    if (const char* old = std::getenv(name)) before_ = old, was_set_ = true;
    unsetenv(name);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { was_set_ ? setenv(name_, before_.c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::string before_;
  bool was_set_ = false;
};

// An open file.
class Opened {
 public:
  Opened(const ckpt_storage_callbacks& calls, void* data, void* file) : calls_(calls), data_(data), file_(file) {}
  Opened(Opened&& other) noexcept : calls_(other.calls_), data_(other.data_), file_(std::exchange(other.file_, nullptr)) {}
  Opened& operator=(Opened&&) = delete;
  ~Opened() { close(); }
  void close() {
    if (file_ != nullptr) calls_.close(std::exchange(file_, nullptr), data_);
  }

  std::int64_t size() const {
    std::int64_t bytes = -1;
    EXPECT_EQ(calls_.file_size(file_, &bytes, data_), CKPT_OK) << reason();
    return bytes;
  }
  std::int32_t write(std::int64_t offset, std::string_view bytes) const {
    return calls_.write(file_, offset, bytes.data(), static_cast<std::int64_t>(bytes.size()), data_);
  }
  std::int32_t sync() const { return calls_.sync(file_, data_); }
  std::int32_t read(std::int64_t offset, std::int64_t bytes, std::string& into) const {
    into.assign(static_cast<std::size_t>(bytes), '\0');
    std::int64_t count = -1;
    const std::int32_t code = calls_.read(file_, offset, into.data(), bytes, &count, data_);
    if (code == CKPT_OK) into.resize(static_cast<std::size_t>(count));
    return code;
  }
  std::int32_t ranges(const std::vector<ckpt_storage_range>& ranges) const {
    return calls_.read_ranges(file_, ranges.data(), static_cast<std::int64_t>(ranges.size()), data_);
  }
  explicit operator bool() const { return file_ != nullptr; }

 private:
  const ckpt_storage_callbacks& calls_;
  void* data_;
  void* file_;
};

class Store {
 public:
  // change: modifies the configuration, for settings that users cannot choose.
  explicit Store(
      const std::string& uri, const ckpt_s3_options& options, const std::function<void(ckpt::s3::Config&)>& change = [](auto&) {})
      : calls(ckpt::s3::fill_callbacks()) {
    ckpt::s3::FullConfig full = ckpt::s3::make_config(uri, options);
    change(full.config);
    storage_ = std::make_unique<ckpt::s3::Storage>(std::move(full));
    data = storage_.get();
  }

  ckpt::s3::Client& client() { return storage_->client(); }

  Opened create(const std::string& path, std::int64_t expected = 0) {
    void* file = nullptr;
    EXPECT_EQ(calls.create_stream(path.c_str(), expected, &file, data), CKPT_OK) << reason();
    return {calls, data, file};
  }
  std::int32_t try_open(const std::string& path) {
    void* file = nullptr;
    const std::int32_t code = calls.open(path.c_str(), &file, data);
    if (code == CKPT_OK) calls.close(file, data);
    return code;
  }
  Opened open(const std::string& path) {
    void* file = nullptr;
    EXPECT_EQ(calls.open(path.c_str(), &file, data), CKPT_OK) << reason();
    return {calls, data, file};
  }
  // Writes a file and syncs it; returns the status.
  std::int32_t put(const std::string& path, std::string_view bytes) {
    const Opened file = create(path, static_cast<std::int64_t>(bytes.size()));
    const std::int32_t code = file.write(0, bytes);
    return code == CKPT_OK ? file.sync() : code;
  }
  std::int32_t get(const std::string& path, std::string& bytes) {
    void* raw = nullptr;
    if (const std::int32_t code = calls.open(path.c_str(), &raw, data); code != CKPT_OK) return code;
    const Opened file(calls, data, raw);
    return file.read(0, file.size(), bytes);
  }
  std::string text(const std::string& path) {
    std::string bytes;
    EXPECT_EQ(get(path, bytes), CKPT_OK) << path << ": " << reason();
    return bytes;
  }
  std::int32_t put_if_absent(const std::string& path, std::string_view bytes) {
    return calls.put_if_absent(path.c_str(), bytes.data(), static_cast<std::int64_t>(bytes.size()), data);
  }
  std::int32_t remove(const std::string& path) { return calls.remove(path.c_str(), data); }
  std::int32_t size(const std::string& path, std::int64_t& bytes) { return calls.size(path.c_str(), &bytes, data); }
  std::int32_t remove_many(const std::vector<std::string>& paths) {
    std::vector<const char*> all;
    for (const std::string& path : paths) all.push_back(path.c_str());
    return calls.remove_many(all.data(), static_cast<std::int64_t>(all.size()), data);
  }
  using Found = std::vector<std::pair<std::string, std::int64_t>>;
  std::int32_t list(const std::string& prefix, const std::string& after, std::int64_t limit, Found& found) {
    found.clear();
    const ckpt_storage_object_fn add = [](void* listing, const char* path, std::int64_t bytes) -> std::int32_t {
      static_cast<Found*>(listing)->emplace_back(path, bytes);
      return CKPT_OK;
    };
    return calls.list_from(prefix.c_str(), after.c_str(), limit, add, &found, data);
  }
  // Removes all objects of the store.
  void clear() {
    Found found;
    ASSERT_EQ(list("", "", 1000000, found), CKPT_OK) << reason();
    std::vector<std::string> paths;
    for (const auto& [path, bytes] : found) paths.push_back(path);
    if (!paths.empty()) {
      ASSERT_EQ(remove_many(paths), CKPT_OK) << reason();
    }
  }

  ckpt_storage_callbacks calls;
  void* data = nullptr;

 private:
  std::unique_ptr<ckpt::s3::Storage> storage_;
};

// Checks that the call failed with this status, and that its reason contains the text.
void expect_failure(std::int32_t code, ckpt_status status, std::string_view text);

}  // namespace s3_test
