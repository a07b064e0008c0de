// What the planners that divide a chain of like steps, again and again, look for: the division of the least sum.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ckpt::plan {

// Of a[i] + b[i] over both (of one length, at least 1). Two lanes an instruction: most of the time of a plan is spent here.
double least_sum(std::span<const double> a, std::span<const double> b);

// For chains of 1, 2, .. steps, in this order: the least over j, 1 <= j < steps, of ahead(j) + behind(steps - j).
class Splits {
 public:
  explicit Splits(std::int64_t most_steps)
      : most_(static_cast<std::size_t>(most_steps)), ahead_(most_ + 1), behind_from_end_(most_ + 1) {}

  void set_ahead(std::int64_t steps, double value) { ahead_[static_cast<std::size_t>(steps)] = value; }
  void set_behind(std::int64_t steps, double value) { behind_from_end_[most_ - static_cast<std::size_t>(steps)] = value; }

  // steps: at least 2.
  double least(std::int64_t steps) const {
    const auto divisions = static_cast<std::size_t>(steps) - 1;
    return least_sum(std::span(ahead_).subspan(1, divisions), std::span(behind_from_end_).subspan(most_ - divisions, divisions));
  }

 private:
  std::size_t most_;
  std::vector<double> ahead_;
  std::vector<double> behind_from_end_;  // turned round, so that both are read forward
};

struct Split {
  double least = 0;
  std::int64_t at = 0;  // the first j that has it
};

// The same for one chain, with the place: for those who make a schedule from the tables.
template <class Ahead, class Behind>
Split find_split(std::int64_t steps, const Ahead& ahead, const Behind& behind) {
  Split found{ahead(1) + behind(steps - 1), 1};
  for (std::int64_t j = 2; j < steps; ++j) {
    const double sum = ahead(j) + behind(steps - j);
    if (sum < found.least) found = {sum, j};
  }
  return found;
}

// Error(out_of_range) when so many tables, each of which divides every number of steps up to this, would take minutes, or more
// memory than a plan is worth.
void require_plannable(std::int64_t steps, std::int64_t tables);

}  // namespace ckpt::plan
