// Patience with storages that fail now and then: what can pass is tried again after growing pauses, what cannot is reported at
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
  std::int32_t max_attempts = 5;               // the first one included
  std::int64_t first_delay_ns = 10'000'000;    // before the second attempt
  std::int64_t max_delay_ns = 10'000'000'000;  // jitter included
  double factor = 2;                           // each pause over the one before
  double jitter = 0.5;                         // a pause is stretched or shortened by up to this share of it
  std::uint64_t seed = 0;                      // of the jitter
};

// io, busy and timeout: another attempt may succeed. All others (no_space, permission, corrupt, ...) stay as they are.
bool may_pass(base::Status status) noexcept;

// What becomes of an error: holds what the rule says, for a user's function to change.
struct Verdict {
  bool retry = false;
  std::int64_t delay_ns = 0;
};
// Runs on the thread whose operation failed, several at once, under no lock of the handler or of a retrying storage. attempt: the
// one that failed, 1 for the first. What it throws is thrown in the place of the error.
using Decide = std::function<void(const base::Error& error, std::int32_t attempt, Verdict& verdict)>;

// Synchronised: holds no lock.
class FaultHandler {
 public:
  // Error(invalid_argument) for a policy that makes no sense. An empty sleep really sleeps. decide is asked about each error but
  // the last attempt's and Status::cancelled; an empty one leaves it to the rule.
  explicit FaultHandler(const FaultPolicy& policy, Sleep sleep = {}, Decide decide = {});

  // Runs body until it succeeds, fails for good, or the attempts are used up; throws what the last attempt threw.
  template <class Body>
  auto run(Body&& body) {
    for (std::int32_t attempt = 1;; ++attempt) {
      try {
        return body(attempt);
      } catch (const base::Error& error) {
        if (attempt >= policy_.max_attempts || !goes_on(attempt, error)) throw;
      }
    }
  }

  // How often something was tried again, since the start.
  std::int64_t retries() const noexcept { return retries_.load(std::memory_order_relaxed); }

 private:
  // Whether another attempt follows; counts it, warns and sleeps then.
  bool goes_on(std::int32_t attempt, const base::Error& error);
  std::int64_t delay_ns(std::int32_t attempt, std::int64_t number) const;

  FaultPolicy policy_;
  Sleep sleep_;
  Decide decide_;
  std::atomic<std::int64_t> retries_{0};
};

// A storage before another one that tries again, by the handler, what fails. What is never tried again: a sync of a file or
// directory, because after its error the system may report success for what it has lost; and a lock that another process holds.
std::shared_ptr<Storage> make_retrying_storage(std::shared_ptr<Storage> inner, std::shared_ptr<FaultHandler> handler);

}  // namespace ckpt::storage
