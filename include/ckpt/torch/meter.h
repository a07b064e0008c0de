// torch/meter.h - counts the bytes that LibTorch allocates. Included by ckpt/torch.h.
#ifndef CKPT_TORCH_METER_H
#define CKPT_TORCH_METER_H

#include <ATen/core/Tensor.h>
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ckpt::torch {

using Tensors = std::vector<at::Tensor>;

// Counts the allocations of c10's allocators on this thread, and in its backward passes, from construction on. A LibTorch profiler
// that is active during this time reports no allocations. Meters of one thread must end in the reverse order of their construction.
class Meter {
 public:
  Meter() : log_(std::make_shared<Log>()), guard_(c10::DebugInfoKind::PROFILER_STATE, log_) {}

  std::int64_t live_bytes() const { return log_->replay(log_->size()).live; }
  // Returns the peak bytes since begin(), or since construction.
  std::int64_t peak_bytes() const { return log_->replay(begin_).peak; }
  void begin() { begin_ = log_->size(); }
  // Excludes a tensor's memory from its allocation on, for example a gradient of a parameter.
  void leave_out(const at::Tensor& tensor) {
    if (tensor.defined()) log_->leave_out(tensor.storage().data());
  }
  // Calls leave_out of the innermost meter of this thread, if there is one.
  static void leave_out_of_current(const at::Tensor& tensor) {
    auto* log = dynamic_cast<Log*>(c10::ThreadLocalDebugInfo::get(c10::DebugInfoKind::PROFILER_STATE));
    if (log != nullptr && tensor.defined() && tensor.has_storage()) log->leave_out(tensor.storage().data());
  }

 private:
  struct Found {
    std::int64_t live = 0;
    std::int64_t peak = 0;
  };
  // The totals that LibTorch reports are int64_t in version 1 and size_t in version 2.
  template <class Total>
  static Total total_of(void (c10::MemoryReportingInfoBase::*)(void*, std::int64_t, Total, Total, c10::Device));
  using Total = decltype(total_of(&c10::MemoryReportingInfoBase::reportMemoryUsage));

  class Log : public c10::MemoryReportingInfoBase {
   public:
    void reportMemoryUsage(void* at, std::int64_t bytes, Total, Total, c10::Device) override {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (bytes > 0) {
        blocks_[at] = events_.size();
        events_.push_back({bytes, events_.size()});
      } else if (const auto found = blocks_.find(at); found != blocks_.end()) {  // other blocks were allocated before construction
        events_.push_back({-events_[found->second].bytes, found->second});
        blocks_.erase(found);
      }
    }
    bool memoryProfilingEnabled() const override { return true; }

    void leave_out(const void* at) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (const auto found = blocks_.find(at); found != blocks_.end()) left_out_.insert(found->second);
    }
    std::size_t size() const {
      const std::lock_guard<std::mutex> lock(mutex_);
      return events_.size();
    }
    Found replay(std::size_t begin) const {
      const std::lock_guard<std::mutex> lock(mutex_);
      Found found;
      for (std::size_t i = 0; i < events_.size(); ++i) {
        if (i == begin) found.peak = found.live;
        if (left_out_.count(events_[i].allocation) == 0) found.live += events_[i].bytes;
        found.peak = std::max(found.peak, found.live);
      }
      if (begin >= events_.size()) found.peak = found.live;
      return found;
    }

   private:
    struct Event {
      std::int64_t bytes;
      std::size_t allocation;  // index of the event that allocated
    };
    mutable std::mutex mutex_;
    std::vector<Event> events_;
    std::unordered_map<const void*, std::size_t> blocks_;
    std::unordered_set<std::size_t> left_out_;
  };

  std::shared_ptr<Log> log_;
  c10::DebugInfoGuard guard_;
  std::size_t begin_ = 0;
};

}  // namespace ckpt::torch

#endif  // CKPT_TORCH_METER_H
