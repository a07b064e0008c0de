#include "plan/planners/splits.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/error.h"

namespace ckpt::plan {

double min_sum(std::span<const double> a, std::span<const double> b) {
  constexpr std::size_t lanes = 8;  // enough independent minima to hide latency
  std::array<double, lanes> min;
  min.fill(std::numeric_limits<double>::infinity());
  const std::size_t whole = a.size() / lanes * lanes;
  for (std::size_t i = 0; i < whole; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const double sum = a[i + lane] + b[i + lane];
      min[lane] = sum < min[lane] ? sum : min[lane];
    }
  }
  for (std::size_t i = whole; i < a.size(); ++i) min[0] = std::min(min[0], a[i] + b[i]);
  return *std::min_element(min.begin(), min.end());
}

void require_plannable(std::int64_t steps, std::int64_t tables) {
  constexpr double max_entries = 1 << 25;  // 256 MiB
  constexpr double max_sums = 1LL << 36;   // half a minute
  const auto length = static_cast<double>(steps);
  const double entries = length * static_cast<double>(tables);
  if (entries <= max_entries && entries * length / 2 <= max_sums) return;
  base::fail(base::Status::out_of_range, "profile has ", steps, " layers and the plan ", tables,
             " tables: too many to plan; use fewer slots, or the planner revolve");
}

}  // namespace ckpt::plan
