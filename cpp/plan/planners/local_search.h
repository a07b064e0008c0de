// Schedules as lists of layer runs, and a local search that starts from the schedules of a frontier.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "plan/action.h"
#include "plan/planners/chain_costs.h"

namespace ckpt::plan {

// One layer's run, or the turn. Drops follow from later uses.
struct Run {
  enum class Kind : std::uint8_t { forward, tape, turn, backward } kind = Kind::forward;
  std::int32_t layer = 0;
  std::int32_t option = 0;
  bool by_forward = false;     // for a tape with an unused output: by FORWARD_TAPE, although the layer has RECORD
  bool leaves_output = false;  // for a tape by RECORD: its output exists, and is used later
};

// A list of runs and its cost.
struct RunList {
  std::vector<Run> runs;
  std::int64_t live_bytes = 0;
  double time = 0;
};

// Computes the bytes and the time of a list. Returns false if it violates a rule.
bool count_runs(const ChainCosts& costs, RunList& list);
// Converts actions that use memory only to runs, and computes their cost.
RunList runs_of(const ChainCosts& costs, const std::vector<Action>& actions);
// Converts runs to actions: adds drops, runs in place where a layer allows it, and uses RECORD where an output is not needed.
std::vector<Action> actions_of(const ChainCosts& costs, const RunList& list);

// Starting from the given lists, removes and adds runs, moves tapes to other runs of their layers, moves runs before a backward,
// and changes options. Continues as long as that finds a list that takes less time than any known one within its bytes. Returns the
// lists that no other dominates, by increasing bytes. live_bytes: lists with a larger peak are ignored. max_runs: the search stops
// after counting this many layer runs in total.
std::vector<RunList> search_locally(const ChainCosts& costs, const std::vector<RunList>& lists, std::int64_t max_runs,
                                    std::int64_t live_bytes = std::numeric_limits<std::int64_t>::max());

}  // namespace ckpt::plan
