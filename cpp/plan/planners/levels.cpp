#include "plan/planners/levels.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.h"
#include "plan/planners/revolve.h"
#include "plan/planners/splits.h"
#include "plan/planners/steps.h"

namespace ckpt::plan {

using base::require;

namespace {

// Positions are {phase, steps not yet reversed, states on tiers, states in memory}.
enum LevelPhase : std::int64_t { level_store, level_load, level_memory, level_end };

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

std::int64_t limit_of(const Level& level) { return level.slots == 0 ? no_limit : level.slots; }

class LevelSource final : public ActionSource {
 public:
  LevelSource(const ChainProfile& profile, const StepSeconds& step, std::vector<Level> levels)
      : steps_(profile),
        levels_(std::move(levels)),
        tables_(profile.layers(), step, levels_),
        seconds_{step.forward, step.reversal} {}

  std::unique_ptr<ActionStream> open(std::int64_t layers) const override;

  // The tables are determined by these numbers.
  void describe(Fingerprint& fingerprint) const override {
    for (const Level& level : levels_) {
      fingerprint.add(level.slots);
      for (const double seconds : {level.write_seconds, level.read_seconds}) fingerprint.add(std::bit_cast<std::uint64_t>(seconds));
    }
    for (const double seconds : seconds_) fingerprint.add(std::bit_cast<std::uint64_t>(seconds));
    steps_.describe(fingerprint);
  }

  const ChainSteps& steps() const { return steps_; }
  const std::vector<Level>& levels() const { return levels_; }
  const LevelTables& tables() const { return tables_; }

 private:
  ChainSteps steps_;
  std::vector<Level> levels_;
  LevelTables tables_;
  std::array<double, 2> seconds_;
};

class LevelStream final : public ActionStream {
 public:
  explicit LevelStream(const LevelSource& source) : source_(source), end_(source.steps().count()), reversal_(source.steps()) {
    arrive(0, top_level());
  }

  Position position() const override {
    const bool in_memory = phase_ == level_memory;
    return {phase_, in_memory ? reversal_.end() : end_, std::ssize(stored_), in_memory ? reversal_.depth() : 0};
  }

  void next(ActionGroup& group) override {
    switch (phase_) {
      case level_store: {
        const Stored state = push_stored();
        group.add({.kind = Kind::store_begin, .first = state.step, .item = Item::input, .tier = state.level, .slot = state.slot});
        group.add({.kind = Kind::await});
        return go_on(group);
      }
      case level_load: {
        const Stored& state = stored_.back();
        group.add({.kind = Kind::load_begin, .first = state.step, .item = Item::input, .tier = state.level, .slot = state.slot});
        group.add({.kind = Kind::await});
        return go_on(group);
      }
      case level_memory:
        reversal_.next(group);
        if (reversal_.done()) reversed_to(reversal_.end());
        return;
      default: group.add(end());
    }
  }

  bool seek(const Position& at) override {
    const std::int64_t end = at[1];
    if (at == Position{level_end, 0, 0, 0}) {
      stored_.clear();
      reversed_to(0);
      return true;
    }
    while (position() != at) {
      if (phase_ == level_memory)
        return at[0] == level_memory && at[2] == std::ssize(stored_) && reversal_.seek(end, at[3]) && !reversal_.done();
      if (phase_ == level_end) return false;
      if (phase_ == level_store) push_stored();
      const Stored state = stored_.back();
      if (end <= state.step || end > end_) return false;
      const std::int64_t steps = split();
      if (steps > 0 && end <= state.step + steps) {
        reversed_to(state.step + steps);
      } else {
        leave(steps);
      }
    }
    return true;
  }

 private:
  // A state stored on a tier.
  struct Stored {
    std::int64_t step = 0;
    std::int32_t level = 0;
    std::int32_t slot = 0;
  };

  std::int32_t top_level() const { return static_cast<std::int32_t>(source_.levels().size()) - 1; }
  std::int64_t free_slots(std::int32_t level) const {
    const std::int64_t limit = limit_of(source_.levels()[at(level)]);
    return limit == no_limit ? no_limit : limit - used_[at(level)];
  }

  // The state of a step is available in slot 0 of memory: decides where to keep it, on this level or below.
  void arrive(std::int64_t step, std::int32_t level) {
    while (level > 0 && !source_.tables().is_stored(level, end_ - step, free_slots(level))) --level;
    available_ = {step, level, level > 0 ? used_[at(level)] : 0};
    phase_ = level > 0 ? level_store : level_memory;
    if (level == 0) reversal_.begin(step, end_, source_.levels()[0].slots);
  }

  Stored push_stored() {
    stored_.push_back(available_);
    ++used_[at(available_.level)];
    return available_;
  }

  // The decision for the last stored state, which is available.
  std::int64_t split() const {
    const Stored& state = stored_.back();
    const std::int64_t free = free_slots(state.level);
    return source_.tables().split(state.level, end_ - state.step, free == no_limit ? free : free + 1);
  }

  // Continues from the last stored state: this many steps forward, or, for 0, without it.
  void leave(std::int64_t steps) {
    const Stored state = stored_.back();
    if (steps == 0) {
      stored_.pop_back();
      --used_[at(state.level)];
      arrive(state.step, state.level - 1);
    } else {
      arrive(state.step + steps, state.level);
    }
  }

  void go_on(ActionGroup& group) {
    const Stored state = stored_.back();
    const std::int64_t steps = split();
    if (steps == 0) {
      group.add({.kind = Kind::drop, .tier = state.level, .slot = state.slot});
    } else {
      source_.steps().add_move(group, state.step, state.step + steps, 0);
    }
    leave(steps);
  }

  void reversed_to(std::int64_t end) {
    end_ = end;
    phase_ = stored_.empty() ? level_end : level_load;
  }

  const LevelSource& source_;
  LevelPhase phase_ = level_memory;
  std::int64_t end_;  // end of the steps that begin with the available state, or with the last one stored
  Stored available_;  // to be stored next
  std::vector<Stored> stored_;
  std::array<std::int32_t, tiers> used_{};
  Reversal reversal_;  // in memory
};

std::unique_ptr<ActionStream> LevelSource::open(std::int64_t) const { return std::make_unique<LevelStream>(*this); }

}  // namespace

// ---- Numbers ----

LevelTables::LevelTables(std::int64_t steps, const StepSeconds& step, std::span<const Level> levels) : steps_(steps), step_(step) {
  std::int64_t tables = 1;
  for (const Level& level : levels.subspan(1)) tables += std::max<std::int64_t>(level.slots, 1);
  require_plannable(steps, tables);
  std::vector<double> below = {0};
  Reach reach{std::min(levels[0].slots, steps)};
  for (std::int64_t n = 1; n <= steps; ++n) {
    reach.grow(n);
    below.push_back(static_cast<double>(n) * step.reversal + static_cast<double>(reach.forwards(n)) * step.forward);
  }
  for (const Level& level : levels.subspan(1)) {
    Table table{level, std::move(below), {}};
    do {
      table.stored.push_back(next_stored(table));
    } while (std::ssize(table.stored) < level.slots);
    below = {0};
    for (std::int64_t n = 1; n <= steps; ++n) below.push_back(min_from_available(table, n, limit_of(level)));
    tables_.push_back(std::move(table));
  }
  seconds_ = below.back();
  if (!std::isfinite(seconds_))
    base::fail(base::Status::out_of_range, "profile: the seconds of ", steps, " layers exceed the range of a double");
}

double LevelTables::stored(const Table& table, std::int64_t steps, std::int64_t free) {
  return table.stored[at(std::min(free, std::ssize(table.stored)) - 1)][at(steps)];
}

double LevelTables::min_from_available(const Table& table, std::int64_t steps, std::int64_t free) {
  const double below = table.below[at(steps)];
  return free == 0 ? below : std::min(below, table.level.write_seconds + stored(table, steps, free));
}

// With one free slot more than the last table; without a limit, the part after the split has the same slots.
std::vector<double> LevelTables::next_stored(const Table& table) const {
  const bool limited = table.level.slots > 0;
  Splits splits(steps_);
  if (limited) {
    for (std::int64_t n = 1; n <= steps_; ++n) splits.set_after(n, min_from_available(table, n, std::ssize(table.stored)));
  }
  std::vector<double> stored = {0, step_.reversal};
  for (std::int64_t n = 1; n <= steps_; ++n) {
    if (n > 1) stored.push_back(std::min(table.below[at(n)], splits.min(n) + table.level.read_seconds));
    splits.set_ahead(n, static_cast<double>(n) * step_.forward + stored.back());
    if (!limited) splits.set_after(n, std::min(table.below[at(n)], table.level.write_seconds + stored.back()));
  }
  return stored;
}

bool LevelTables::is_stored(std::int32_t level, std::int64_t steps, std::int64_t free) const {
  return min_from_available(table(level), steps, free) < table(level).below[at(steps)];
}

std::int64_t LevelTables::split(std::int32_t level, std::int64_t steps, std::int64_t free) const {
  if (steps == 1) return 0;
  const Table& here = table(level);
  const Split found = find_split(
      steps, [&](std::int64_t j) { return static_cast<double>(j) * step_.forward + stored(here, j, free); },
      [&](std::int64_t n) { return min_from_available(here, n, free == no_limit ? free : free - 1); });
  return here.below[at(steps)] <= found.min + here.level.read_seconds ? 0 : found.at;
}

// ---- From a profile ----

namespace {

// Measured seconds of identical steps differ slightly. The mean of equal values is exactly that value.
StepSeconds mean_step(const ChainProfile& profile) {
  StepSeconds mean;
  const std::int64_t layers = profile.is_uniform() ? 1 : profile.layers();
  for (std::int64_t i = 0; i < layers; ++i) {
    const OptionProfile& option = profile.layer(i).options[0];
    const double reversal = (option.has_record ? option.record_seconds : option.forward_seconds) + option.backward_seconds;
    mean.forward += (option.forward_seconds - mean.forward) / static_cast<double>(i + 1);
    mean.reversal += (reversal - mean.reversal) / static_cast<double>(i + 1);
  }
  return mean;
}

}  // namespace

std::shared_ptr<const Schedule> make_levels(const ChainProfile& profile, std::span<const std::int64_t> slots) {
  profile.require_complete();
  require_like_steps(profile);
  const std::int64_t bytes = profile.bytes_of(0);
  require(slots[0] >= 1, "memory_slots is ", slots[0], "; expected at least 1");
  std::vector<Level> levels = {{slots[0], 0, 0}};
  static constexpr const char* names[] = {"two-level", "three-level", "four-level"};
  std::string name = base::cat(names[slots.size() - 2], "(", slots[0]);
  for (std::size_t k = 1; k < slots.size(); ++k) {
    const TierProfile& tier = profile.tier(static_cast<std::int32_t>(k));
    std::int64_t held = slots[k];
    if (tier.capacity_bytes > 0 && bytes > 0) {
      const std::int64_t room = tier.capacity_bytes / bytes;
      require(slots[k] <= room && room > 0, "slots of tier ", k, " are ", slots[k], "; expected at most ", room, " states of ",
              bytes, " bytes");
      if (held == 0) held = room;
    }
    // More slots than steps are unlimited.
    levels.push_back({held < profile.layers() ? held : 0, tier.write_seconds(bytes), tier.read_seconds(bytes)});
    name += base::cat(", ", slots[k]);
  }
  return std::make_shared<const Schedule>(name + ")", profile.layers(),
                                          std::make_unique<LevelSource>(profile, mean_step(profile), std::move(levels)));
}

}  // namespace ckpt::plan
