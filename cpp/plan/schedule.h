// An immutable recipe for one step of training, read as a stream of actions. Schedules are synchronised; sources are not.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "plan/action.h"
#include "plan/fingerprint.h"
#include "plan/profile.h"

namespace ckpt::plan {

// A place in a schedule as numbers, whose meaning is the source's own. A saved cursor holds no more: what a stream knows beside its
// place follows from it.
using Position = std::array<std::int64_t, 4>;

// The actions that belong together at one position. Small and on the stack.
class ActionGroup {
 public:
  void add(const Action& action) { actions_[static_cast<std::size_t>(size_++)] = action; }
  void clear() { size_ = 0; }
  std::int32_t size() const { return size_; }
  const Action& operator[](std::int32_t i) const { return actions_[static_cast<std::size_t>(i)]; }

 private:
  std::array<Action, 6> actions_;
  std::int32_t size_ = 0;
};

// Hands out the groups of one step in their order. Not synchronised.
class ActionStream {
 public:
  virtual ~ActionStream() = default;
  // Where the next group is.
  virtual Position position() const = 0;
  // Adds the actions of the next group, and goes on behind it. A group of one END stands at the end and leads to itself.
  virtual void next(ActionGroup& group) = 0;
  // Goes to a position read from outside. False, and the stream is of no more use, when there is none such.
  virtual bool seek(const Position& position) = 0;
};

// How a schedule produces its actions.
class ActionSource {
 public:
  virtual ~ActionSource() = default;
  // A stream at the first group, which the source outlives. layers: the number of steps, -1 while it is not known.
  virtual std::unique_ptr<ActionStream> open(std::int64_t layers) const = 0;
  // Everything that distinguishes this recipe from another of the same name and length.
  virtual void describe(Fingerprint& fingerprint) const = 0;
  // Forward steps that are handed out before position; only asked of sources whose number of steps is not known.
  virtual std::int64_t steps_before(const Position&) const { return 0; }
};

// A source that goes from position to position without a memory of its own.
class PositionSource : public ActionSource {
 public:
  std::unique_ptr<ActionStream> open(std::int64_t layers) const final;
  virtual Position start() const = 0;
  // The actions at a position, and the position behind it.
  virtual void group_at(const Position& position, std::int64_t layers, ActionGroup& group, Position& next) const = 0;
  // True when a position read from outside is one that this source can be at.
  virtual bool is_position(const Position& position, std::int64_t layers) const = 0;
};

// What a schedule's chain is within a pipeline: a stage, made of one or more chunks of a longer chain. Between two chunks lies one
// layer that never runs, so that the output of the one and the input of the next have indices of their own.
struct StageRole {
  struct Chunk {
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };
  std::int32_t micro_batches = 0;  // 0: the chain is no stage, and has one batch that is there from the start
  bool first = true;               // what chunk 0 receives is the caller's batch, and no stage takes its gradient
  bool last = true;                // the last chunk's output is the pipeline's: it turns there
  std::vector<Chunk> chunks;

  bool is_stage() const { return micro_batches > 0; }
  // The chunk that begins or ends at an index; -1 when none does.
  std::int64_t chunk_beginning_at(std::int64_t index) const;
  std::int64_t chunk_ending_at(std::int64_t index) const;
};

class Schedule {
 public:
  // layers: -1 when the number of steps is not known beforehand.
  Schedule(std::string name, std::int64_t layers, std::unique_ptr<const ActionSource> source, StageRole role = {});

  const std::string& name() const noexcept { return name_; }
  std::int64_t layers() const noexcept { return layers_; }
  const ActionSource& source() const noexcept { return *source_; }
  // Distinguishes recipes, when a saved cursor comes back or a strategy was asked again.
  std::uint64_t fingerprint() const noexcept { return fingerprint_; }
  const StageRole& role() const noexcept { return role_; }
  // What was not looked at when this schedule was chosen among others; "" when nothing was, or nothing was chosen.
  const std::string& left_out() const noexcept { return left_out_; }

 private:
  std::string name_;
  std::int64_t layers_;
  std::shared_ptr<const ActionSource> source_;
  StageRole role_;
  std::uint64_t fingerprint_;
  std::string left_out_;

  friend std::shared_ptr<const Schedule> with_left_out(const Schedule& schedule, std::string left_out);
};

// The same recipe, with the note.
std::shared_ptr<const Schedule> with_left_out(const Schedule& schedule, std::string left_out);

// Hands out a schedule's actions one by one. Not synchronised.
class Cursor {
 public:
  explicit Cursor(std::shared_ptr<const Schedule> schedule);

  Action next();
  // Fills actions as far as END; returns how many.
  std::int64_t next_many(std::span<Action> actions);
  void finalize(std::int64_t layers);
  std::vector<std::byte> save() const;
  void restore(std::span<const std::byte> bytes);

 private:
  void take_group();

  std::shared_ptr<const Schedule> schedule_;
  std::int64_t layers_;
  std::unique_ptr<ActionStream> stream_;  // behind the group in hand
  Position position_;                     // of the group in hand
  ActionGroup group_;
  std::int32_t taken_ = 0;  // actions of the group in hand that were handed out
  bool ended_ = false;      // END was handed out
};

std::shared_ptr<const Schedule> make_store_all(const ChainProfile& profile);
std::shared_ptr<const Schedule> make_recompute_all(const ChainProfile& profile);
std::shared_ptr<const Schedule> make_periodic(const ChainProfile& profile, std::int64_t segments);
std::shared_ptr<const Schedule> make_segments(const ChainProfile& profile, std::span<const std::int64_t> begins);
// Freezes the strategy's answers. follower.h asks it again between steps.
std::shared_ptr<const Schedule> make_from_strategy(const ChainProfile& profile, const strategy::StrategyPtr& strategy);
std::shared_ptr<const Schedule> make_open_ended(std::int64_t period, std::uint32_t layer_flags);
std::shared_ptr<const Schedule> make_list(std::int64_t layers, std::span<const Action> actions);
// The whole step of a stage: several micro-batches, with SEND and RECEIVE.
std::shared_ptr<const Schedule> make_stage_list(std::string name, std::int64_t layers, std::span<const Action> actions,
                                                StageRole role);

}  // namespace ckpt::plan
