// Finds the division of a chain of identical steps with the least sum, for the planners that divide chains recursively.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ckpt::plan {

// Returns the minimum of a[i] + b[i] (equal lengths, at least 1). Two vectors per instruction: planning spends most of its time
// here.
double min_sum(std::span<const double> a, std::span<const double> b);

// For chains of 1, 2, .. steps, in this order: the minimum over j, 1 <= j < steps, of ahead(j) + after(steps - j).
class Splits {
 public:
  explicit Splits(std::int64_t max_steps)
      : most_(static_cast<std::size_t>(max_steps)), ahead_(most_ + 1), after_from_end_(most_ + 1) {}

  void set_ahead(std::int64_t steps, double value) { ahead_[static_cast<std::size_t>(steps)] = value; }
  void set_after(std::int64_t steps, double value) { after_from_end_[most_ - static_cast<std::size_t>(steps)] = value; }

  // steps: at least 2.
  double min(std::int64_t steps) const {
    const auto divisions = static_cast<std::size_t>(steps) - 1;
    return min_sum(std::span(ahead_).subspan(1, divisions), std::span(after_from_end_).subspan(most_ - divisions, divisions));
  }

 private:
  std::size_t most_;
  std::vector<double> ahead_;
  std::vector<double> after_from_end_;  // reversed, so that both are read forward
};

struct Split {
  double min = 0;
  std::int64_t at = 0;  // the first j with the minimum
};

// The same for one chain, with the position of the minimum: for making a schedule from the tables.
template <class Ahead, class After>
Split find_split(std::int64_t steps, const Ahead& ahead, const After& after) {
  Split found{ahead(1) + after(steps - 1), 1};
  for (std::int64_t j = 2; j < steps; ++j) {
    const double sum = ahead(j) + after(steps - j);
    if (sum < found.min) found = {sum, j};
  }
  return found;
}

// Fails with Error(out_of_range) if this many tables, each of which divides every number of steps up to this, would take minutes
// or too much memory.
void require_plannable(std::int64_t steps, std::int64_t tables);

}  // namespace ckpt::plan
