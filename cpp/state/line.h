// Determines which checkpoints belong to the newest run. Users choose the steps, so a run that returns to step 300 of a storage
// with step 600 is newer although its steps are lower. Each roll-back therefore begins a *generation*, a number that only grows.
// The *current line* is the highest generation and, of each lower one, the checkpoints that it resumed from. All others are
// *abandoned*. These functions do not access a storage; lineage.h applies them to the saves of one manager.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ckpt::state {

// The checkpoint from which a generation resumed.
struct LineParent {
  std::string name;
  std::int64_t step = 0;
  std::int64_t commit_sequence = 0;

  friend bool operator==(const LineParent&, const LineParent&) = default;
};

struct EarlierGeneration {
  std::int64_t generation = 0;
  std::int64_t first_sequence = 0;             // the lowest commit sequence of its saves; 0 for generation 0
  std::optional<std::int64_t> last_step = {};  // its checkpoints up to this step belong to the line; nothing: none do

  friend bool operator==(const EarlierGeneration&, const EarlierGeneration&) = default;
};

// The record of the line in each checkpoint. Any checkpoint of a generation records the whole line.
struct Line {
  std::int64_t generation = 0;
  std::int64_t first_sequence = 0;              // as in EarlierGeneration
  std::optional<LineParent> parent = {};        // nothing: a new run
  std::vector<EarlierGeneration> earlier = {};  // every lower generation that has checkpoints, ascending

  friend bool operator==(const Line&, const Line&) = default;
};

// The part of a line that names show, used when no manifest is readable.
struct LineMark {
  std::int64_t generation = 0;  // 0: the name shows none
  std::optional<std::int64_t> parent_step = {};

  friend bool operator==(const LineMark&, const LineMark&) = default;
};
LineMark mark_of(const Line& line);

// The properties of one checkpoint that the rule uses.
struct LinePlace {
  std::int64_t step = 0;
  std::int64_t commit_sequence = -1;      // -1: not known, the manifest is unreadable
  std::shared_ptr<const Line> line = {};  // nullptr: the manifest records none, or is unreadable
  LineMark mark = {};
  bool is_checkpoint = true;  // false: an unfinished save, which begins no generation
};

// The current line, determined from the checkpoints of one storage.
class CurrentLine {
 public:
  explicit CurrentLine(std::span<const LinePlace> places);

  std::int64_t generation() const noexcept { return line_.generation; }
  // A checkpoint that records no line was written by a library without support for lines. It belongs to the generation that was
  // current at its commit.
  std::int64_t generation_of(const LinePlace& place) const;
  bool holds(std::int64_t generation, std::int64_t step) const;
  // Returns the line that its next save records; built from names when no manifest of the generation is readable.
  const Line& line() const noexcept { return line_; }

 private:
  std::map<std::int64_t, std::int64_t> first_sequences_;  // by generation, from 1
  bool is_from_names_ = false;                            // line_ was built from names
  Line line_;
};

// Returns whether a save begins a generation. is_first: it is the first one accepted since the manager was created or last loaded.
// newest_step: the highest one among the line's checkpoints and the queued saves; nothing: there are none. has_loaded_older: the
// checkpoint that was loaded is not the newest of these.
bool begins_generation(bool is_first, std::int64_t step, std::optional<std::int64_t> newest_step, bool has_loaded_older);

// Returns the line of a new generation. base: the current line. parent: nothing for a new run. line_of_parent: as the parent
// records it; nullptr: it records none.
Line line_after(std::int64_t generation, const Line& base, const std::optional<LineParent>& parent, const Line* line_of_parent);

}  // namespace ckpt::state
