// Lines of checkpoints: which ones the newest run was made of. Steps are chosen by users, so a run that goes back to step 300 of a
// storage that holds step 600 is newer although its steps are lower. Each roll-back therefore begins a *generation*, a number that
// only grows. The *current line* is the highest generation and, of each lower one, the checkpoints that it went on from; all others
// are *abandoned*. These functions read and change no storage; lineage.h applies them to the saves of one manager.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ckpt::state {

// The checkpoint from which a generation went on.
struct LineParent {
  std::string name;
  std::int64_t step = 0;
  std::int64_t commit_sequence = 0;

  friend bool operator==(const LineParent&, const LineParent&) = default;
};

struct EarlierGeneration {
  std::int64_t generation = 0;
  std::int64_t first_sequence = 0;             // the lowest commit sequence of its own saves; 0 of generation 0
  std::optional<std::int64_t> last_step = {};  // up to this step its checkpoints belong to the line; nothing: none do

  friend bool operator==(const EarlierGeneration&, const EarlierGeneration&) = default;
};

// What each checkpoint records of its line, so that any one of a generation is enough to know it.
struct Line {
  std::int64_t generation = 0;
  std::int64_t first_sequence = 0;              // as in EarlierGeneration
  std::optional<LineParent> parent = {};        // nothing: a new run
  std::vector<EarlierGeneration> earlier = {};  // every lower generation that has checkpoints, ascending

  friend bool operator==(const Line&, const Line&) = default;
};

// What names show of a line, for when no manifest can be read.
struct LineMark {
  std::int64_t generation = 0;  // 0: the name shows none
  std::optional<std::int64_t> parent_step = {};

  friend bool operator==(const LineMark&, const LineMark&) = default;
};
LineMark mark_of(const Line& line);

// One checkpoint, as far as the rule looks at it.
struct LinePlace {
  std::int64_t step = 0;
  std::int64_t commit_sequence = -1;      // -1: not known, its manifest cannot be read
  std::shared_ptr<const Line> line = {};  // nullptr: the manifest has none, or cannot be read
  LineMark mark = {};
  bool is_checkpoint = true;  // else a save is under way or was cut off: that begins no generation
};

// The line that the checkpoints of one storage make.
class CurrentLine {
 public:
  explicit CurrentLine(std::span<const LinePlace> places);

  std::int64_t generation() const noexcept { return line_.generation; }
  // One that records none and was committed after the first save of a generation was written by a library that does not know of
  // lines: it belongs to that generation.
  std::int64_t generation_of(const LinePlace& place) const;
  bool holds(std::int64_t generation, std::int64_t step) const;
  // What the next save of this line records. Where no manifest of the generation can be read, it is what names show.
  const Line& line() const noexcept { return line_; }

 private:
  std::map<std::int64_t, std::int64_t> first_sequences_;  // by generation, from 1
  bool is_by_mark_ = false;                               // line_ is what names show
  Line line_;
};

// Whether a save begins a generation. is_first: no save was accepted since the manager was created or has loaded. newest_step: of
// the checkpoints of the line and of the saves that are queued; nothing: there are none. has_loaded_older: what was loaded was not
// the newest of these.
bool begins_generation(bool is_first, std::int64_t step, std::optional<std::int64_t> newest_step, bool has_loaded_older);

// The line of a new generation. base: the current one. parent: nothing for a new run; line_of_parent: as it records it.
Line line_after(std::int64_t generation, const Line& base, const std::optional<LineParent>& parent, const Line* line_of_parent);

}  // namespace ckpt::state
