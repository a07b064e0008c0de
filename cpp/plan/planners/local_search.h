// Schedules as rows of layer runs, and the search for better ones next to those that a frontier gives.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/action.h"
#include "plan/planners/chain_costs.h"

namespace ckpt::plan {

// One layer's run, or the turn. What is dropped when follows from what is used later.
struct Run {
  enum class Kind : std::uint8_t { forward, tape, turn, backward } kind = Kind::forward;
  std::int32_t layer = 0;
  std::int32_t option = 0;
  bool by_forward = false;  // of a tape whose output nothing uses: by FORWARD_TAPE, though the layer could record alone
};

// A row of runs, and what it costs.
struct RunList {
  std::vector<Run> runs;
  std::int64_t live_bytes = 0;
  double time = 0;
};

// The runs of a list of actions in memory alone, with their cost.
RunList runs_of(const ChainCosts& costs, const std::vector<Action>& actions);
// The actions of a row of runs: drops, in place where a layer may, RECORD where an output is not needed.
std::vector<Action> actions_of(const ChainCosts& costs, const RunList& list);

// Goes on from the given rows: takes runs away, adds some, moves tapes to other runs of their layers, and changes options, as long
// as a row comes of it that takes less time than any known within its bytes. Returns those that no other beats, by rising bytes.
// most_runs: of layers that are counted in all; the search ends there.
std::vector<RunList> search_locally(const ChainCosts& costs, const std::vector<RunList>& lists, std::int64_t most_runs);

}  // namespace ckpt::plan
