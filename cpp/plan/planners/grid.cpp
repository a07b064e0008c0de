#include "plan/planners/grid.h"

#include <algorithm>
#include <cmath>

namespace ckpt::plan {
namespace {

constexpr double max_units = 1 << 28;  // per quantity, so that sums of a few fit in 32 bits

constexpr double max_time = 1e300;  // stands for a feasible time that the grid rounds to infinity

// Returns the minimum over the checkpoints j of a row, in bytes: the maximum of the layers before it and of either of the two
// works.
std::int64_t min_of_checkpoints(const std::int64_t* forwards, const std::int64_t* outer, const std::int64_t* inner,
                                std::int64_t count, std::int64_t held, std::int64_t min) {
  for (std::int64_t k = 0; k < count; ++k) min = std::min(min, std::max({held + forwards[k], outer[k], inner[k]}));
  return min;
}

}  // namespace

Grid::Grid(const ChainCosts& costs, const GridLimits& limits)
    : ChainTable(costs, false), chain_(make_chain(limits)), min_bytes_(make_least_bytes()), table_(chain_) {}

std::int32_t Grid::units(double bytes) const {
  return static_cast<std::int32_t>(std::floor(std::clamp(bytes / unit_bytes_, -max_units, max_units) + 0.5));
}

// Returns the rounded units of bytes that follow `before` bytes.
std::int32_t Grid::units_after(std::int64_t before, std::int64_t bytes) const {
  return units(static_cast<double>(before + bytes)) - units(static_cast<double>(before));
}

GridChain Grid::make_chain(const GridLimits& limits) {
  const std::int64_t n = layers();
  GridChain chain;
  chain.layers = n;
  std::int64_t rows = 0;
  for (std::int64_t i = 0; i <= n; ++i) {
    chain.line_of.push_back(chain.lines.size());
    for (const bool stays : {false, true}) {
      if (stays && !may_stay(i)) continue;
      chain.lines.push_back({i, stays, rows});
      rows += n + 1 - i;
    }
  }
  const std::int64_t live_bytes = std::max<std::int64_t>(limits.live_bytes, 1);
  chain.units = std::min(limits.units, live_bytes);
  while (chain.units > 1 && GridTable::bytes(rows, chain.units) > limits.table_bytes) chain.units -= GridTable::width;
  chain.units = std::max<std::int64_t>(chain.units, 1);
  unit_bytes_ = static_cast<double>(live_bytes) / static_cast<double>(chain.units);

  std::int64_t inputs_before = 0;
  for (std::int64_t i = 0; i <= n; ++i) {
    chain.input_shift.push_back(units_after(inputs_before, costs().input_bytes(i)));
    inputs_before += costs().input_bytes(i);
    chain.held.push_back(i < n ? units(static_cast<double>(held_at(i))) : 0);
  }
  std::vector<std::int64_t> kept_before(static_cast<std::size_t>(n + 1));  // if every layer records under its first option
  chain.first_term.push_back(0);
  for (const GridChain::Line& line : chain.lines) {
    const std::int64_t i = line.layer;
    for (std::int64_t last = i; last <= n; ++last) {
      for_each_recording({i, {last}, line.input_stays}, [&](const Rule& rule) {
        GridTerm term{.at_least = units(static_cast<double>(rule.at_least + ambient_before(i))),
                      .seconds = static_cast<float>(costs().seconds(rule.time))};
        if (rule.has_inner) {
          const std::int64_t kept = kept_bytes(rule);
          if (!line.input_stays && rule.option == 0)
            kept_before[static_cast<std::size_t>(i + 1)] = kept_before[static_cast<std::size_t>(i)] + kept;
          term.inner_row = row_of(rule.inner, chain);
          term.inner_shift = units_after(kept_before[static_cast<std::size_t>(i)], kept);
        }
        chain.terms.push_back(term);
      });
      chain.first_term.push_back(chain.terms.size());
    }
  }
  chain.again = make_forwards(false, chain.units);
  chain.first_pass = make_forwards(true, chain.units);
  return chain;
}

std::int64_t Grid::held_at(std::int64_t last) const {
  return last == layers() ? 0 : costs().input_bytes(last + 1) + ambient_before(last + 1) + costs().kept_output_bytes();
}

// The bytes of a tape rule's node that its inner node may not use; both nodes count ambient state.
std::int64_t Grid::kept_bytes(const Rule& rule) const {
  return rule.inner_shift - costs().ambient_bytes(rule.inner.first - 1, rule.inner.first);
}

// N(k) of a FORWARD that begins with layer k, or before it.
std::int64_t Grid::forward_bytes_at(std::int64_t k, bool begins, bool first_pass, std::int32_t option) const {
  const std::int64_t first = begins ? k : k - 1;
  return forward_bytes({first, {first_pass ? layers() : k}, false}, k, option) + (first_pass ? ambient_before(first) : 0);
}

GridForwards Grid::make_forwards(bool first_pass, std::int64_t units_in_all) const {
  std::vector<GridForwards::Layer> forwards(static_cast<std::size_t>(layers()));
  for (std::int64_t k = 0; k < layers(); ++k) {
    for (std::int32_t o = 0; o < costs().options(k); ++o) {
      const auto choice = [&](bool begins) {
        return GridForwards::Choice{units(static_cast<double>(forward_bytes_at(k, begins, first_pass, o))),
                                    costs().option(k, o).forward_time};
      };
      forwards[static_cast<std::size_t>(k)].as_first.push_back(choice(true));
      if (k > 0) forwards[static_cast<std::size_t>(k)].after.push_back(choice(false));
    }
  }
  return GridForwards(forwards, units_in_all, costs().seconds(1));
}

// The same recurrence with exact bytes, only to decide what fits.
std::vector<std::int64_t> Grid::make_least_bytes() const {
  const std::int64_t n = layers();
  const auto stride = static_cast<std::size_t>(n + 1);
  std::vector<std::int64_t> min(static_cast<std::size_t>(chain_.rows()), 2 * largest_bytes);
  // by last layer and checkpoint, including the checkpoint itself
  std::vector<std::int64_t> inner(stride * stride, 2 * largest_bytes);
  std::vector<std::int64_t> forwards_again(stride);
  std::vector<std::int64_t> forwards_first(stride);
  for (std::size_t line = chain_.lines.size(); line-- > 0;) {
    const std::int64_t i = chain_.lines[line].layer;
    const bool stays = chain_.lines[line].input_stays;
    for (const bool first_pass : {false, true}) {
      std::int64_t max = 0;
      for (std::int64_t k = i; k < n; ++k) {
        std::int64_t fewest = largest_bytes;
        for (std::int32_t o = 0; o < costs().options(k); ++o) fewest = std::min(fewest, forward_bytes_at(k, k == i, first_pass, o));
        max = std::max(max, fewest);
        (first_pass ? forwards_first : forwards_again)[static_cast<std::size_t>(k + 1)] = max;
      }
    }
    for (std::int64_t last = i; last <= n; ++last) {
      std::int64_t& here = min[static_cast<std::size_t>(chain_.row(line, last))];
      for_each_recording({i, {last}, stays}, [&](const Rule& rule) {
        std::int64_t bytes = rule.at_least + ambient_before(i);
        if (rule.has_inner) bytes = std::max(bytes, min[static_cast<std::size_t>(row_of(rule.inner, chain_))] + kept_bytes(rule));
        here = std::min(here, bytes);
      });
      here = min_of_checkpoints((last == n ? forwards_first : forwards_again).data() + i + 1,
                                min.data() + chain_.lines[line].first_row,
                                inner.data() + static_cast<std::size_t>(last) * stride + i + 1, last - i, held_at(last), here);
      if (!stays) inner[static_cast<std::size_t>(last) * stride + static_cast<std::size_t>(i)] = here + costs().input_bytes(i);
    }
  }
  return min;
}

std::int64_t Grid::row_of(const Node& node, const GridChain& chain) const {
  const bool stays = node.input_stays && may_stay(node.first);
  return chain.row(chain.line_of[static_cast<std::size_t>(node.first)] + (stays ? 1 : 0), node.goal.last);
}

std::int64_t Grid::min_live_bytes() const {
  return min_bytes_[static_cast<std::size_t>(row_of(root(), chain_))] + costs().input_bytes(0);
}

double Grid::min_time(const Node& node, std::int64_t bytes) const {
  const std::int64_t row = row_of(node, chain_);
  const std::int64_t all_bytes = bytes + ambient_before(node.first);
  if (all_bytes < min_bytes_[static_cast<std::size_t>(row)]) return never;
  std::int64_t unit = std::clamp<std::int64_t>(units(static_cast<double>(all_bytes)), 0, chain_.units);
  float seconds = table_.at(row, unit);
  while (seconds == no_seconds && unit < chain_.units) seconds = table_.at(row, ++unit);
  return seconds < no_seconds ? static_cast<double>(seconds) / costs().seconds(1) : max_time;
}

}  // namespace ckpt::plan
