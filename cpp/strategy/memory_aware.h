// Yes for every n-th layer, where n follows memory pressure: live bytes over total memory.
#pragma once

#include <memory>
#include <optional>

#include "base/clock.h"
#include "base/fork_mutex.h"
#include "memory/tracker.h"
#include "strategy/strategy.h"

namespace ckpt::strategy {

struct MemoryAwareOptions {
  double max_share = 0.8;  // in (0, 1]: more pressure than this shrinks the interval
  // Whose live bytes count. Without one: those of the executor that bound itself, else the process's resident bytes.
  std::shared_ptr<const memory::Tracker> tracker;
  std::int64_t total_bytes = 0;              // 0: what the process may really use
  std::shared_ptr<const base::Clock> clock;  // none: the monotonic clock
};

class MemoryAware final : public Strategy {
 public:
  explicit MemoryAware(const MemoryAwareOptions& options);
  std::string name() const override;
  Parameters parameters() const override;
  std::vector<std::string> text_values() const override;
  void bind_live_bytes(const LiveBytes& source) override;
  std::int64_t interval() const noexcept { return interval_.load(std::memory_order_relaxed); }
  std::int64_t total_bytes() const noexcept { return total_bytes_; }

 private:
  bool decide(std::string_view layer_name, const Activation& activation, std::int64_t layer_index) override;
  void forget() override;
  bool is_due(std::int64_t now_ns) const noexcept;
  void adjust(std::int64_t now_ns);
  std::int64_t now_ns() const;
  std::optional<std::int64_t> live_bytes(const LiveBytes& bound) const;

  double max_share_;
  std::shared_ptr<const memory::Tracker> tracker_;
  std::int64_t total_bytes_;
  bool given_total_;
  bool given_clock_;
  std::shared_ptr<const base::Clock> clock_;

  std::atomic<std::int64_t> interval_;
  std::atomic<std::int64_t> looked_ns_;  // when pressure was last looked at

  base::ForkMutex mutex_;  // of what follows; a clock, a tracker or a source is asked without it
  LiveBytes bound_;
  std::optional<std::int64_t> high_ns_;  // when pressure was last seen above the share
};

}  // namespace ckpt::strategy
