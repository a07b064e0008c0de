// An object store in memory with several clients: counts their requests, and can make them fail, return false success, list with a
// delay, or stop permanently.
#pragma once

#include <algorithm>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "storage/objects.h"

namespace ckpt::tests {

// Shared by all clients.
struct Bucket {
  std::mutex mutex;
  std::map<std::string, std::string> objects;

  std::shared_ptr<Bucket> copy() {
    auto other = std::make_shared<Bucket>();
    other->objects = objects;
    return other;
  }
  std::string names(const std::string& prefix = "") {
    std::string out;
    for (const auto& [path, text] : objects) out += path.starts_with(prefix) ? path + ' ' : "";
    return out;
  }
  std::int64_t count(const std::string& part) {
    return std::ranges::count_if(objects, [&](const auto& object) { return object.first.find(part) != std::string::npos; });
  }
};

// The behaviour of one client's put_if_absent.
enum class Puts { conditional, unsupported, ignore_condition };

// One line for each request: "put step-.../manifest.json".
struct Requests {
  std::mutex mutex;  // protects log during a client's requests
  std::vector<std::string> log;
  std::int64_t max_ranges = 0;  // in one call
  std::function<void(const std::string& line)> before;
  std::function<void(const std::string& line)> after;  // called after the request, before its answer
  Puts puts = Puts::conditional;
  std::optional<std::map<std::string, std::string>> listed;  // listings show these instead of the actual objects

  void note(const std::string& line) {
    const std::lock_guard lock(mutex);
    log.push_back(line);
  }
  std::int64_t count(const std::string& begin = "") const {
    return std::ranges::count_if(log, [&](const std::string& line) { return line.starts_with(begin); });
  }
};

class BucketFile final : public storage::File {
 public:
  // text: the contents at the time of the open.
  BucketFile(std::shared_ptr<Bucket> bucket, std::shared_ptr<Requests> requests, std::string path, std::string text)
      : bucket_(std::move(bucket)), requests_(std::move(requests)), path_(std::move(path)), text_(std::move(text)) {}

  std::int64_t size() override { return std::ssize(text_); }
  // The first bytes were returned with the answer to open.
  std::int64_t read(std::int64_t offset, std::span<std::byte> bytes) override {
    constexpr std::int64_t with_open = 64 << 10;
    if (offset + std::ssize(bytes) > with_open && std::ssize(text_) > with_open) request("get");
    const std::int64_t count = copy(offset, bytes);
    return count;
  }
  void read_ranges(std::span<const storage::Range> ranges) override {
    requests_->max_ranges = std::max(requests_->max_ranges, std::ssize(ranges));
    for (const storage::Range& range : ranges) {
      if (range.offset + std::ssize(range.bytes) > 64 << 10) request("get");
      base::require(copy(range.offset, range.bytes) == std::ssize(range.bytes), "the range exceeds the object");
    }
  }
  bool has_ranges() const noexcept override { return true; }
  void write(std::int64_t offset, std::span<const std::byte> bytes) override {
    base::require(offset == std::ssize(text_), "offset is ", offset, "; expected ", text_.size());
    text_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  void sync() override {
    request("put");
    {
      const std::lock_guard lock(bucket_->mutex);
      bucket_->objects[path_] = text_;
    }
    if (requests_->after) requests_->after("put " + path_);
  }

 private:
  void request(const std::string& kind) {
    const std::string line = kind + ' ' + path_;
    requests_->note(line);
    if (requests_->before) requests_->before(line);
  }
  std::int64_t copy(std::int64_t offset, std::span<std::byte> bytes) const {
    const std::int64_t count = std::clamp<std::int64_t>(std::ssize(text_) - offset, 0, std::ssize(bytes));
    if (count > 0) std::memcpy(bytes.data(), text_.data() + offset, static_cast<std::size_t>(count));
    return count;
  }

  std::shared_ptr<Bucket> bucket_;
  std::shared_ptr<Requests> requests_;
  std::string path_;
  std::string text_;
};

class BucketClient final : public storage::ObjectStorage {
 public:
  explicit BucketClient(std::shared_ptr<Bucket> bucket, std::shared_ptr<Requests> requests = std::make_shared<Requests>())
      : bucket_(std::move(bucket)), requests_(std::move(requests)) {}

  std::unique_ptr<storage::File> create(const std::string& path) override {
    return std::make_unique<BucketFile>(bucket_, requests_, path, "");
  }
  std::unique_ptr<storage::File> open(const std::string& path) override {
    std::string text;
    request("get", path, [&] { text = found(path); });
    return std::make_unique<BucketFile>(bucket_, requests_, path, std::move(text));
  }
  void remove(const std::string& path) override {
    request("remove", path, [&] {
      found(path);
      bucket_->objects.erase(path);
    });
  }
  std::int64_t size(const std::string& path) override {
    std::int64_t bytes = 0;
    request("head", path, [&] { bytes = std::ssize(found(path)); });
    return bytes;
  }
  void put_if_absent(const std::string& path, std::span<const std::byte> bytes) override {
    request("put_if_absent", path, [&] {
      if (requests_->puts == Puts::unsupported) base::fail(base::Status::unsupported, "the store cannot do that");
      if (requests_->puts == Puts::conditional && bucket_->objects.contains(path))
        base::fail(base::Status::already_exists, path, " exists");
      bucket_->objects[path] = std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    });
  }
  std::vector<storage::Object> list_from(const std::string& prefix, const std::string& after, std::int64_t limit) override {
    std::vector<storage::Object> out;
    request("list", prefix, [&] {
      const auto& objects = requests_->listed ? *requests_->listed : bucket_->objects;
      for (auto it = objects.lower_bound(std::max(prefix, after)); it != objects.end() && std::ssize(out) < limit; ++it) {
        if (!it->first.starts_with(prefix)) break;
        if (it->first > after) out.push_back({it->first, std::ssize(it->second)});
      }
    });
    return out;
  }
  void remove_many(std::span<const std::string> paths) override {
    request("remove_many", paths.front(), [&] {
      for (const std::string& path : paths) bucket_->objects.erase(path);
    });
  }
  const std::string& name() const override { return name_; }
  Requests& requests() { return *requests_; }

 private:
  template <class Body>
  void request(const std::string& kind, const std::string& path, Body&& body) {
    const std::string line = kind + ' ' + path;
    requests_->note(line);
    if (requests_->before) requests_->before(line);
    std::exception_ptr refusal;
    try {
      const std::lock_guard lock(bucket_->mutex);
      body();
    } catch (const base::Error&) {
      refusal = std::current_exception();
    }
    if (requests_->after) requests_->after(line);
    if (refusal != nullptr) std::rethrow_exception(refusal);
  }
  const std::string& found(const std::string& path) const {
    const auto object = bucket_->objects.find(path);
    if (object == bucket_->objects.end()) base::fail(base::Status::not_found, "there is no ", path);
    return object->second;
  }

  std::shared_ptr<Bucket> bucket_;
  std::shared_ptr<Requests> requests_;
  std::string name_ = "bucket";
};

}  // namespace ckpt::tests
