#include "plan/verifier.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/error.h"
#include "plan/program.h"

namespace ckpt::plan {
namespace {

class CountingSink final : public WalkSink {
 public:
  CountingSink(const ChainProfile& profile, PlanReport& report) : profile_(profile), report_(report) {}

  void allocate(BufferId, const BufferInfo& info) override { count(info.tier, info.bytes); }
  void become(BufferId, const BufferInfo& before, const BufferInfo& now) override { count(now.tier, now.bytes - before.bytes); }
  void free(BufferId, const BufferInfo& info) override {
    if (in_own_peak_) return count(0, -info.bytes);
    live_[static_cast<std::size_t>(info.tier)] -= info.bytes;
  }

  void backward_begins(std::int64_t replaced, std::int64_t peak_bytes) override {
    count(0, peak_bytes - replaced);
    live_[0] -= peak_bytes - replaced;
    in_own_peak_ = true;
  }
  void backward_ends() override {
    in_own_peak_ = false;
    count(0, static_cast<std::int64_t>(std::exchange(changed_, 0)));
  }

  void run(const Operation& operation) override {
    const bool is_forward = operation.kind == Operation::Kind::forward || operation.kind == Operation::Kind::record;
    if (!is_forward && operation.kind != Operation::Kind::backward) return;
    const OptionProfile& option = profile_.layer(operation.layer).options[static_cast<std::size_t>(operation.option)];
    const double seconds = !is_forward                                 ? option.backward_seconds
                           : operation.kind == Operation::Kind::record ? option.record_seconds
                                                                       : option.forward_seconds;
    report_.step_seconds += seconds;
    if (!is_forward) return;
    ++report_.forwards;
    if (!operation.recomputation) return;
    ++report_.recomputed_forwards;
    report_.recomputed_seconds += seconds;
  }

  void transfer_begins(const TransferInfo& transfer) override {
    const auto at = static_cast<std::size_t>(transfer.tier);
    const TierProfile& tier = profile_.tier(transfer.tier);
    double& queue = transfer.load ? reads_end_[at] : writes_end_[at];
    queue = std::max(queue, report_.step_seconds) +
            (transfer.load ? tier.read_seconds(transfer.bytes) : tier.write_seconds(transfer.bytes));
    ends_[transfer.id] = queue;
    std::int64_t& moved = transfer.load ? report_.loaded_bytes[at] : report_.stored_bytes[at];
    if (__builtin_add_overflow(moved, transfer.bytes, &moved)) {
      base::fail(base::Status::out_of_range, "action ", report_.actions, ": the bytes moved through tier ", transfer.tier,
                 " exceed INT64_MAX");
    }
  }

  void transfer_ends(std::int64_t id) override {
    const auto found = ends_.find(id);
    const double wait = found->second - report_.step_seconds;
    ends_.erase(found);
    if (wait <= 0) return;
    report_.wait_seconds += wait;
    report_.step_seconds += wait;
  }

 private:
  void count(std::int32_t tier, std::int64_t more) {
    if (in_own_peak_) {
      changed_ += static_cast<std::uint64_t>(more);
      return;
    }
    const auto at = static_cast<std::size_t>(tier);
    if (__builtin_add_overflow(live_[at], more, &live_[at]))
      base::fail(base::Status::out_of_range, "action ", report_.actions, ": the live bytes of tier ", tier, " exceed INT64_MAX");
    if (live_[at] <= report_.peak_bytes[at]) return;
    report_.peak_bytes[at] = live_[at];
    if (tier == 0) report_.peak_action = report_.actions;
  }

  const ChainProfile& profile_;
  PlanReport& report_;
  std::array<std::int64_t, tiers> live_{};
  bool in_own_peak_ = false;                // a backward's own peak replaces everything that it allocates
  std::uint64_t changed_ = 0;               // change of live bytes meanwhile, modulo 2^64: the sum may exceed the range
  std::array<double, tiers> writes_end_{};  // end of the last copy begun, by tier
  std::array<double, tiers> reads_end_{};
  std::map<std::int64_t, double> ends_;  // of the transfers in progress
};

}  // namespace

PlanReport verify(const Schedule& schedule, const ChainProfile& profile) {
  PlanReport report;
  CountingSink sink(profile, report);
  Cursor cursor = cursor_for(schedule, profile);
  Walk walk(profile, sink, schedule.role());
  while (!walk.ended()) {
    walk.step(cursor.next());
    report.actions = walk.actions();
  }
  if (!std::isfinite(report.step_seconds))
    base::fail(base::Status::out_of_range, "schedule: the sum of its seconds exceeds the range of a double");
  report.peak_items = walk.max_items().items;
  report.peak_inputs = walk.max_items().inputs;
  return report;
}

}  // namespace ckpt::plan
