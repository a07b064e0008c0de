#include "storage/retry.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/log.h"
#include "base/philox.h"

namespace ckpt::storage {
namespace {

using base::Status;

class RetryingFile final : public File {
 public:
  RetryingFile(std::unique_ptr<File> file, std::shared_ptr<FaultHandler> handler)
      : file_(std::move(file)), handler_(std::move(handler)) {}

  std::int64_t size() override {
    return handler_->run([&](std::int32_t) { return file_->size(); });
  }
  std::int64_t read(std::int64_t offset, std::span<std::byte> bytes) override {
    return handler_->run([&](std::int32_t) { return file_->read(offset, bytes); });
  }
  void read_ranges(std::span<const Range> ranges) override {
    handler_->run([&](std::int32_t) { file_->read_ranges(ranges); });
  }
  bool has_ranges() const noexcept override { return file_->has_ranges(); }
  void expect(std::int64_t begin, std::int64_t end) override { file_->expect(begin, end); }
  void write(std::int64_t offset, std::span<const std::byte> bytes) override {
    handler_->run([&](std::int32_t) { file_->write(offset, bytes); });
  }
  void write_borrowed(std::int64_t offset, std::span<const std::byte> bytes) override {
    handler_->run([&](std::int32_t) { file_->write_borrowed(offset, bytes); });
  }
  void sync() override { file_->sync(); }
  bool is_cached() const noexcept override { return file_->is_cached(); }
  std::shared_ptr<Mapping> map(std::int64_t size) override {
    return handler_->run([&](std::int32_t) { return file_->map(size); });
  }

 private:
  std::unique_ptr<File> file_;
  std::shared_ptr<FaultHandler> handler_;
};

class RetryingScratch final : public Scratch {
 public:
  RetryingScratch(std::unique_ptr<Scratch> scratch, std::shared_ptr<FaultHandler> handler)
      : scratch_(std::move(scratch)), handler_(std::move(handler)) {}

  void write(std::int64_t offset, std::span<const std::byte> bytes, const std::atomic<bool>& stop) override {
    handler_->run([&](std::int32_t) { scratch_->write(offset, bytes, stop); });
  }
  void read(std::int64_t offset, std::span<std::byte> bytes, const std::atomic<bool>& stop) override {
    handler_->run([&](std::int32_t) { scratch_->read(offset, bytes, stop); });
  }

 private:
  std::unique_ptr<Scratch> scratch_;
  std::shared_ptr<FaultHandler> handler_;
};

class RetryingStorage final : public Storage {
 public:
  RetryingStorage(std::shared_ptr<Storage> inner, std::shared_ptr<FaultHandler> handler)
      : inner_(std::move(inner)), handler_(std::move(handler)) {}

  std::unique_ptr<File> create(const std::string& path) override {
    return wrapped([&] { return inner_->create(path); });
  }
  std::unique_ptr<File> create_stream(const std::string& path, const StreamOptions& options) override {
    return wrapped([&] { return inner_->create_stream(path, options); });
  }
  std::unique_ptr<Scratch> create_scratch(std::int64_t bytes) override {
    return std::make_unique<RetryingScratch>(handler_->run([&](std::int32_t) { return inner_->create_scratch(bytes); }), handler_);
  }
  std::unique_ptr<File> open(const std::string& path) override {
    return wrapped([&] { return inner_->open(path); });
  }
  void rename(const std::string& from, const std::string& to) override {
    handler_->run([&](std::int32_t) { inner_->rename(from, to); });
  }
  // If an attempt created the name although it reported an error, the existing name is the requested one.
  bool link(const std::string& from, const std::string& to) override {
    return handler_->run([&](std::int32_t attempt) {
      try {
        return inner_->link(from, to);
      } catch (const base::Error& error) {
        if (attempt == 1 || error.status() != Status::already_exists) throw;
        return true;
      }
    });
  }
  void remove(const std::string& path) override {
    removed([&] { inner_->remove(path); });
  }
  void remove_directory(const std::string& path) override {
    removed([&] { inner_->remove_directory(path); });
  }
  void make_directory(const std::string& path) override {
    handler_->run([&](std::int32_t) { inner_->make_directory(path); });
  }
  void sync_directory(const std::string& path) override { inner_->sync_directory(path); }
  std::vector<Entry> list(const std::string& path) override {
    return handler_->run([&](std::int32_t) { return inner_->list(path); });
  }
  std::int64_t size(const std::string& path) override {
    return handler_->run([&](std::int32_t) { return inner_->size(path); });
  }
  std::optional<Stamp> stamp(const std::string& path) noexcept override { return inner_->stamp(path); }
  bool is_objects() const noexcept override { return inner_->is_objects(); }
  // Error(already_exists) may be due to an earlier attempt that created the file although it reported an error: the caller must
  // check whether the existing bytes are its own.
  void put_if_absent(const std::string& path, std::span<const std::byte> bytes) override {
    handler_->run([&](std::int32_t) { inner_->put_if_absent(path, bytes); });
  }
  std::vector<Object> list_from(const std::string& prefix, const std::string& after, std::int64_t limit) override {
    return handler_->run([&](std::int32_t) { return inner_->list_from(prefix, after, limit); });
  }
  void remove_many(std::span<const std::string> paths) override {
    handler_->run([&](std::int32_t) { inner_->remove_many(paths); });
  }
  std::optional<std::int64_t> free_bytes() noexcept override { return inner_->free_bytes(); }
  // Not retried: another process may hold a lock for its whole run, so waiting is the caller's decision.
  std::unique_ptr<Lock> lock(const std::string& path) override { return inner_->lock(path); }
  const std::string& name() const override { return inner_->name(); }
  std::string identity() const override { return inner_->identity(); }

 private:
  template <class Body>
  std::unique_ptr<File> wrapped(Body&& body) {
    return std::make_unique<RetryingFile>(handler_->run([&](std::int32_t) { return body(); }), handler_);
  }

  // If an attempt removed the file although it reported an error, a later not_found means success.
  template <class Body>
  void removed(Body&& body) {
    handler_->run([&](std::int32_t attempt) {
      try {
        body();
      } catch (const base::Error& error) {
        if (attempt == 1 || error.status() != Status::not_found) throw;
      }
    });
  }

  std::shared_ptr<Storage> inner_;
  std::shared_ptr<FaultHandler> handler_;
};

}  // namespace

bool is_transient(Status status) noexcept { return status == Status::io || status == Status::busy || status == Status::timeout; }

FaultHandler::FaultHandler(const FaultPolicy& policy, Sleep sleep, Decide decide)
    : policy_(policy), sleep_(sleep ? std::move(sleep) : sleep_ns), decide_(std::move(decide)) {
  base::require(policy.max_attempts >= 1, "max_attempts is ", policy.max_attempts, "; expected at least 1");
  base::require(policy.first_delay_ns >= 0, "first_delay_ns is ", policy.first_delay_ns, "; expected at least 0");
  base::require(policy.max_delay_ns >= 0, "max_delay_ns is ", policy.max_delay_ns, "; expected at least 0");
  base::require(std::isfinite(policy.factor) && policy.factor >= 1, "factor is ", policy.factor,
                "; expected a number of at least 1");
  base::require(policy.jitter >= 0 && policy.jitter <= 1, "jitter is ", policy.jitter, "; expected 0 .. 1");
}

std::int64_t FaultHandler::delay_ns(std::int32_t attempt, std::int64_t number) const {
  const auto counter = static_cast<std::uint64_t>(number);
  const base::PhiloxCounter random = base::philox4x32({base::low_word(counter), base::high_word(counter), 0, 0},
                                                      {base::low_word(policy_.seed), base::high_word(policy_.seed)});
  const double swing = 2.0 * static_cast<double>(base::uniform_from_word(random[0])) - 1.0;  // [-1, 1)
  const double delay = static_cast<double>(policy_.first_delay_ns) * std::pow(policy_.factor, attempt - 1);
  const double swung = delay * (1.0 + policy_.jitter * swing);
  // Also true for an infinite delay, which the conversion below could not represent.
  if (!(swung < static_cast<double>(policy_.max_delay_ns))) return policy_.max_delay_ns;
  return static_cast<std::int64_t>(swung);
}

bool FaultHandler::should_retry(std::int32_t attempt, const base::Error& error) {
  const bool asks = decide_ && error.status() != Status::cancelled;
  RetryDecision decision{is_transient(error.status()), 0};
  if (asks) {
    decision.delay_ns = delay_ns(attempt, retries());
    decide_(error, attempt, decision);
  }
  if (!decision.retry) return false;
  const std::int64_t number = retries_.fetch_add(1, std::memory_order_relaxed);
  const std::int64_t delay = asks ? decision.delay_ns : delay_ns(attempt, number);
  base::warn("storage",
             base::cat(error.message(), "; attempt ", attempt + 1, " of ", policy_.max_attempts, " starts in ", delay, " ns"));
  if (delay > 0) sleep_(delay);
  return true;
}

std::shared_ptr<Storage> make_retrying_storage(std::shared_ptr<Storage> inner, std::shared_ptr<FaultHandler> handler) {
  base::require(inner != nullptr, "inner is NULL");
  base::require(handler != nullptr, "handler is NULL");
  return std::make_shared<RetryingStorage>(std::move(inner), std::move(handler));
}

}  // namespace ckpt::storage
