// Computes the rows of a grid by plain loops over the recurrence, one value at a time.
#pragma once

#include <vector>

#include "plan/planners/grid_table.h"

// Vectorization is disabled, since GridTable is compared with this.
#if defined(__GNUC__) && !defined(__clang__)
#define CKPT_SCALAR __attribute__((noinline, optimize("no-tree-vectorize")))
#else
#define CKPT_SCALAR __attribute__((noinline))
#endif

namespace ckpt::plan::test {

class PlainGrid {
 public:
  explicit PlainGrid(const GridChain& chain) : chain_(chain), columns_(chain.units + 1) {
    cells_.assign(static_cast<std::size_t>(chain.rows() * columns_), no_seconds);
    for (std::size_t line = chain.lines.size(); line-- > 0;) {
      for (std::int64_t last = chain.lines[line].layer; last <= chain.layers; ++last) fill_row(line, last);
    }
  }

  float at(std::int64_t row, std::int64_t unit) const { return cells_[static_cast<std::size_t>(row * columns_ + unit)]; }

 private:
  float* cells(std::int64_t row) { return cells_.data() + row * columns_; }

  CKPT_SCALAR static void add(float* out, const float* left, float seconds, const float* right, std::int64_t from,
                              std::int64_t to) {
    for (std::int64_t m = from; m < to; ++m) {
      const float sum = (left[m] + seconds) + right[m];
      out[m] = sum < out[m] ? sum : out[m];
    }
  }

  void fill_row(std::size_t line, std::int64_t last) {
    const std::int64_t i = chain_.lines[line].layer;
    float* const out = cells(chain_.row(line, last));
    for (const GridTerm& term : chain_.terms_of(chain_.row(line, last))) {
      for (std::int64_t m = std::max<std::int64_t>(term.at_least, 0); m < columns_; ++m) {
        const std::int64_t rest = std::min(m - term.inner_shift, chain_.units);
        const float inner = term.inner_row < 0 ? 0 : rest < 0 ? no_seconds : cells(term.inner_row)[rest];
        out[m] = std::min(out[m], term.seconds + inner);
      }
    }
    const GridForwards& forwards = chain_.forwards(last);
    const std::int64_t held = chain_.held[static_cast<std::size_t>(last)];
    for (std::int64_t j = i + 1; j <= last; ++j) {
      const std::int64_t shift = chain_.input_shift[static_cast<std::size_t>(j)];
      const float* const left = cells(chain_.row(line, j - 1));
      const float* const right = cells(chain_.row(chain_.line_of[static_cast<std::size_t>(j)], last)) - shift;
      std::int64_t from = std::max({held + forwards.at_least(i, j), shift, std::int64_t{0}});
      for (const std::int64_t fastest = held + forwards.fastest_from(i, j); from < std::min(fastest, columns_); ++from)
        add(out, left, forwards.seconds(i, j, from - held), right, from, from + 1);
      add(out, left, forwards.fastest_seconds(i, j), right, from, columns_);
    }
  }

  const GridChain& chain_;
  std::int64_t columns_;
  std::vector<float> cells_;
};

}  // namespace ckpt::plan::test
