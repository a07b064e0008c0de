// Retries operations of unreliable storages: transient errors are retried after growing delays, permanent ones are reported at
// once.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/error.h"
#include "storage/rate_limit.h"
#include "storage/storage.h"

namespace ckpt::storage {

struct FaultPolicy {
  std::int32_t max_attempts = 5;               // including the first one
  std::int64_t first_delay_ns = 10'000'000;    // before the second attempt
  std::int64_t max_delay_ns = 10'000'000'000;  // including jitter
  double factor = 2;                           // growth of the delay per attempt
  double jitter = 0.5;                         // each delay is randomly changed by up to this fraction
  std::uint64_t seed = 0;                      // seed of the jitter
};

// Returns true for io, busy and timeout: a retry may succeed. All others (no_space, permission, corrupt, ...) are permanent.
bool is_transient(base::Status status) noexcept;

// The decision about an error: initialized by the policy; a user's function may change it.
struct RetryDecision {
  bool retry = false;
  std::int64_t delay_ns = 0;
};
// Runs on the thread of the failed operation, concurrently with others, under no lock of the handler or of a retrying storage.
// attempt: the failed one, 1 for the first. An exception that it throws replaces the error.
using Decide = std::function<void(const base::Error& error, std::int32_t attempt, RetryDecision& decision)>;

// Thread-safe: holds no lock.
class FaultHandler {
 public:
  // Fails with Error(invalid_argument) for an invalid policy. An empty sleep means a real sleep. decide is called for every error
  // except that of the last attempt and Status::cancelled; if it is empty, the policy alone decides.
  explicit FaultHandler(const FaultPolicy& policy, Sleep sleep = {}, Decide decide = {});

  // Runs body until it succeeds, fails permanently, or the attempts are used up; rethrows the last attempt's exception.
  template <class Body>
  auto run(Body&& body) {
    for (std::int32_t attempt = 1;; ++attempt) {
      try {
        return body(attempt);
      } catch (const base::Error& error) {
        if (attempt >= policy_.max_attempts || !should_retry(attempt, error)) throw;
      }
    }
  }

  // Returns the number of retries since construction.
  std::int64_t retries() const noexcept { return retries_.load(std::memory_order_relaxed); }

 private:
  // Returns whether another attempt follows; if so, counts it, logs a warning and sleeps.
  bool should_retry(std::int32_t attempt, const base::Error& error);
  std::int64_t delay_ns(std::int32_t attempt, std::int64_t number) const;

  FaultPolicy policy_;
  Sleep sleep_;
  Decide decide_;
  std::atomic<std::int64_t> retries_{0};
};

// Wraps a storage and retries its failed operations with the handler. Never retried: a sync of a file or directory, because after
// its error the system may report success for lost data; and a lock that another process holds.
std::shared_ptr<Storage> make_retrying_storage(std::shared_ptr<Storage> inner, std::shared_ptr<FaultHandler> handler);

}  // namespace ckpt::storage
