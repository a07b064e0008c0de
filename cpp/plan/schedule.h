// An immutable recipe for one step of training, read as a stream of actions. Schedules are thread-safe; sources are not.
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

// A position in a schedule as numbers, interpreted by its source. A saved cursor stores nothing else: the rest of a stream's
// state must be derivable from it.
using Position = std::array<std::int64_t, 4>;

// The actions of one position. Small and on the stack.
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

// Produces the groups of one step in order. Not thread-safe.
class ActionStream {
 public:
  virtual ~ActionStream() = default;
  // Returns the position of the next group.
  virtual Position position() const = 0;
  // Appends the actions of the next group and advances past it. The final group is a single END and is followed by itself.
  virtual void next(ActionGroup& group) = 0;
  // Moves to a position from outside the process. Returns false if it does not exist; the stream is unusable then.
  virtual bool seek(const Position& position) = 0;
};

// Produces a schedule's actions.
class ActionSource {
 public:
  virtual ~ActionSource() = default;
  // Opens a stream at the first group; the source must outlive it. layers: the number of steps, -1 while it is unknown.
  virtual std::unique_ptr<ActionStream> open(std::int64_t layers) const = 0;
  // Adds everything that distinguishes this recipe from another of the same name and length.
  virtual void describe(Fingerprint& fingerprint) const = 0;
  // Returns the number of forward steps handed out before position; called only for sources with an unknown number of steps.
  virtual std::int64_t steps_before(const Position&) const { return 0; }
};

// A source in which each position determines the next one, without other state.
class PositionSource : public ActionSource {
 public:
  std::unique_ptr<ActionStream> open(std::int64_t layers) const final;
  virtual Position start() const = 0;
  // The actions at a position, and the next position.
  virtual void group_at(const Position& position, std::int64_t layers, ActionGroup& group, Position& next) const = 0;
  // Returns true if a position from outside the process is valid for this source.
  virtual bool is_position(const Position& position, std::int64_t layers) const = 0;
};

// The role of a schedule's chain in a pipeline: a stage, made of one or more chunks of a longer chain. One layer that never runs
// separates two chunks, so that the output of the one and the input of the next have different indices.
struct StageRole {
  struct Chunk {
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };
  std::int32_t micro_batches = 0;  // 0: not a stage; the chain has one batch, available from the start
  bool first = true;               // chunk 0 receives the caller's batch, and no stage takes its gradient
  bool last = true;                // the last chunk's output is the pipeline's: it turns there
  std::vector<Chunk> chunks;

  bool is_stage() const { return micro_batches > 0; }
  // Returns the chunk that begins or ends at an index; -1 if none does.
  std::int64_t chunk_beginning_at(std::int64_t index) const;
  std::int64_t chunk_ending_at(std::int64_t index) const;
};

class Schedule {
 public:
  // layers: -1 if the number of steps is not known beforehand. graph: nullptr for a chain.
  Schedule(std::string name, std::int64_t layers, std::unique_ptr<const ActionSource> source, StageRole role = {},
           std::shared_ptr<const GraphEdges> graph = nullptr);

  const std::string& name() const noexcept { return name_; }
  std::int64_t layers() const noexcept { return layers_; }
  const ActionSource& source() const noexcept { return *source_; }
  // Distinguishes recipes when a saved cursor is restored or a strategy is asked again.
  std::uint64_t fingerprint() const noexcept { return fingerprint_; }
  const StageRole& role() const noexcept { return role_; }
  // Returns what the layers of the graph read; nullptr for a chain.
  const GraphEdges* graph() const noexcept { return graph_.get(); }
  // Describes what the search for this schedule did not consider; "" if it considered everything, or no search was made.
  const std::string& left_out() const noexcept { return left_out_; }

 private:
  std::string name_;
  std::int64_t layers_;
  std::shared_ptr<const ActionSource> source_;
  StageRole role_;
  std::shared_ptr<const GraphEdges> graph_;
  std::uint64_t fingerprint_;
  std::string left_out_;

  friend std::shared_ptr<const Schedule> with_left_out(const Schedule& schedule, std::string left_out);
};

// Returns the same recipe with the note.
std::shared_ptr<const Schedule> with_left_out(const Schedule& schedule, std::string left_out);

// Hands out a schedule's actions one by one. Not thread-safe.
class Cursor {
 public:
  explicit Cursor(std::shared_ptr<const Schedule> schedule);

  Action next();
  // Fills actions up to END; returns their number.
  std::int64_t next_many(std::span<Action> actions);
  void finalize(std::int64_t layers);
  std::vector<std::byte> save() const;
  void restore(std::span<const std::byte> bytes);

 private:
  void take_group();

  std::shared_ptr<const Schedule> schedule_;
  std::int64_t layers_;
  std::unique_ptr<ActionStream> stream_;  // past the current group
  Position position_;                     // of the current group
  ActionGroup group_;
  std::int32_t taken_ = 0;  // number of actions of the current group already handed out
  bool ended_ = false;      // END was handed out
};

std::shared_ptr<const Schedule> make_store_all(const ChainProfile& profile);
std::shared_ptr<const Schedule> make_recompute_all(const ChainProfile& profile);
std::shared_ptr<const Schedule> make_periodic(const ChainProfile& profile, std::int64_t segments);
std::shared_ptr<const Schedule> make_segments(const ChainProfile& profile, std::span<const std::int64_t> begins);
// Stores the strategy's current answers. follower.h asks it again between steps.
std::shared_ptr<const Schedule> make_from_strategy(const ChainProfile& profile, const strategy::StrategyPtr& strategy);
std::shared_ptr<const Schedule> make_open_ended(std::int64_t period, std::uint32_t layer_flags);
std::shared_ptr<const Schedule> make_list(std::int64_t layers, std::span<const Action> actions);
// The step of a graph; graph nullptr: of a chain.
std::shared_ptr<const Schedule> make_graph_list(std::string name, std::int64_t layers, std::span<const Action> actions,
                                                std::shared_ptr<const GraphEdges> graph);
// The whole step of a stage: several micro-batches, with SEND and RECEIVE.
std::shared_ptr<const Schedule> make_stage_list(std::string name, std::int64_t layers, std::span<const Action> actions,
                                                StageRole role);

}  // namespace ckpt::plan
