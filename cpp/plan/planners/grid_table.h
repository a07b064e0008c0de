// Least times of a chain's nodes on a grid: one row of floats for each span of layers, one value for each whole unit of bytes.
//
// A row represents a node (i, {l}, p) of chain_table.h. Its bytes include the ambient state of all layers before l+1, so that the
// shift for a checkpoint depends only on the checkpoint:
//
//   row(i, l)[m] = min over i < j <= l of row(i, j-1)[m] + seconds(i, j) + row(j, l)[m - input(j)],
//
// and the alternatives that record layer i first. Rows do not store which alternative was the minimum: it is recomputed where a
// schedule needs it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace ckpt::plan {

constexpr float no_seconds = std::numeric_limits<float>::infinity();  // no work fits

// An alternative that records the first layer of a row, or turns.
struct GridTerm {
  std::int32_t at_least = 0;    // units
  float seconds = 0;            // of that layer
  std::int64_t inner_row = -1;  // row of the layers after it; -1: none
  std::int32_t inner_shift = 0;
};

// Layers i .. j-1 run without tape.
class GridForwards {
 public:
  // From at_least units beyond the held ones, a layer can run in this time: integers, ticks of ChainCosts.
  struct Choice {
    std::int32_t at_least = 0;
    double time = 0;
  };
  // The first layer of a row needs other bytes than the layers after it.
  struct Layer {
    std::vector<Choice> as_first;
    std::vector<Choice> after;
  };

  GridForwards() = default;
  GridForwards(const std::vector<Layer>& layers, std::int64_t units, double seconds_per_tick);

  // Units from which all of them fit; and from which each fits under its fastest option.
  std::int32_t at_least(std::int64_t i, std::int64_t j) const { return at_least_[place(i, j)]; }
  std::int32_t fastest_from(std::int64_t i, std::int64_t j) const { return fastest_from_[place(i, j)]; }
  float fastest_seconds(std::int64_t i, std::int64_t j) const { return seconds_in(columns_ - 1, i, j); }
  // units: at_least(i, j) or more
  float seconds(std::int64_t i, std::int64_t j, std::int64_t units) const {
    return seconds_in(std::min(units, columns_ - 1), i, j);
  }

 private:
  std::size_t place(std::int64_t i, std::int64_t j) const { return static_cast<std::size_t>(i * (n_ + 1) + j); }
  float seconds_in(std::int64_t column, std::int64_t i, std::int64_t j) const {
    const double* const after = after_.data() + column * (n_ + 1);
    return static_cast<float>((as_first_[static_cast<std::size_t>(column * n_ + i)] + (after[j] - after[i + 1])) *
                              seconds_per_tick_);
  }

  std::int64_t n_ = 0;
  double seconds_per_tick_ = 1;
  std::int64_t columns_ = 1;  // by units; one column if more units make no layer faster
  std::vector<std::int32_t> at_least_;
  std::vector<std::int32_t> fastest_from_;
  std::vector<double> as_first_;  // by column and layer
  std::vector<double> after_;     // by column: prefix sums over the layers
};

// A chain in units.
struct GridChain {
  struct Line {
    std::int64_t layer = 0;
    bool input_stays = false;
    std::int64_t first_row = 0;
  };

  std::int64_t row(std::size_t line, std::int64_t last) const { return lines[line].first_row + last - lines[line].layer; }
  const GridForwards& forwards(std::int64_t last) const { return last == layers ? first_pass : again; }
  std::span<const GridTerm> terms_of(std::int64_t row) const {
    const auto at = first_term.begin() + row;
    return std::span(terms).subspan(at[0], at[1] - at[0]);
  }
  std::int64_t rows() const { return static_cast<std::int64_t>(first_term.size()) - 1; }

  std::int64_t layers = 0;
  std::int64_t units = 0;            // columns 0 .. units
  std::vector<Line> lines;           // rows with the same first layer and p, by increasing layers, p = 0 first
  std::vector<std::size_t> line_of;  // by first layer, p = 0
  std::vector<GridTerm> terms;
  std::vector<std::size_t> first_term;    // by row, and the end of the last
  std::vector<std::int32_t> held;         // by last layer
  std::vector<std::int32_t> input_shift;  // by checkpoint
  GridForwards again;
  GridForwards first_pass;
};

// Instruction sets for filling a table; the results are bitwise identical.
enum class GridSet : std::uint8_t { plain, avx2, avx512 };

GridSet best_grid_set();  // of this processor

class GridTable {
 public:
  // Rows are filled in blocks that fit the processor's caches and registers.
  explicit GridTable(const GridChain& chain, GridSet set = best_grid_set());

  // Seconds. unit: 0 .. units
  float at(std::int64_t row, std::int64_t unit) const {
    return cells_[place(row, unit / width) + static_cast<std::size_t>(unit % width)];
  }

  static constexpr std::int64_t width = 32;  // columns that are filled at once
  static std::int64_t bytes(std::int64_t rows, std::int64_t units) {
    return rows * (units / width + 1) * width * static_cast<std::int64_t>(sizeof(float));
  }

 private:
  template <std::int64_t lanes>
  class Filler;

  std::size_t place(std::int64_t row, std::int64_t chunk) const {
    return static_cast<std::size_t>((chunk * rows_ + row + 1) * width);
  }

  std::int64_t rows_;
  std::unique_ptr<float[]> cells_;  // by chunk of columns, then by row; one extra at either end, read but not used
};

}  // namespace ckpt::plan
