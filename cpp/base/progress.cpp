#include "base/progress.h"

#include <utility>

#include "base/log.h"

namespace ckpt::base {
namespace {

constexpr std::int64_t bytes_between_reports = std::int64_t{4} << 20;

thread_local std::shared_ptr<const ProgressSink> sink_of_thread;
thread_local bool inside_report = false;
thread_local const Progress* reporting = nullptr;  // of the thread's long call that reports

struct InsideReport {
  InsideReport() { inside_report = true; }
  ~InsideReport() { inside_report = false; }
};

}  // namespace

void set_progress(ProgressSink sink) {
  // The old one goes last: what is destroyed with it may set another one.
  const auto old = std::exchange(sink_of_thread, sink ? std::make_shared<const ProgressSink>(std::move(sink)) : nullptr);
}

Progress::Progress(std::int64_t passes)
    : sink_(inside_report || is_inside_log_sink() || reporting != nullptr ? nullptr : sink_of_thread),
      passes_(passes),
      due_(bytes_between_reports * passes) {
  if (sink_ != nullptr) reporting = this;
}

Progress::~Progress() {
  if (reporting == this) reporting = nullptr;
}

void Progress::begin(std::int64_t bytes) {
  const std::int64_t done = done_.load();
  total_ = done + bytes;
  if (sink_ != nullptr) report(done);
}

void Progress::finish() {
  if (sink_ != nullptr && reported_ != total_.load()) report(total_.load());
}

void Progress::report(std::int64_t done) {
  due_ = done + bytes_between_reports * passes_;
  reported_ = done;
  const InsideReport inside;
  try {
    (*sink_)(done / passes_, total_.load() / passes_);
  } catch (const Error& error) {
    throw ProgressFailed(error.status(), error.message());
  }
}

}  // namespace ckpt::base
