#include "base/progress.h"

#include <memory>
#include <utility>

#include "base/log.h"
#include "base/os/thread_end.h"

namespace ckpt::base {
namespace {

constexpr std::int64_t bytes_between_reports = std::int64_t{4} << 20;

using Sink = std::shared_ptr<const ProgressSink>;
constinit thread_local Sink* sink_of_thread = nullptr;
constinit thread_local bool inside_report = false;
constinit thread_local const Progress* reporting = nullptr;  // the operation of this thread that reports progress

struct InsideReport {
  InsideReport() { inside_report = true; }
  ~InsideReport() { inside_report = false; }
};

ThreadEnd sink_ends([](void* sink) {
  sink_of_thread = nullptr;
  delete static_cast<Sink*>(sink);
});

}  // namespace

void set_progress(ProgressSink sink) {
  if (sink_of_thread == nullptr) {
    if (!sink) return;
    auto place = std::make_unique<Sink>();
    if (!sink_ends.arrange(place.get())) fail(Status::out_of_memory, "no memory for the thread's progress function");
    sink_of_thread = place.release();
  }
  // The old sink is destroyed last: its destructor may run code that sets another one.
  const auto old = std::exchange(*sink_of_thread, sink ? std::make_shared<const ProgressSink>(std::move(sink)) : nullptr);
}

Progress::Progress(std::int64_t passes)
    : sink_(sink_of_thread == nullptr || inside_report || is_inside_log_sink() || reporting != nullptr ? nullptr : *sink_of_thread),
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
