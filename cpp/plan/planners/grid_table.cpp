#include "plan/planners/grid_table.h"

// One body, compiled for several instruction sets; the loader picks one. Sanitizers do not bear the resolvers.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(CKPT_SANITIZED)
#define CKPT_GRID_KERNEL __attribute__((target_clones("arch=skylake-avx512", "avx2", "default")))
#define CKPT_GRID_INLINE __attribute__((always_inline)) inline
#else
#define CKPT_GRID_KERNEL
#define CKPT_GRID_INLINE inline
#endif

namespace ckpt::plan {
namespace {

constexpr std::int64_t width = GridTable::width;
constexpr std::int64_t lanes = 8;
constexpr std::int64_t tile = 4;    // lines, and last layers, of a register tile
constexpr std::int64_t strip = 32;  // checkpoints whose rows stay in the first cache together

using Lanes __attribute__((vector_size(lanes * sizeof(float)), aligned(alignof(float)), may_alias)) = float;

CKPT_GRID_INLINE Lanes& lanes_at(float* cells) { return *reinterpret_cast<Lanes*>(cells); }
CKPT_GRID_INLINE const Lanes& lanes_at(const float* cells) { return *reinterpret_cast<const Lanes*>(cells); }

inline void clear_chunk(float* cells) {
  for (std::int64_t k = 0; k < width; k += lanes) lanes_at(cells + k) = Lanes{} + no_seconds;
}

// A tile of 4 x 4 rows: four lines, and four last layers whose rows lie behind each other.
struct Tile {
  float* out[tile];                         // by line
  const float* left[tile];                  // by line: rows (i, j-1) for rising j
  const float* right;                       // by rising j and by last layer: rows (j, l), shifted
  const float* seconds[tile];               // by line, for rising j
  std::int64_t checkpoints[width / lanes];  // how many j, by lanes of columns
};

CKPT_GRID_INLINE void add_strip(const Tile& given, std::int64_t begin, std::int64_t end, std::int64_t column) {
  Lanes least[tile][tile];
  for (std::int64_t x = 0; x < tile; ++x) {
    for (std::int64_t y = 0; y < tile; ++y) least[x][y] = lanes_at(given.out[x] + y * width + column);
  }
  for (std::int64_t j = begin; j < end; ++j) {
    const float* const right = given.right + j * tile * width + column;
    for (std::int64_t x = 0; x < tile; ++x) {
      const Lanes left = lanes_at(given.left[x] + j * width + column) + given.seconds[x][j];
      for (std::int64_t y = 0; y < tile; ++y) {
        const Lanes sum = left + lanes_at(right + y * width);
        least[x][y] = sum < least[x][y] ? sum : least[x][y];
      }
    }
  }
  for (std::int64_t x = 0; x < tile; ++x) {
    for (std::int64_t y = 0; y < tile; ++y) lanes_at(given.out[x] + y * width + column) = least[x][y];
  }
}

CKPT_GRID_KERNEL void add_tile(const Tile& given) {
  const std::int64_t most = *std::max_element(given.checkpoints, given.checkpoints + width / lanes);
  for (std::int64_t begin = 0; begin < most; begin += strip) {
    for (std::int64_t block = 0; block < width / lanes; ++block)
      add_strip(given, begin, std::min(begin + strip, given.checkpoints[block]), block * lanes);
  }
}

// out = min(out, left + seconds + right) from a column on
CKPT_GRID_KERNEL void add_row(float* out, const float* left, float seconds, const float* right, std::int64_t from,
                              std::int64_t to) {
  for (std::int64_t m = from; m < to; ++m) {
    const float sum = (left[m] + seconds) + right[m];
    out[m] = sum < out[m] ? sum : out[m];
  }
}

}  // namespace

GridForwards::GridForwards(const std::vector<Layer>& layers, std::int64_t units, double seconds_per_tick)
    : n_(std::ssize(layers)), seconds_per_tick_(seconds_per_tick) {
  const auto time_at = [](const std::vector<Choice>& choices, std::int64_t units_left) {
    double least = std::numeric_limits<double>::infinity();
    for (const Choice& each : choices) least = each.at_least <= units_left ? std::min(least, each.time) : least;
    return least;
  };
  constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
  const auto first_at = [&](const std::vector<Choice>& choices, bool fastest) {
    const double best = time_at(choices, any);
    std::int32_t from = std::numeric_limits<std::int32_t>::max();
    for (const Choice& each : choices) from = !fastest || each.time == best ? std::min(from, each.at_least) : from;
    return from;
  };
  at_least_.resize(static_cast<std::size_t>((n_ + 1) * (n_ + 1)));
  fastest_from_.resize(at_least_.size());
  for (const bool fastest : {false, true}) {
    std::vector<std::int32_t>& from = fastest ? fastest_from_ : at_least_;
    std::vector<std::int32_t> behind;
    for (const Layer& layer : layers) behind.push_back(first_at(layer.behind, fastest));
    for (std::int64_t i = 0; i < n_; ++i) {
      std::int32_t most = first_at(layers[static_cast<std::size_t>(i)].as_first, fastest);
      for (std::int64_t j = i + 1; j <= n_; ++j) {
        if (j > i + 1) most = std::max(most, behind[static_cast<std::size_t>(j - 1)]);
        from[place(i, j)] = most;
      }
    }
  }
  if (at_least_ != fastest_from_) columns_ = units + 2;
  as_first_.resize(static_cast<std::size_t>(columns_ * n_));
  behind_.resize(static_cast<std::size_t>(columns_ * (n_ + 1)));
  for (std::int64_t column = 0; column < columns_; ++column) {
    const std::int64_t units_left = column + 1 < columns_ ? column : any;
    const auto time = [&](const std::vector<Choice>& choices) {
      const double least = time_at(choices, units_left);
      return least < std::numeric_limits<double>::infinity() ? least : 0;
    };
    for (std::int64_t k = 0; k < n_; ++k) {
      const Layer& layer = layers[static_cast<std::size_t>(k)];
      const auto at = static_cast<std::size_t>(column * (n_ + 1) + k);
      as_first_[static_cast<std::size_t>(column * n_ + k)] = time(layer.as_first);
      behind_[at + 1] = behind_[at] + time(layer.behind);
    }
  }
}

class GridTable::Filler {
 public:
  Filler(const GridChain& chain, GridTable& table)
      : chain_(chain),
        table_(table),
        stride_(chain.layers + 1),
        right_(static_cast<std::size_t>(stride_ * tile * width)),
        seconds_(chain.lines.size() * static_cast<std::size_t>(stride_)) {
    for (std::size_t line = 0; line < chain.lines.size(); ++line) {
      const std::int64_t i = chain.lines[line].layer;
      for (std::int64_t j = i + 1; j < stride_; ++j) seconds_of(line)[j] = chain.again.fastest_seconds(i, j);
    }
  }

  void fill() {
    // Where the rest of a row may use more units than the row itself, all of its columns must be there before.
    std::size_t end = chain_.lines.size();
    for (std::int64_t i = chain_.layers; end > 0; --i) {
      const std::size_t begin = chain_.line_of[static_cast<std::size_t>(i)];
      if (i > 0 && !reads_ahead(i - 1)) continue;
      fill_lines(begin, end);
      end = begin;
    }
  }

 private:
  // Lines that are filled together.
  struct Group {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::int64_t top = 0;  // the last one's layer
    // By checkpoint: from so many units on, beyond what is held, every line's layers run under their fastest options.
    std::vector<std::int32_t> again_from;
    std::vector<std::int32_t> first_pass_from;
  };

  float* cells(std::int64_t row, std::int64_t chunk) { return table_.cells_.get() + table_.place(row, chunk); }
  float* right(std::int64_t j, std::int64_t y) { return right_.data() + (j * tile + y) * width; }
  float* seconds_of(std::size_t line) { return seconds_.data() + line * static_cast<std::size_t>(stride_); }

  bool reads_ahead(std::int64_t i) const {
    const auto terms = chain_.terms_of(chain_.row(chain_.line_of[static_cast<std::size_t>(i)], chain_.layers));
    return std::any_of(terms.begin(), terms.end(), [](const GridTerm& term) { return term.inner_shift < 0; });
  }

  Group make_group(std::size_t begin, std::size_t end) const {
    Group group{begin, end, chain_.lines[end - 1].layer, {}, {}};
    group.again_from.resize(static_cast<std::size_t>(stride_));
    group.first_pass_from.resize(static_cast<std::size_t>(stride_));
    for (std::size_t line = begin; line < end; ++line) {
      const std::int64_t i = chain_.lines[line].layer;
      for (std::int64_t j = group.top + 1; j < stride_; ++j) {
        const auto at = static_cast<std::size_t>(j);
        group.again_from[at] = std::max(group.again_from[at], chain_.again.fastest_from(i, j));
        group.first_pass_from[at] = std::max(group.first_pass_from[at], chain_.first_pass.fastest_from(i, j));
      }
    }
    return group;
  }

  void fill_lines(std::size_t begin, std::size_t end) {
    std::vector<Group> groups;
    for (std::size_t line = begin; line < end; line += tile) groups.push_back(make_group(line, std::min(line + tile, end)));
    for (std::int64_t chunk = 0; chunk * width <= chain_.units; ++chunk) {
      // The last tile ends with the last layer, so that those with much to do are whole.
      for (std::int64_t l = stride_ % tile - tile; l < stride_; l += tile) {
        if (l + tile <= chain_.lines[begin].layer) continue;
        for (std::size_t line = end; line < chain_.lines.size(); ++line) pack(line, l, chunk);
        for (std::size_t g = groups.size(); g-- > 0;) fill_tile(groups[g], l, chunk);
      }
    }
  }

  // Columns of a chunk in rows (line, l .. l+3).
  void fill_tile(const Group& group, std::int64_t l, std::int64_t chunk) {
    for (std::size_t line = group.begin; line < group.end; ++line) {
      for (std::int64_t last = std::max(l, chain_.lines[line].layer); last < l + tile; ++last)
        clear_chunk(cells(chain_.row(line, last), chunk));
    }
    Tile shared{};
    if (group.end - group.begin == tile && l > group.top) {
      for (std::int64_t block = 0; block < width / lanes; ++block)
        shared.checkpoints[block] = checkpoints_for_all(group, l, chunk * width + block * lanes);
      for (std::int64_t x = 0; x < tile; ++x) {
        const std::size_t line = group.begin + static_cast<std::size_t>(x);
        shared.out[x] = cells(chain_.row(line, l), chunk);
        shared.left[x] = cells(chain_.row(line, group.top), chunk);
        shared.seconds[x] = seconds_of(line) + group.top + 1;
      }
      shared.right = right(group.top + 1, 0);
      add_tile(shared);
    }
    for (std::size_t line = group.end; line-- > group.begin;) {
      for (std::int64_t last = std::max(l, chain_.lines[line].layer); last < l + tile; ++last) {
        add_terms(chain_.row(line, last), chunk);
        add_checkpoints(group, shared, line, l, last, chunk);
      }
      pack(line, l, chunk);
    }
  }

  // How many checkpoints behind the group's last layer every line can take under the fastest options, for every last layer of a
  // tile.
  std::int64_t checkpoints_for_all(const Group& group, std::int64_t l, std::int64_t units) const {
    const auto count = [&](const std::vector<std::int32_t>& from, std::int64_t held) {
      const auto first = from.begin() + group.top + 1;
      return std::upper_bound(first, from.begin() + l + 1, units - held) - first;
    };
    const bool turns = l + tile == stride_;
    const auto begin = chain_.held.begin() + l;
    const std::int64_t held = *std::max_element(begin, begin + tile - (turns ? 1 : 0));
    const std::int64_t again = count(group.again_from, held);
    return turns ? std::min<std::int64_t>(again, count(group.first_pass_from, 0)) : again;
  }

  // Those that the tile has not.
  void add_checkpoints(const Group& group, const Tile& shared, std::size_t line, std::int64_t l, std::int64_t last,
                       std::int64_t chunk) {
    const auto add = [&](std::int64_t begin_j, std::int64_t end_j, std::int64_t begin, std::int64_t end) {
      // What runs in front of a checkpoint needs no less for a later one.
      for (std::int64_t j = begin_j; j < end_j && add_checkpoint(line, last, j, right(j, last - l), chunk, begin, end); ++j) {
      }
    };
    const std::int64_t first = chain_.lines[line].layer + 1;
    if (shared.right == nullptr) return add(first, last + 1, 0, width);
    add(first, group.top + 1, 0, width);
    for (std::int64_t block = 0; block < width / lanes; ++block)
      add(group.top + 1 + shared.checkpoints[block], l + 1, block * lanes, (block + 1) * lanes);
    add(l + 1, last + 1, 0, width);
  }

  // In some columns of the chunk; false when it fits in none of them.
  bool add_checkpoint(std::size_t line, std::int64_t last, std::int64_t j, const float* inner, std::int64_t chunk,
                      std::int64_t begin, std::int64_t end) {
    const std::int64_t i = chain_.lines[line].layer;
    const GridForwards& forwards = chain_.forwards(last);
    const std::int64_t behind_held = chunk * width - chain_.held[static_cast<std::size_t>(last)];  // units of the first column
    const std::int64_t from = std::max(begin, forwards.at_least(i, j) - behind_held);
    if (from >= end) return false;
    const std::int64_t fastest_from = std::clamp(forwards.fastest_from(i, j) - behind_held, from, end);
    float* const out = cells(chain_.row(line, last), chunk);
    const float* const outer = cells(chain_.row(line, j - 1), chunk);
    for (std::int64_t k = from; k < fastest_from; ++k)
      add_row(out, outer, forwards.seconds(i, j, behind_held + k), inner, k, k + 1);
    if (fastest_from < end) add_row(out, outer, seconds_of(line)[j], inner, fastest_from, end);
    return true;
  }

  void add_terms(std::int64_t row, std::int64_t chunk) {
    float* const out = cells(row, chunk);
    for (const GridTerm& term : chain_.terms_of(row)) {
      const std::int64_t from = std::max<std::int64_t>(term.at_least - chunk * width, 0);
      if (from >= width) continue;
      if (term.inner_row < 0) {
        std::for_each(out + from, out + width, [&](float& seconds) { seconds = std::min(seconds, term.seconds); });
        continue;
      }
      alignas(Lanes) float inner[width];
      copy_shifted(term.inner_row, term.inner_shift, chunk, inner);
      for (std::int64_t k = from; k < width; ++k) out[k] = std::min(out[k], term.seconds + inner[k]);
    }
  }

  // Rows (i, l .. l+3) for those that keep INPUT(i) as a checkpoint.
  void pack(std::size_t line, std::int64_t l, std::int64_t chunk) {
    const std::int64_t i = chain_.lines[line].layer;
    if (chain_.lines[line].input_stays) return;
    for (std::int64_t last = std::max(l, i); last < l + tile; ++last)
      copy_shifted(chain_.row(line, last), chain_.input_shift[static_cast<std::size_t>(i)], chunk, right(i, last - l));
  }

  // out[k]: the row's column chunk * width + k - shift
  void copy_shifted(std::int64_t row, std::int64_t shift, std::int64_t chunk, float* out) {
    for (std::int64_t k = 0; k < width; k += lanes) {
      const std::int64_t begin = chunk * width + k - shift;
      if (begin >= 0 && begin + lanes <= chain_.units + 1) {
        const float* const here = cells(row, begin / width) + begin % width;
        const std::int64_t in_here = width - begin % width;
        if (in_here >= lanes) {
          lanes_at(out + k) = lanes_at(here);
          continue;
        }
        const float* const next = cells(row, begin / width + 1);
        for (std::int64_t lane = 0; lane < in_here; ++lane) out[k + lane] = here[lane];
        for (std::int64_t lane = in_here; lane < lanes; ++lane) out[k + lane] = next[lane - in_here];
      } else {
        for (std::int64_t lane = 0; lane < lanes; ++lane)
          out[k + lane] = begin + lane < 0 ? no_seconds : table_.at(row, std::min(begin + lane, chain_.units));
      }
    }
  }

  const GridChain& chain_;
  GridTable& table_;
  std::int64_t stride_;
  std::vector<float> right_;    // of the last layers of a tile, by checkpoint: its rows, shifted
  std::vector<float> seconds_;  // by line and checkpoint: of the layers before it, under their fastest options
};

GridTable::GridTable(const GridChain& chain)
    : rows_(chain.rows()),
      cells_(std::make_unique_for_overwrite<float[]>(static_cast<std::size_t>(rows_ * (chain.units / width + 1) * width))) {
  Filler(chain, *this).fill();
}

}  // namespace ckpt::plan
