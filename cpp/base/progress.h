// How far a long call is, reported to the function that its thread has set.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

#include "base/error.h"

namespace ckpt::base {

using ProgressSink = std::function<void(std::int64_t done_bytes, std::int64_t total_bytes)>;

// For the long calls that this thread begins from now on; an empty sink: none. A base::Error that it throws ends the call.
void set_progress(ProgressSink sink);

// What a long call throws when its sink has failed: no fault of what is read or written, so nothing else is tried.
class ProgressFailed final : public Error {
 public:
  using Error::Error;
};

// The progress of one long call, made where the call begins. The sink runs on that thread only, about every 4 MiB; none inside a
// sink, and none for a long call that a callback makes inside another one, or a log callback makes: numbers of two would mix.
class Progress {
 public:
  // passes: how often each byte is gone through. What is to come and what is done are divided by it.
  explicit Progress(std::int64_t passes = 1);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // So many are to come from now on, whatever was expected before. The first report.
  void begin(std::int64_t bytes);
  // So many more are to come.
  void extend(std::int64_t bytes) noexcept { total_.fetch_add(bytes, std::memory_order_relaxed); }
  // So many of them are done. Any thread.
  void add(std::int64_t bytes) {
    const std::int64_t done = done_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    if (sink_ != nullptr && std::this_thread::get_id() == thread_ && done >= due_) report(done);
  }
  // All is done: the last report.
  void finish();

 private:
  void report(std::int64_t done);

  const std::shared_ptr<const ProgressSink> sink_;
  const std::int64_t passes_;
  std::atomic<std::int64_t> total_ = 0;
  std::atomic<std::int64_t> done_ = 0;
  // Of the thread that made this object.
  const std::thread::id thread_ = std::this_thread::get_id();
  std::int64_t due_;            // when the next report is made
  std::int64_t reported_ = -1;  // bytes that the last one said were done
};

}  // namespace ckpt::base
