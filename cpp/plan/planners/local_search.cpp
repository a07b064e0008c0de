#include "plan/planners/local_search.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <utility>

namespace ckpt::plan {
namespace {

// The state of the inputs around a run, determined by their later uses.
struct Uses {
  bool input_ends = false;   // INPUT(layer) is not used later
  bool output_ends = false;  // nor is INPUT(layer + 1)
};

// Returns true if the run is a RECORD of a layer that does not have to run forward for it. Its output is an item afterwards only if
// the layer's backward reads it.
bool records_without_forward(const ChainCosts& costs, const Run& run, const Uses& uses) {
  return run.kind == Run::Kind::tape && !run.by_forward && costs.option(run.layer, run.option).has_record &&
         (uses.output_ends || costs.layer(run.layer).needs_output);
}

// Computes the cost of a list of runs. Its buffers are reused for the next list.
class Counter {
 public:
  explicit Counter(const ChainCosts& costs)
      : costs_(costs),
        used_later_(static_cast<std::size_t>(costs.layers()) + 1),
        present_(used_later_.size()),
        tapes_(used_later_.size()) {}

  // Returns false if the list breaks a rule, does unnecessary work, or exceeds max_bytes.
  bool count(RunList& list, std::int64_t max_bytes = std::numeric_limits<std::int64_t>::max()) {
    find_uses(list.runs);
    std::fill(present_.begin(), present_.end(), false);
    std::fill(tapes_.begin(), tapes_.end(), -1);
    forwarded_ = 0;
    output_is_callers_ = false;
    max_bytes_ = max_bytes;
    present_[0] = true;
    live_ = peak_ = costs_.input_bytes(0);
    time_ = 0;
    for (std::size_t r = 0; r < list.runs.size(); ++r) {
      const Run& run = list.runs[r];
      const bool fits = run.kind == Run::Kind::backward ? backward(run, uses_[r])
                        : run.kind == Run::Kind::turn   ? turn(uses_[r])
                                                        : forward(run, uses_[r]);
      if (!fits || peak_ > max_bytes_) return false;
    }
    list.live_bytes = peak_;
    list.time = time_;
    return true;
  }

  // Returns the uses of the last counted list.
  const std::vector<Uses>& uses() const { return uses_; }

 private:
  // Backwards from the end: an input ends with its last use.
  void find_uses(const std::vector<Run>& runs) {
    uses_.assign(runs.size(), {});
    std::fill(used_later_.begin(), used_later_.end(), false);
    const auto use = [this](std::int32_t index) { return !std::exchange(used_later_[static_cast<std::size_t>(index)], true); };
    for (std::size_t r = runs.size(); r-- > 0;) {
      const Run& run = runs[r];
      Uses& uses = uses_[r];
      switch (run.kind) {
        case Run::Kind::turn: uses.input_ends = use(run.layer); break;
        case Run::Kind::backward:
          if (costs_.layer(run.layer).needs_output) uses.output_ends = use(run.layer + 1);
          if (costs_.layer(run.layer).needs_input) uses.input_ends = use(run.layer);
          break;
        default:
          uses.output_ends =
              (run.leaves_output && !run.by_forward) || !std::exchange(used_later_[static_cast<std::size_t>(run.layer) + 1], false);
          uses.input_ends = use(run.layer);
      }
    }
  }

  void grow(std::int64_t bytes) {
    live_ += bytes;
    peak_ = std::max(peak_, live_);
  }
  void end_input(std::int32_t index) {
    const bool stays = costs_.keeps(index) || (index == costs_.layers() && std::exchange(output_is_callers_, false));
    if (!stays) live_ -= costs_.input_bytes(index);
    present_[static_cast<std::size_t>(index)] = false;
  }

  bool forward(const Run& run, const Uses& uses) {
    const std::int32_t k = run.layer;
    const LayerCost& layer = costs_.layer(k);
    const OptionCost& option = costs_.option(k, run.option);
    const bool tape = run.kind == Run::Kind::tape;
    const bool again = k < forwarded_;
    if (!present_[static_cast<std::size_t>(k)] || (again && !layer.deterministic) || (!tape && uses.output_ends)) return false;
    if (tape && tapes_[static_cast<std::size_t>(k)] >= 0) return false;
    if (!again) grow(layer.ambient_bytes);
    forwarded_ = std::max<std::int64_t>(forwarded_, k + 1);
    const std::int64_t output = costs_.input_bytes(k + 1);
    const std::int64_t passing = again ? layer.ambient_bytes : 0;
    const bool records = records_without_forward(costs_, run, uses);
    const std::int64_t workspace = records ? option.record_workspace_bytes : option.forward_workspace_bytes;
    time_ += records ? option.record_time : option.forward_time;
    if (tape && uses.output_ends) {
      const std::int64_t scratch = (records ? costs_.needed_output_bytes(k) : output) + workspace;
      grow(option.tape_bytes);
      grow(passing + scratch);
      live_ -= passing + scratch;
    } else {
      const bool in_place = !tape && uses.input_ends && costs_.may_advance(k);
      const std::int64_t before = costs_.input_bytes(k);
      const std::int64_t kept = (in_place ? output - before : output) + (tape ? option.tape_bytes : 0);
      const std::int64_t during = in_place ? std::max(before, output) - before : kept;
      grow(during + passing + workspace);
      live_ += kept - during - passing - workspace;
      present_[static_cast<std::size_t>(k) + 1] = true;
      if (in_place) {
        present_[static_cast<std::size_t>(k)] = false;
        return true;
      }
    }
    if (tape) tapes_[static_cast<std::size_t>(k)] = run.option;
    if (uses.input_ends) end_input(k);
    return true;
  }

  bool turn(const Uses& uses) {
    const auto n = static_cast<std::int32_t>(costs_.layers());
    if (!present_[static_cast<std::size_t>(n)]) return false;
    grow(costs_.input_bytes(n));
    output_is_callers_ = costs_.kept_output_bytes() > 0;
    if (uses.input_ends) end_input(n);
    return true;
  }

  bool backward(const Run& run, const Uses& uses) {
    const std::int32_t i = run.layer;
    const LayerCost& layer = costs_.layer(i);
    if (tapes_[static_cast<std::size_t>(i)] != run.option) return false;
    if (layer.needs_input && !present_[static_cast<std::size_t>(i)]) return false;
    if (layer.needs_output && !present_[static_cast<std::size_t>(i) + 1]) return false;
    const OptionCost& option = costs_.option(i, run.option);
    const std::int64_t after = costs_.input_bytes(i + 1);
    const std::int64_t others = costs_.backward_bytes(i, run.option) - after - costs_.needed_output_bytes(i);
    grow(others);
    live_ += costs_.grad_bytes(i) - after - others - option.tape_bytes - layer.ambient_bytes;
    if (uses.output_ends) end_input(i + 1);
    if (uses.input_ends) end_input(i);
    time_ += option.backward_time;
    return true;
  }

  const ChainCosts& costs_;
  std::vector<Uses> uses_;
  std::vector<char> used_later_;
  std::vector<char> present_;
  std::vector<std::int32_t> tapes_;
  std::int64_t forwarded_ = 0;
  bool output_is_callers_ = false;  // INPUT(n) is still the buffer that the TURN handed over
  std::int64_t live_ = 0;
  std::int64_t peak_ = 0;
  std::int64_t max_bytes_ = 0;
  double time_ = 0;
};

// The lists that no other dominates, by bytes.
class Archive {
 public:
  // Returns true if the list dominates, or is not dominated by, all members.
  bool add(const RunList& list) {
    auto above = rows_.upper_bound(list.live_bytes);
    if (above != rows_.begin() && std::prev(above)->second.time <= list.time) return false;
    auto beaten = rows_.lower_bound(list.live_bytes);
    while (beaten != rows_.end() && beaten->second.time >= list.time) beaten = rows_.erase(beaten);
    rows_.emplace(list.live_bytes, list);
    return true;
  }
  bool has(const RunList& list) const {
    const auto found = rows_.find(list.live_bytes);
    return found != rows_.end() && found->second.time == list.time;
  }
  const std::map<std::int64_t, RunList>& rows() const { return rows_; }

 private:
  std::map<std::int64_t, RunList> rows_;
};

// For chains up to this length, pairs of moves are tried too.
constexpr std::int64_t max_layers_for_pairs = 6;

// Returns true for a FORWARD that ends where the run begins and keeps its own input: the input would stay while the FORWARD
// continues.
bool continues_past(const Action& action, const Run& run) {
  return action.kind == Kind::forward && action.last == run.layer && action.option == run.option;
}

bool runs_forward(const Run& run) { return run.kind == Run::Kind::forward || run.kind == Run::Kind::tape; }

class LocalSearch {
 public:
  LocalSearch(const ChainCosts& costs, std::int64_t max_runs, std::int64_t live_bytes)
      : costs_(costs), counter_(costs), runs_left_(max_runs), live_bytes_(live_bytes) {}

  std::vector<RunList> search(const std::vector<RunList>& lists) {
    for (const RunList& list : lists) {
      if (archive_.add(list)) waiting_.push_back(list);
    }
    while (!waiting_.empty() && runs_left_ > 0) {
      const RunList list = std::move(waiting_.front());
      waiting_.pop_front();
      if (archive_.has(list)) look_around(list, costs_.layers() <= max_layers_for_pairs ? 2 : 1);
    }
    std::vector<RunList> best;
    for (const auto& [bytes, row] : archive_.rows()) best.push_back(row);
    return best;
  }

 private:
  void consider(RunList&& list, int depth) {
    runs_left_ -= std::ssize(list.runs);
    if (runs_left_ < 0 || !counter_.count(list, live_bytes_)) return;
    if (archive_.add(list)) {
      waiting_.push_back(list);
    } else if (depth > 1) {
      look_around(list, depth - 1);
    }
  }

  void look_around(const RunList& list, int depth) {
    for (std::size_t r = 0; r < list.runs.size(); ++r) {
      if (!runs_forward(list.runs[r])) continue;
      if (list.runs[r].kind == Run::Kind::forward) {
        remove_run(list, r, depth);
        move_tape(list, r, depth);
      }
      change_option(list, r, depth);
      change_recording(list, r, depth);
      move_before_backward(list, r, depth);
    }
    add_runs(list, depth);
  }

  void remove_run(const RunList& list, std::size_t r, int depth) {
    RunList changed = list;
    changed.runs.erase(changed.runs.begin() + static_cast<std::ptrdiff_t>(r));
    consider(std::move(changed), depth);
  }

  void move_tape(const RunList& list, std::size_t r, int depth) {
    for (std::size_t taped = 0; taped < list.runs.size(); ++taped) {
      if (list.runs[taped].kind != Run::Kind::tape || list.runs[taped].layer != list.runs[r].layer) continue;
      RunList changed = list;
      changed.runs[r].kind = Run::Kind::tape;
      changed.runs[r].option = list.runs[taped].option;
      changed.runs[r].by_forward = false;
      changed.runs[taped].kind = Run::Kind::forward;
      RunList shorter = changed;
      shorter.runs.erase(shorter.runs.begin() + static_cast<std::ptrdiff_t>(taped));
      consider(std::move(changed), depth);
      consider(std::move(shorter), depth);
    }
  }

  void change_option(const RunList& list, std::size_t r, int depth) {
    const Run& run = list.runs[r];
    for (std::int32_t o = 0; o < costs_.options(run.layer); ++o) {
      if (o == run.option) continue;
      RunList changed = list;
      changed.runs[r].option = o;
      for (Run& other : changed.runs) {
        if (run.kind == Run::Kind::tape && other.kind == Run::Kind::backward && other.layer == run.layer) other.option = o;
      }
      consider(std::move(changed), depth);
    }
  }

  void change_recording(const RunList& list, std::size_t r, int depth) {
    if (list.runs[r].kind != Run::Kind::tape || !costs_.option(list.runs[r].layer, list.runs[r].option).has_record) return;
    RunList changed = list;
    changed.runs[r].by_forward = !list.runs[r].by_forward;
    consider(std::move(changed), depth);
  }

  // Moves the runs between a backward and r, and r itself, before that backward or before earlier ones next to it. A layer that is
  // recorded before a gradient grows needs its input no longer when it has grown.
  void move_before_backward(const RunList& list, std::size_t r, int depth) {
    std::size_t first = r;
    while (first > 0 && runs_forward(list.runs[first - 1])) --first;
    for (std::size_t before = first; before > 0 && list.runs[before - 1].kind == Run::Kind::backward; --before) {
      RunList changed = list;
      const auto begin = changed.runs.begin();
      std::rotate(begin + static_cast<std::ptrdiff_t>(before - 1), begin + static_cast<std::ptrdiff_t>(first),
                  begin + static_cast<std::ptrdiff_t>(r) + 1);
      consider(std::move(changed), depth);
    }
  }

  void add_runs(const RunList& list, int depth) {
    // Many positions are possible: tried only if enough work is left for the waiting lists.
    const std::int64_t cost = std::ssize(list.runs) * std::ssize(list.runs) * costs_.layers();
    if (cost > runs_left_ / (std::ssize(waiting_) + 1)) return;
    for (std::size_t at = 0; at <= list.runs.size(); ++at) {
      for (std::int32_t k = 0; k < costs_.layers(); ++k) {
        for (std::int32_t o = 0; o < costs_.options(k); ++o) {
          RunList changed = list;
          changed.runs.insert(changed.runs.begin() + static_cast<std::ptrdiff_t>(at), Run{Run::Kind::forward, k, o, false});
          consider(std::move(changed), depth);
        }
      }
    }
  }

  const ChainCosts& costs_;
  Counter counter_;
  std::int64_t runs_left_;
  std::int64_t live_bytes_;
  Archive archive_;
  std::deque<RunList> waiting_;
};

}  // namespace

bool count_runs(const ChainCosts& costs, RunList& list) { return Counter(costs).count(list); }

RunList runs_of(const ChainCosts& costs, const std::vector<Action>& actions) {
  RunList list;
  for (const Action& action : actions) {
    const auto add = [&](Run::Kind kind) {
      for (std::int64_t k = action.first; k < action.last; ++k)
        list.runs.push_back({kind, static_cast<std::int32_t>(k), action.option, action.kind == Kind::forward_tape});
    };
    switch (action.kind) {
      case Kind::forward:
      case Kind::advance: add(Run::Kind::forward); break;
      case Kind::forward_tape:
      case Kind::record: add(Run::Kind::tape); break;
      case Kind::backward: add(Run::Kind::backward); break;
      case Kind::turn: list.runs.push_back({Run::Kind::turn, static_cast<std::int32_t>(costs.layers())}); break;
      default: break;
    }
  }
  count_runs(costs, list);
  return list;
}

std::vector<Action> actions_of(const ChainCosts& costs, const RunList& list) {
  Counter counter(costs);
  RunList counted = list;
  counter.count(counted);
  std::vector<Action> actions;
  for (std::size_t r = 0; r < list.runs.size(); ++r) {
    const Run& run = list.runs[r];
    const Uses& uses = counter.uses()[r];
    const std::int32_t i = run.layer;
    const auto add = [&](Kind kind) { actions.push_back({.kind = kind, .first = i, .last = i + 1, .option = run.option}); };
    bool drops_input = uses.input_ends;
    bool drops_output = false;
    bool records = false;
    switch (run.kind) {
      case Run::Kind::turn: actions.push_back(turn()); break;
      case Run::Kind::backward:
        add(Kind::backward);
        drops_output = uses.output_ends;
        break;
      case Run::Kind::tape:
        records = records_without_forward(costs, run, uses) || (uses.output_ends && !costs.option(i, run.option).has_record);
        add(records ? Kind::record : Kind::forward_tape);
        drops_output = uses.output_ends && (!records || costs.layer(i).needs_output);
        break;
      case Run::Kind::forward:
        if (uses.input_ends && r > 0 && continues_past(actions.back(), run)) {
          ++actions.back().last;  // it ends its input itself
        } else {
          add(costs.may_advance(i) && uses.input_ends ? Kind::advance : Kind::forward);
        }
        drops_input = drops_input && actions.back().kind == Kind::forward && actions.back().last == actions.back().first + 1;
        break;
    }
    if (drops_output) actions.push_back(drop_input(i + 1));
    if (drops_input) actions.push_back(drop_input(i));
  }
  actions.push_back(end());
  return actions;
}

std::vector<RunList> search_locally(const ChainCosts& costs, const std::vector<RunList>& lists, std::int64_t max_runs,
                                    std::int64_t live_bytes) {
  return LocalSearch(costs, max_runs, live_bytes).search(lists);
}

}  // namespace ckpt::plan
