// Least times of longer chains: exact in whether work fits; times are computed on a grid of bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/planners/chain_table.h"
#include "plan/planners/grid_table.h"

namespace ckpt::plan {

struct GridLimits {
  std::int64_t live_bytes = 0;             // the largest value that is queried
  std::int64_t units = 500;                // number of divisions of it, at most
  std::int64_t table_bytes = 300'000'000;  // uses fewer units if their table would be larger
};

// Whether the work of a node fits is computed exactly, so a schedule always fits; its time is computed in units. Sizes are
// rounded as differences of rounded sums: the error of a span of layers is at most one unit, however long it is.
class Grid : public ChainTable {
 public:
  // The costs must outlive the grid.
  Grid(const ChainCosts& costs, const GridLimits& limits);

  double min_time(const Node& node, std::int64_t bytes) const override;
  // Returns the fewest live bytes of a step; largest_bytes or more if no step exists.
  std::int64_t min_live_bytes() const;
  double unit_bytes() const { return unit_bytes_; }

  const GridChain& chain() const { return chain_; }
  std::int64_t root_row() const { return row_of(root(), chain_); }
  const GridTable& table() const { return table_; }

 private:
  GridChain make_chain(const GridLimits& limits);
  GridForwards make_forwards(bool first_pass, std::int64_t units_in_all) const;
  std::vector<std::int64_t> make_least_bytes() const;

  std::int32_t units(double bytes) const;
  std::int32_t units_after(std::int64_t before, std::int64_t bytes) const;
  std::int64_t ambient_before(std::int64_t i) const { return costs().ambient_bytes(0, i); }
  std::int64_t held_at(std::int64_t last) const;
  std::int64_t kept_bytes(const Rule& rule) const;
  std::int64_t forward_bytes_at(std::int64_t k, bool begins, bool first_pass, std::int32_t option) const;
  std::int64_t row_of(const Node& node, const GridChain& chain) const;

  double unit_bytes_ = 1;
  GridChain chain_;
  std::vector<std::int64_t> min_bytes_;  // by row, including the ambient bytes of all layers before it
  GridTable table_;
};

}  // namespace ckpt::plan
