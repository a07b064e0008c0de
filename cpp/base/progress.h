// Reports the progress of long operations to the function that the calling thread has set.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

#include "base/error.h"

namespace ckpt::base {

using ProgressSink = std::function<void(std::int64_t done_bytes, std::int64_t total_bytes)>;

// Applies to operations that this thread begins afterwards; an empty sink disables reports. If the sink throws base::Error, the
// operation fails.
void set_progress(ProgressSink sink);

// Thrown by an operation after its sink failed. Not a fault of the data, so callers do not retry or fall back.
class ProgressFailed final : public Error {
 public:
  using Error::Error;
};

// The progress of one operation, constructed where the operation begins. The sink runs on that thread only, about every 4 MiB.
// Operations inside a sink, inside another operation's callback or inside a log callback report nothing: the numbers of two
// operations would mix.
class Progress {
 public:
  // passes: how many times each byte is processed. Totals and progress are divided by it.
  explicit Progress(std::int64_t passes = 1);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Sets the remaining amount, replacing any earlier expectation, and makes the first report.
  void begin(std::int64_t bytes);
  // Adds to the expected total.
  void extend(std::int64_t bytes) noexcept { total_.fetch_add(bytes, std::memory_order_relaxed); }
  // Adds completed bytes. Any thread.
  void add(std::int64_t bytes) {
    const std::int64_t done = done_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    if (sink_ != nullptr && std::this_thread::get_id() == thread_ && done >= due_) report(done);
  }
  // Makes the last report, with everything done.
  void finish();

 private:
  void report(std::int64_t done);

  const std::shared_ptr<const ProgressSink> sink_;
  const std::int64_t passes_;
  std::atomic<std::int64_t> total_ = 0;
  std::atomic<std::int64_t> done_ = 0;
  // The thread that constructed this object.
  const std::thread::id thread_ = std::this_thread::get_id();
  std::int64_t due_;            // completed bytes at which the next report is made
  std::int64_t reported_ = -1;  // completed bytes of the last report
};

}  // namespace ckpt::base
