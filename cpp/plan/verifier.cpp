#include "plan/verifier.h"

#include "base/error.h"
#include "plan/program.h"

namespace ckpt::plan {
namespace {

class CountingSink final : public WalkSink {
 public:
  CountingSink(const ChainProfile& profile, PlanReport& report) : profile_(profile), report_(report) {}

  void allocate(BufferId, const BufferInfo& info) override {
    std::int64_t& live = live_[static_cast<std::size_t>(info.tier)];
    if (__builtin_add_overflow(live, info.bytes, &live))
      base::fail(base::Status::out_of_range, "action ", report_.actions, ": the live bytes of tier ", info.tier, " pass INT64_MAX");
    std::int64_t& peak = report_.peak_bytes[static_cast<std::size_t>(info.tier)];
    if (live <= peak) return;
    peak = live;
    if (info.tier == 0) report_.peak_action = report_.actions;
  }

  void run(const Operation& operation) override {
    if (operation.kind != Operation::Kind::forward && operation.kind != Operation::Kind::backward) return;
    const OptionProfile& option = profile_.layer(operation.layer).options[static_cast<std::size_t>(operation.option)];
    if (operation.kind == Operation::Kind::backward) {
      report_.step_seconds += option.backward_seconds;
      return;
    }
    ++report_.forwards;
    report_.step_seconds += option.forward_seconds;
    if (!operation.recomputation) return;
    ++report_.recomputed_forwards;
    report_.recomputed_seconds += option.forward_seconds;
  }

  void free(BufferId, const BufferInfo& info) override { live_[static_cast<std::size_t>(info.tier)] -= info.bytes; }

 private:
  const ChainProfile& profile_;
  PlanReport& report_;
  std::array<std::int64_t, tiers> live_{};
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
  return report;
}

}  // namespace ckpt::plan
