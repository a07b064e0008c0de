#include "plan/planners/graph_search.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <map>
#include <random>
#include <utility>

namespace ckpt::plan {
namespace {

// Repairs of store-all, and then walks that lower its peak, before the search gives up.
constexpr std::int64_t max_attempts = 30;
constexpr std::int64_t max_walks = 8;
// Random factor of a repair's choices.
constexpr double strong_noise = 4;
constexpr double unlimited_time = std::numeric_limits<double>::infinity();
// Temperature at the start of the annealing: the larger of a share of the time that recomputation takes, and a share of the mean
// time of one recomputation.
constexpr double share_of_all = 0.02;
constexpr double share_of_one = 0.3;
// Recomputations that are removed at once.
constexpr std::int64_t max_ruined = 4;
// Recomputations around the removed ones of which each is tried to be removed, too.
constexpr std::int64_t tried_before = 6;
constexpr std::int64_t tried_after = 10;
// The most recomputations tried after a split.
constexpr std::size_t max_tried_after_split = 40;

class GraphSearch {
 public:
  GraphSearch(const GraphCosts& costs, std::int64_t budget_bytes)
      : costs_(costs),
        size_(costs.size()),
        budget_bytes_(budget_bytes),
        timeline_(costs),
        shortest_(timeline_.time()),
        store_all_bytes_(static_cast<double>(timeline_.peak_bytes())) {}

  std::optional<GraphPlan> search(std::int64_t work) {
    if (!find_first(work / 4, 0)) return std::nullopt;
    remove_unneeded(all());
    GraphPlan best = plan();
    anneal(best.time, work, [&] {
      if (timeline_.time() < best.time) best = plan();
    });
    return best;
  }

  // Searches from store-all for any plan within the budget. noise: of the first repair.
  bool find(std::int64_t budget_bytes, std::int64_t work, double noise = 0) {
    start_from({}, budget_bytes);
    if (!find_first(work, noise)) return false;
    remove_unneeded(all());
    return true;
  }

  // The same, and then for faster ones.
  template <class Seen>
  void search_again(std::int64_t budget_bytes, std::int64_t work, double noise, const Seen& seen) {
    if (!find(budget_bytes, work / 4, noise)) return;
    seen();
    anneal(timeline_.time(), work, seen);
  }

  // Searches for plans faster than this one within the budget. seen(): called for each plan.
  template <class Seen>
  void improve(const GraphPlan& from, std::int64_t budget_bytes, std::int64_t work, const Seen& seen) {
    start_from(from.recomputations, budget_bytes);
    seen();
    anneal(timeline_.time(), work, seen);
  }

  GraphPlan improved(const std::vector<Recomputation>& from, std::int64_t work) {
    start_from(from, budget_bytes_);
    budget_bytes_ = std::max(budget_bytes_, timeline_.peak_bytes());
    GraphPlan best = plan();
    anneal(best.time, work, [&] {
      if (timeline_.time() < best.time) best = plan();
    });
    return best;
  }

  // Lowers the budget below the peak of a plan again and again, until nothing fits it. Leaves the plan with the fewest bytes.
  // seen(): called for each plan.
  template <class Seen>
  void lower_budget(const std::vector<Recomputation>& from, std::int64_t work, const Seen& seen) {
    start_from(from, 0);
    const std::int64_t end = this->work() + work;
    for (;;) {
      seen();
      budget_bytes_ = timeline_.peak_bytes() - 1;
      changes_.clear();
      if (!find_first(std::max<std::int64_t>(0, (end - this->work()) / 4), 0)) break;
      remove_unneeded(all());
    }
    budget_bytes_ = timeline_.peak_bytes();
  }

  // Raises the budget to that of store-all, in proportion to the work done. A longer step is accepted as in search().
  template <class Seen>
  void raise_budget(std::int64_t top_bytes, std::int64_t work, const Seen& seen) {
    const std::int64_t begin = this->work();
    const std::int64_t lowest = budget_bytes_;
    while (this->work() - begin < work && !timeline_.recomputations().empty()) {
      const double done = static_cast<double>(this->work() - begin) / static_cast<double>(work);
      budget_bytes_ = lowest + static_cast<std::int64_t>(done * static_cast<double>(top_bytes - lowest));
      if (step(0.3 * temperature(timeline_.time()))) seen();
    }
  }

  std::int64_t peak_bytes() const { return timeline_.peak_bytes(); }
  double time() const { return timeline_.time(); }
  std::int64_t work() const { return timeline_.work() + work_; }
  GraphPlan plan() const { return {all(), timeline_.peak_bytes(), timeline_.time()}; }

 private:
  struct Change {
    Recomputation recomputation;
    bool added = false;
  };

  // Recomputations at one stage that replace an item in memory.
  struct Replacement {
    std::int32_t stage = 0;
    std::vector<std::int32_t> operations;
    double time = 0;
    std::int64_t kept_bytes = 0;  // bytes that have to stay in memory for them
  };

  // Changes the plan within the budget. A longer step is accepted with a probability that falls with the work that is left.
  template <class Seen>
  void anneal(double best_time, std::int64_t work, const Seen& seen) {
    const std::int64_t begin = this->work();
    while (this->work() - begin < work && !timeline_.recomputations().empty()) {
      const double left = 1 - static_cast<double>(this->work() - begin) / static_cast<double>(work);
      if (!step(temperature(best_time) * left * left)) continue;
      best_time = std::min(best_time, timeline_.time());
      seen();
    }
  }

  // Makes a random change, and undoes it if the step becomes longer by more than a random multiple of the temperature. Returns
  // false if it finds no change.
  bool step(double temperature) {
    const double before = timeline_.time();
    changes_.clear();
    if (!change(before)) {
      undo();
      return false;
    }
    if (timeline_.time() - before > temperature * exponential()) undo();
    return true;
  }

  double temperature(double time) const {
    const auto count = static_cast<double>(std::max<std::size_t>(1, timeline_.recomputations().size()));
    return std::max(share_of_all, share_of_one / count) * (time - shortest_);
  }

  void start_from(const std::vector<Recomputation>& recomputations, std::int64_t budget_bytes) {
    for (const Recomputation& each : all()) timeline_.remove(each);
    for (const Recomputation& each : recomputations) timeline_.add(each);
    changes_.clear();
    budget_bytes_ = budget_bytes;
  }

  // ---- Random numbers: the same on every machine ----

  std::int64_t below(std::int64_t count) { return static_cast<std::int64_t>(random_() % static_cast<std::uint32_t>(count)); }
  // Exponentially distributed with mean 1, to the resolution of powers of two.
  double exponential() {
    constexpr double ln_2 = 0.693147180559945;
    return ln_2 * (std::countl_zero(static_cast<std::uint32_t>(random_())) + 0.5);
  }

  // ---- Changes ----

  void add(const Recomputation& recomputation) {
    timeline_.add(recomputation);
    changes_.push_back({recomputation, true});
  }
  void remove(const Recomputation& recomputation) {
    timeline_.remove(recomputation);
    changes_.push_back({recomputation, false});
  }
  void undo(std::size_t to = 0) {
    for (; changes_.size() > to; changes_.pop_back()) {
      const Change& last = changes_.back();
      if (last.added) {
        timeline_.remove(last.recomputation);
      } else {
        timeline_.add(last.recomputation);
      }
    }
  }

  std::vector<Recomputation> all() const { return {timeline_.recomputations().begin(), timeline_.recomputations().end()}; }

  // ---- Repair ----

  // Finds any recomputations within the budget. Changes nothing if it fails.
  bool find_first(std::int64_t max_work, double noise) {
    for (std::int64_t attempt = 0; attempt < max_attempts; ++attempt) {
      if (repair(attempt == 0 ? noise : strong_noise, unlimited_time)) return true;
      undo();
    }
    const std::vector<Recomputation> from = all();
    for (std::int64_t walk = 0; walk < max_walks; ++walk) {
      if (repair(strong_noise, unlimited_time) || lower_peak(max_work / max_walks)) return true;
      start_from(from, budget_bytes_);
    }
    return false;
  }

  // Adds and removes random recomputations. Each choice of repair() lowers the peak, which can end where only several changes at
  // once do; so this one keeps what raises the lowest peak so far by a random amount, at most a quarter of store-all's.
  bool lower_peak(std::int64_t max_work) {
    const std::int64_t begin = work();
    std::int64_t lowest = timeline_.peak_bytes();
    while (timeline_.peak_bytes() > budget_bytes_) {
      if (work() - begin > max_work) return false;
      changes_.clear();
      for (std::int64_t count = 1 + below(3); count > 0; --count) toggle_any();
      ++work_;
      const double share = static_cast<double>(below(64) * below(64)) / (4 * 64 * 64);
      if (timeline_.peak_bytes() > lowest + static_cast<std::int64_t>(share * store_all_bytes_)) undo();
      lowest = std::min(lowest, timeline_.peak_bytes());
    }
    return true;
  }

  void toggle_any() {
    const auto operation = static_cast<std::int32_t>(below(size_));
    if (!costs_.operation(operation).deterministic) return;
    const Recomputation any{static_cast<std::int32_t>(operation + 1 + below(2 * std::int64_t{size_ - operation})), operation};
    if (timeline_.has(any)) {
      remove(any);
    } else {
      add(any);
    }
  }

  // Adds recomputations until the step fits. Returns false if it takes longer than max_time, or nothing helps. noise: random
  // factor of the choices; 0: none.
  bool repair(double noise, double max_time) {
    const std::int64_t max_steps = 4 * std::int64_t{size_} + 50;
    for (std::int64_t steps = 0; timeline_.peak_bytes() > budget_bytes_; ++steps) {
      if (timeline_.time() > max_time || steps > max_steps || !relieve(noise)) return false;
    }
    return true;
  }

  // Frees the item at the fullest moment that is cheapest to replace for its bytes.
  bool relieve(double noise) {
    const GraphTimeline::Time full = timeline_.fullest();
    double lowest = unlimited_time;
    std::optional<Replacement> best;
    const auto consider = [&](std::int32_t operation, std::int32_t stage, std::int64_t bytes) {
      if (timeline_.time_of({stage, operation}) <= full) return;
      Replacement replacement{stage, {}, 0, 0};
      if (!remake(replacement, operation, full) || replacement.operations.empty()) return;
      const std::int64_t gained = bytes - replacement.kept_bytes;
      if (gained <= 0) return;
      const double price = replacement.time / static_cast<double>(gained) * (1 + noise * static_cast<double>(below(1024)) / 1024);
      if (price >= lowest) return;
      lowest = price;
      best = std::move(replacement);
    };
    for (std::int32_t i = 0; i < size_; ++i) {
      if (!costs_.operation(i).deterministic) continue;
      consider_value(i + 1, full, consider);
      const GraphTimeline::Time end = timeline_.time_of_backward(i);
      const std::int64_t tape_bytes = costs_.operation(i).tape_bytes;
      if (tape_bytes > 0 && full < end && timeline_.last_run(i, end) < full) consider(i, timeline_.stage_of(end), tape_bytes);
    }
    work_ += size_;
    if (!best) return false;
    std::sort(best->operations.begin(), best->operations.end());
    for (const std::int32_t operation : best->operations) add({best->stage, operation});
    return true;
  }

  template <class Consider>
  void consider_value(std::int32_t value, GraphTimeline::Time full, const Consider& consider) const {
    const std::int64_t bytes = costs_.value_bytes(value);
    if (bytes == 0 || !timeline_.is_live(value, full) || timeline_.is_read(value, full)) return;
    const GraphTimeline::Time read = timeline_.next_read(value, full);
    if (read == GraphTimeline::never || timeline_.last_run(value - 1, full + 1) == full) return;
    consider(value - 1, timeline_.stage_of(read), bytes);
  }

  // Adds to the replacement what the operation needs to run at its stage. Inputs in memory at the full moment are kept; others are
  // remade, unless they are made after it anyway. Returns false if an operation cannot run again.
  bool remake(Replacement& replacement, std::int32_t operation, GraphTimeline::Time full) {
    const Recomputation run{replacement.stage, operation};
    if (timeline_.has(run)) return true;
    if (std::find(replacement.operations.begin(), replacement.operations.end(), operation) != replacement.operations.end())
      return true;
    if (operation >= replacement.stage || !costs_.operation(operation).deterministic) return false;
    const GraphTimeline::Time time = timeline_.time_of(run);
    for (const std::int32_t value : costs_.operation(operation).inputs) {
      ++work_;
      if (timeline_.is_live(value, time) || timeline_.is_live(value, full)) continue;
      if (value == 0) {
        replacement.kept_bytes += costs_.input_bytes;
      } else if (timeline_.last_run(value - 1, time) < full && !remake(replacement, value - 1, full)) {
        return false;
      }
    }
    replacement.operations.push_back(operation);
    replacement.time += costs_.operation(operation).forward_time;
    return true;
  }

  // ---- Steps of the annealing ----

  // Makes a random change that fits the budget. Returns false, with changes to undo, if it finds none.
  bool change(double before) {
    const std::vector<Recomputation> list = all();
    work_ += std::ssize(list);
    return below(4) == 0 ? split(list, before) : ruin(list, before);
  }

  // Runs an operation once more, then removes what this replaces.
  bool split(std::vector<Recomputation> list, double before) {
    const auto operation = static_cast<std::int32_t>(below(size_));
    if (!costs_.operation(operation).deterministic) return false;
    const auto stage = static_cast<std::int32_t>(operation + 1 + below(2 * std::int64_t{size_ - operation}));
    if (timeline_.has({stage, operation})) return false;
    add({stage, operation});
    if (!repair(0.3, before + shortest_)) return false;
    shuffle(list);
    list.resize(std::min(list.size(), max_tried_after_split));
    remove_unneeded(std::move(list));
    return true;
  }

  // Removes neighbouring recomputations, and repairs the budget in another way.
  bool ruin(const std::vector<Recomputation>& list, double before) {
    static constexpr double noises[] = {0, 0.5, 2};
    const std::int64_t first = below(std::ssize(list));
    const std::int64_t end = std::min(first + 1 + below(max_ruined), std::ssize(list));
    for (std::int64_t i = first; i < end; ++i) remove(list[static_cast<std::size_t>(i)]);
    if (!repair(noises[below(3)], before + shortest_ / 2)) return false;
    std::vector<Recomputation> near;
    for (const Change& change : changes_) {
      if (change.added) near.push_back(change.recomputation);
    }
    const std::int64_t last = std::min(first + tried_after, std::ssize(list));
    for (std::int64_t i = std::max<std::int64_t>(0, first - tried_before); i < last; ++i)
      near.push_back(list[static_cast<std::size_t>(i)]);
    remove_unneeded(std::move(near));
    return true;
  }

  // Removes each of the recomputations, in random order, that the budget does not need.
  void remove_unneeded(std::vector<Recomputation> list) {
    shuffle(list);
    for (const Recomputation& each : list) {
      if (!timeline_.has(each)) continue;
      const std::size_t done = changes_.size();
      remove(each);
      if (timeline_.peak_bytes() > budget_bytes_) undo(done);
    }
  }

  void shuffle(std::vector<Recomputation>& list) {
    for (std::int64_t i = std::ssize(list); i > 1; --i)
      std::swap(list[static_cast<std::size_t>(i - 1)], list[static_cast<std::size_t>(below(i))]);
  }

  const GraphCosts& costs_;
  const std::int32_t size_;
  std::int64_t budget_bytes_;
  GraphTimeline timeline_;
  const double shortest_;  // without recomputations
  const double store_all_bytes_;
  std::vector<Change> changes_;
  std::mt19937 random_;  // its default seed
  std::int64_t work_ = 0;
};

// The plans that no other dominates.
class GraphFrontier {
 public:
  void add(const GraphSearch& search) {
    const double time = search.time();
    const auto after = plans_.upper_bound(search.peak_bytes());
    if (after != plans_.begin() && std::prev(after)->second.time <= time) return;
    const auto first = plans_.insert_or_assign(search.peak_bytes(), search.plan()).first;
    auto next = std::next(first);
    while (next != plans_.end() && next->second.time >= time) next = plans_.erase(next);
  }

  // Returns the plans that have at least some bytes.
  std::vector<GraphPlan> plans(std::int64_t least_bytes = 0) const {
    std::vector<GraphPlan> all;
    for (auto each = plans_.lower_bound(least_bytes); each != plans_.end(); ++each) all.push_back(each->second);
    return all;
  }

 private:
  std::map<std::int64_t, GraphPlan> plans_;  // by peak bytes
};

}  // namespace

std::vector<GraphPlan> smallest_graphs(const GraphCosts& costs, std::int64_t work) {
  GraphCosts equal = costs;
  for (GraphOperation& operation : equal.operations) operation.forward_time = operation.backward_time = 1;
  GraphSearch search(equal, 0);
  std::vector<GraphPlan> plans;
  const auto seen = [&] {
    if (plans.empty() || search.peak_bytes() < plans.back().peak_bytes) plans.push_back(search.plan());
  };
  constexpr std::int64_t rounds = 8;
  const std::int64_t work_of_each = work / rounds;
  search.lower_budget({}, work_of_each, seen);
  for (std::int64_t round = 1; round < rounds && search.work() < work; ++round) {
    // Plans near the smallest one may all have more bytes, so every second round starts from store-all.
    std::vector<Recomputation> from = plans.back().recomputations;
    if (round % 2 == 1) {
      if (!search.find(plans.back().peak_bytes - 1, work_of_each / 4)) continue;
      from = search.plan().recomputations;
    }
    search.lower_budget(from, work_of_each, seen);
  }
  return plans;
}

std::vector<GraphPlan> explore_graph(const GraphCosts& costs, const GraphPlan& smallest, std::int64_t work) {
  GraphSearch search(costs, 0);
  GraphFrontier frontier;
  const auto seen = [&] { frontier.add(search); };
  const std::int64_t top_bytes = search.peak_bytes();
  search.improve(smallest, smallest.peak_bytes, 0, seen);
  search.lower_budget({}, work / 8, seen);
  search.raise_budget(top_bytes, work / 4, seen);
  constexpr std::int64_t rounds = 8;
  for (std::int64_t round = 0; round < rounds; ++round) {
    const std::vector<GraphPlan> plans = frontier.plans();
    const std::int64_t work_of_each = work / 2 / rounds / std::ssize(plans);
    search.lower_budget(plans[0].recomputations, work_of_each, seen);
    for (std::size_t i = 0; i + 1 < plans.size(); ++i) {
      const std::int64_t budget_bytes = plans[i + 1].peak_bytes - 1;
      if (round % 2 == 0) {
        search.search_again(budget_bytes, work_of_each, static_cast<double>(round), seen);
      } else {
        search.improve(plans[i], budget_bytes, work_of_each, seen);
      }
    }
  }
  return frontier.plans(smallest.peak_bytes);
}

GraphPlan improve_graph(const GraphCosts& costs, const std::vector<Recomputation>& from, std::int64_t budget_bytes,
                        std::int64_t work) {
  return GraphSearch(costs, budget_bytes).improved(from, work);
}

std::optional<GraphPlan> search_graph(const GraphCosts& costs, std::int64_t budget_bytes, std::int64_t work) {
  return GraphSearch(costs, budget_bytes).search(work);
}

}  // namespace ckpt::plan
