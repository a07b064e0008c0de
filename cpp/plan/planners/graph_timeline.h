// The runs of a graph's operations during a step, and the memory that they need.
//
// Values are numbered from 0, the input; operation i makes value i + 1 from earlier ones. The main operations of a step are the
// forwards of operations 0 .. n-1, the TURN, and the backwards of n-1 .. 0: stages 0 .. 2n. Before each of them, operations that
// ran before may run again, in index order. Everything else follows from this set of recomputations:
//
// - A value is in memory from a run that makes it to its last read before the next such run.
// - The last run of an operation before its backward records its tape, which ends with the backward.
// - The gradient of a value exists from the backward of its last consumer to that of the operation that makes it. The others add
//   to it in place.
//
// So a change of one recomputation changes a few intervals only.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <tuple>
#include <vector>

#include "plan/planners/stage_memory.h"
#include "plan/profile.h"

namespace ckpt::plan {

struct GraphOperation {
  std::vector<std::int32_t> inputs;         // values that the forward reads, without duplicates
  std::vector<std::int32_t> needed_inputs;  // those among them that the backward reads
  std::int64_t output_bytes = 0;
  std::int64_t tape_bytes = 0;
  double forward_time = 0;
  double backward_time = 0;
  bool deterministic = true;        // may run again
  bool needs_output = false;        // the backward reads the output
  bool makes_gradients = true;      // of its inputs
  std::int64_t ambient_bytes = 0;   // from the first forward to the backward, and once more while it runs again
  std::int64_t forward_bytes = 0;   // while it runs forward, beyond the items
  std::int64_t backward_bytes = 0;  // while it runs backward, beyond the items; below 0 if items overlap meanwhile
};

struct GraphCosts {
  std::int64_t input_bytes = 0;
  std::vector<GraphOperation> operations;
  std::vector<std::int32_t> outputs = {};             // values that the TURN reads; empty: the last one
  bool keeps_input = false;                           // the input stays in memory to the end
  bool keeps_outputs = false;                         // the outputs, too; the operations that make them are not deterministic
  std::shared_ptr<const GraphEdges> edges = nullptr;  // of the graph's profile; nullptr for a chain

  std::int32_t size() const { return static_cast<std::int32_t>(operations.size()); }
  const GraphOperation& operation(std::int32_t i) const { return operations[static_cast<std::size_t>(i)]; }
  std::int64_t value_bytes(std::int32_t value) const { return value == 0 ? input_bytes : operation(value - 1).output_bytes; }
};

// A forward of an operation before the main operation of a stage.
struct Recomputation {
  std::int32_t stage = 0;
  std::int32_t operation = 0;

  friend bool operator<(const Recomputation& a, const Recomputation& b) {
    return std::tie(a.stage, a.operation) < std::tie(b.stage, b.operation);
  }
};

class GraphTimeline {
 public:
  // A moment at which an operation runs.
  using Time = std::int64_t;
  static constexpr Time never = std::numeric_limits<Time>::max();

  // Without recomputations. The costs must outlive it.
  explicit GraphTimeline(const GraphCosts& costs);

  // operation ran before the stage: stage > operation. The recomputation must be missing.
  void add(const Recomputation& recomputation);
  // The recomputation must exist.
  void remove(const Recomputation& recomputation);
  bool has(const Recomputation& recomputation) const { return recomputations_.contains(recomputation); }
  const std::set<Recomputation>& recomputations() const { return recomputations_; }

  std::int64_t peak_bytes() const { return memory_.peak_bytes(); }
  // Seconds or another unit of GraphOperation.
  double time() const { return time_; }
  std::int64_t work() const { return memory_.work(); }

  Time time_of(const Recomputation& run) const { return Time{run.stage} * stage_length_ + run.operation; }
  Time time_of_main(std::int32_t stage) const { return Time{stage} * stage_length_ + size_; }
  Time time_of_backward(std::int32_t operation) const { return time_of_main(2 * size_ - operation); }
  std::int32_t stage_of(Time time) const { return static_cast<std::int32_t>(time / stage_length_); }
  // Returns the operation's time at which the peak is reached first.
  Time fullest() const;

  bool is_live(std::int32_t value, Time time) const;
  bool is_read(std::int32_t value, Time time) const;
  // Returns true if the value is read after the time, before an operation computes it again.
  bool is_read_after(std::int32_t value, Time time) const { return last_read(value, span_before(value, time + 1)) > time; }
  // Returns the first read after the time; never if there is none.
  Time next_read(std::int32_t value, Time time) const;
  // Returns the values that the TURN reads.
  std::vector<std::int32_t> outputs() const;
  // Returns the last run of the operation before the time, which is after its first run.
  Time last_run(std::int32_t operation, Time before) const;

 private:
  // A value between two runs that make it.
  struct Span {
    Time created = 0;
    Time made_again = never;
  };
  Span span_before(std::int32_t value, Time time) const;
  Time last_read(std::int32_t value, const Span& span) const;  // made if there is none
  void hold(std::int64_t bytes, Time from, Time to);
  void hold_gradients();
  // Changes the bytes of value between the run before time and the one after it, when a run at time appears (sign 1) or not (-1).
  void split(std::int32_t value, Time time, std::int64_t sign);
  void move_tape(std::int32_t operation, Time time, std::int64_t sign);
  void set_read(std::int32_t value, Time time, bool exists);

  const GraphCosts& costs_;
  const std::int32_t size_;
  const Time stage_length_;
  StageMemory memory_;
  std::vector<std::vector<Time>> runs_;   // by operation, in order
  std::vector<std::vector<Time>> reads_;  // by value, in order
  std::set<Recomputation> recomputations_;
  double time_ = 0;
};

}  // namespace ckpt::plan
