#include "plan/planners/mixed.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "plan/planners/splits.h"
#include "plan/planners/steps.h"

namespace ckpt::plan {
namespace {

class MixedSource final : public ActionSource {
 public:
  MixedSource(const ChainProfile& profile, std::int64_t slots) : steps_(profile), slots_(slots), tables_(profile.layers(), slots) {}

  std::unique_ptr<ActionStream> open(std::int64_t layers) const override;

  void describe(Fingerprint& fingerprint) const override {
    fingerprint.add(slots_);
    steps_.describe(fingerprint);
  }

  const ChainSteps& steps() const { return steps_; }
  std::int64_t slots() const { return slots_; }
  const MixedTables& tables() const { return tables_; }

 private:
  ChainSteps steps_;
  std::int64_t slots_;
  MixedTables tables_;
};

// Holds states and tapes of ascending steps; the last is a state to work from, or a tape with its backward next. A position is
// {number held, steps not yet reversed, 0, 0}.
class MixedStream final : public ActionStream {
 public:
  explicit MixedStream(const MixedSource& source) : source_(source), end_(source.steps().count()), held_{{0, false}} {}

  Position position() const override { return {std::ssize(held_), end_, 0, 0}; }

  void next(ActionGroup& group) override {
    if (held_.empty()) return group.add(end());
    const Held last = held_.back();
    if (last.recorded || end_ - last.step == 1) {
      held_.pop_back();
      --end_;
      if (last.recorded) {
        group.add(backward(last.step));
      } else {
        source_.steps().add_reversal(group, last.step);
      }
      return;
    }
    go_forward();
    if (held_.end()[-2].recorded) {
      group.add(forward_tape(last.step));
      group.add(drop_input(last.step));
    } else {
      source_.steps().add_forward(group, last.step, held_.back().step, static_cast<std::int32_t>(held_.size()) - 1);
    }
  }

  bool seek(const Position& at) override {
    const std::int64_t end = at[1];
    if (at == Position{0, 0, 0, 0}) {
      held_.clear();
      end_ = 0;
      return true;
    }
    while (position() != at) {
      if (end > end_ || end <= held_.back().step || end_ - held_.back().step == 1) return false;
      go_forward();
      if (end > held_.back().step) continue;
      end_ = held_.back().step;
      held_.pop_back();
      if (held_.back().recorded) return position() == at;
    }
    return true;
  }

 private:
  struct Held {
    std::int64_t step = 0;
    bool recorded = false;  // a tape; otherwise a state
  };

  // From the last state, which is kept or recorded from, to a new one.
  void go_forward() {
    Held& last = held_.back();
    const std::int64_t split = source_.tables().split(end_ - last.step, source_.slots() - std::ssize(held_) + 1);
    last.recorded = split == 0;
    held_.push_back({last.step + std::max<std::int64_t>(split, 1), false});
  }

  const MixedSource& source_;
  std::int64_t end_;
  std::vector<Held> held_;
};

std::unique_ptr<ActionStream> MixedSource::open(std::int64_t) const { return std::make_unique<MixedStream>(*this); }

}  // namespace

MixedTables::MixedTables(std::int64_t steps, std::int64_t slots) : steps_(steps) {
  require_plannable(steps, slots + 1);
  const auto length = static_cast<std::size_t>(steps) + 1;
  fewest_.emplace_back(length, std::numeric_limits<double>::infinity());
  fewest_[0][1] = 1;
  for (std::int64_t free = 1; free <= slots; ++free) {
    const std::vector<double>& fewer = fewest_.back();
    Splits splits(steps);
    for (std::int64_t n = 1; n <= steps; ++n) splits.set_after(n, fewer[static_cast<std::size_t>(n)]);
    std::vector<double> fewest = {0};
    for (std::int64_t n = 1; n <= steps; ++n) {
      fewest.push_back(n == 1 ? 1 : std::min(1 + fewer[static_cast<std::size_t>(n) - 1], splits.min(n)));
      splits.set_ahead(n, static_cast<double>(n) + fewest.back());
    }
    fewest_.push_back(std::move(fewest));
  }
}

std::int64_t MixedTables::split(std::int64_t steps, std::int64_t free) const {
  if (1 + fewest(steps - 1, free - 1) <= fewest(steps, free)) return 0;
  return find_split(
             steps, [&](std::int64_t j) { return static_cast<double>(j) + fewest(j, free); },
             [&](std::int64_t n) { return fewest(n, free - 1); })
      .at;
}

std::shared_ptr<const Schedule> make_mixed(const ChainProfile& profile, std::int64_t slots) {
  profile.require_complete();
  base::require(slots >= 1, "slots is ", slots, "; expected at least 1");
  const std::int64_t looked_at = profile.is_uniform() ? 1 : profile.layers();
  for (std::int64_t i = 0; i < looked_at; ++i) {
    const std::uint32_t flags = profile.layer(i).flags;
    base::require((flags & (needs_input | needs_output)) == 0, "layer ", i, ": flags is ", flags,
                  "; mixed drops the input and output of a recorded layer, but this layer's backward reads one of them");
  }
  const std::int64_t counted = std::min(slots, std::max<std::int64_t>(profile.layers() - 1, 1));
  return std::make_shared<const Schedule>(base::cat("mixed(", slots, ")"), profile.layers(),
                                          std::make_unique<MixedSource>(profile, counted));
}

}  // namespace ckpt::plan
