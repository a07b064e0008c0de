#include "plan/planners/grid_table.h"

#include <array>

#if defined(__x86_64__) && defined(__GNUC__)
#define CKPT_GRID_X86 1
#else
#define CKPT_GRID_X86 0
#endif
// One function body is compiled for several instruction sets: everything in it must be inlined.
#if defined(__GNUC__)
#define CKPT_GRID_INLINE __attribute__((always_inline)) inline
#else
#define CKPT_GRID_INLINE inline
#endif

namespace ckpt::plan {
namespace {

constexpr std::int64_t tile = 4;    // lines and last layers of a register tile
constexpr std::int64_t strip = 16;  // checkpoints with rows that together stay in the L1 cache

constexpr std::int64_t plain_lanes = 4;
constexpr std::int32_t first_places[] = {0, 1, 2, 3, 4, 5, 6, 7};

}  // namespace

GridForwards::GridForwards(const std::vector<Layer>& layers, std::int64_t units, double seconds_per_tick)
    : n_(std::ssize(layers)), seconds_per_tick_(seconds_per_tick) {
  const auto time_at = [](const std::vector<Choice>& choices, std::int64_t units_left) {
    double min = std::numeric_limits<double>::infinity();
    for (const Choice& each : choices) min = each.at_least <= units_left ? std::min(min, each.time) : min;
    return min;
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
    std::vector<std::int32_t> after;
    after.reserve(layers.size());
    for (const Layer& layer : layers) after.push_back(first_at(layer.after, fastest));
    for (std::int64_t i = 0; i < n_; ++i) {
      std::int32_t max = first_at(layers[static_cast<std::size_t>(i)].as_first, fastest);
      for (std::int64_t j = i + 1; j <= n_; ++j) {
        if (j > i + 1) max = std::max(max, after[static_cast<std::size_t>(j - 1)]);
        from[place(i, j)] = max;
      }
    }
  }
  if (at_least_ != fastest_from_) columns_ = units + 2;
  as_first_.resize(static_cast<std::size_t>(columns_ * n_));
  after_.resize(static_cast<std::size_t>(columns_ * (n_ + 1)));
  for (std::int64_t column = 0; column < columns_; ++column) {
    const std::int64_t units_left = column + 1 < columns_ ? column : any;
    const auto time = [&](const std::vector<Choice>& choices) {
      const double min = time_at(choices, units_left);
      return min < std::numeric_limits<double>::infinity() ? min : 0;
    };
    for (std::int64_t k = 0; k < n_; ++k) {
      const Layer& layer = layers[static_cast<std::size_t>(k)];
      const auto at = static_cast<std::size_t>(column * (n_ + 1) + k);
      as_first_[static_cast<std::size_t>(column * n_ + k)] = time(layer.as_first);
      after_[at + 1] = after_[at] + time(layer.after);
    }
  }
}

// With vectors of this many columns.
template <std::int64_t lanes>
class GridTable::Filler {
 public:
  Filler(const GridChain& chain, GridTable& table, GridSet set)
      : chain_(chain),
        table_(table),
        set_(set),
        stride_(chain.layers + 1),
        right_(static_cast<std::size_t>(stride_ * tile * width)),
        seconds_(chain.lines.size() * static_cast<std::size_t>(stride_)) {
    nothing_.fill(no_seconds);
    for (std::size_t line = 0; line < chain.lines.size(); ++line) {
      const std::int64_t i = chain.lines[line].layer;
      for (std::int64_t j = i + 1; j < stride_; ++j) seconds_of(line)[j] = chain.again.fastest_seconds(i, j);
    }
    find_constants();
  }

  void fill() {
    // If the rest of a row may use more units than the row itself, all of its columns must be computed first.
    std::size_t end = chain_.lines.size();
    for (std::int64_t i = chain_.layers; end > 0; --i) {
      const std::size_t begin = chain_.line_of[static_cast<std::size_t>(i)];
      if (i > 0 && !reads_ahead(i - 1)) continue;
      fill_lines(begin, end);
      end = begin;
    }
  }

 private:
  using Lanes __attribute__((vector_size(lanes * sizeof(float)), aligned(alignof(float)), may_alias)) = float;
  using Places __attribute__((vector_size(lanes * sizeof(std::int32_t)), aligned(alignof(std::int32_t)), may_alias)) = std::int32_t;

  CKPT_GRID_INLINE static const Places& places() { return *reinterpret_cast<const Places*>(first_places); }
  // NOLINTNEXTLINE(readability-non-const-parameter): the pointee is written
  CKPT_GRID_INLINE static Lanes& lanes_at(float* cells) { return *reinterpret_cast<Lanes*>(cells); }
  CKPT_GRID_INLINE static const Lanes& lanes_at(const float* cells) { return *reinterpret_cast<const Lanes*>(cells); }

  // The columns of a chunk.
  struct Columns {
    static constexpr std::int64_t blocks = width / lanes;
    Lanes block[blocks];
  };

  // A tile of 4 x 4 rows: four lines, and four last layers with consecutive rows.
  struct Tile {
    float* out[tile];                           // by line
    const float* left[tile];                    // by line: rows (i, j-1) for rising j
    const float* right;                         // by increasing j and by last layer: rows (j, l), shifted
    const float* seconds[tile];                 // by line, for rising j
    std::int64_t checkpoints[Columns::blocks];  // number of checkpoints j, by lanes of columns
    bool all_fit;                               // all j of all four rows of every line fit
  };

  // The first strip initializes out.
  CKPT_GRID_INLINE static void add_strip(const Tile& given, std::int64_t begin, std::int64_t end, std::int64_t column) {
    Lanes min[tile][tile];
    for (std::int64_t x = 0; x < tile; ++x) {
      for (std::int64_t y = 0; y < tile; ++y)
        min[x][y] = begin == 0 ? Lanes{} + no_seconds : lanes_at(given.out[x] + y * width + column);
    }
    for (std::int64_t j = begin; j < end; ++j) {
      const float* const right = given.right + j * tile * width + column;
      for (std::int64_t x = 0; x < tile; ++x) {
        const Lanes left = lanes_at(given.left[x] + j * width + column) + given.seconds[x][j];
        for (std::int64_t y = 0; y < tile; ++y) {
          const Lanes sum = left + lanes_at(right + y * width);
          min[x][y] = sum < min[x][y] ? sum : min[x][y];
        }
      }
    }
    for (std::int64_t x = 0; x < tile; ++x) {
      for (std::int64_t y = 0; y < tile; ++y) lanes_at(given.out[x] + y * width + column) = min[x][y];
    }
  }

  CKPT_GRID_INLINE static void add_tile(const Tile& given) {
    const std::int64_t max = std::max<std::int64_t>(*std::max_element(given.checkpoints, given.checkpoints + Columns::blocks), 1);
    for (std::int64_t begin = 0; begin < max; begin += strip) {
      for (std::int64_t block = 0; block < Columns::blocks; ++block) {
        const std::int64_t end = std::min(begin + strip, given.checkpoints[block]);
        if (begin == 0 || begin < end) add_strip(given, begin, end, block * lanes);
      }
    }
  }

  // out = min(out, left + seconds + right)
  CKPT_GRID_INLINE static void add_block(Lanes& out, const float* left, float seconds, const float* right) {
    const Lanes sum = (lanes_at(left) + seconds) + lanes_at(right);
    out = sum < out ? sum : out;
  }

  CKPT_GRID_INLINE static void add_row(Columns& out, const float* left, float seconds, const float* right) {
    for (std::int64_t k = 0; k < Columns::blocks; ++k) add_block(out.block[k], left + k * lanes, seconds, right + k * lanes);
  }

  // Only from lane `from` on.
  CKPT_GRID_INLINE static void add_block_from(Lanes& out, const float* left, float seconds, const float* right, std::int64_t from) {
    const Lanes sum = (lanes_at(left) + seconds) + lanes_at(right);
    const Lanes fitting = places() >= static_cast<std::int32_t>(from) ? sum : Lanes{} + no_seconds;
    out = fitting < out ? fitting : out;
  }

  // Combines parts of two rows: the first `count` columns are those of a, the others of b. All columns of both are readable.
  CKPT_GRID_INLINE static void join(Columns& out, const float* a, const float* b, std::int64_t count) {
    for (std::int64_t k = 0; k < Columns::blocks; ++k)
      out.block[k] = places() < static_cast<std::int32_t>(count - k * lanes) ? lanes_at(a + k * lanes) : lanes_at(b + k * lanes);
  }

  // Lines that are filled together.
  struct Group {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::int64_t top = 0;  // layer of the last one
    // By checkpoint: the units, beyond the held ones, from which every line's layers run under their fastest options.
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

  // Finds the unit from which more bytes make no difference to any part of any alternative. It grows with the last layer and
  // falls with the first, and only the next layer matters among the checkpoints.
  void find_constants() {
    constant_from_.resize(static_cast<std::size_t>(chain_.rows()));
    for (std::size_t line = chain_.lines.size(); line-- > 0;) {
      const std::int64_t i = chain_.lines[line].layer;
      for (std::int64_t last = i; last < stride_; ++last) {
        const std::int64_t row = chain_.row(line, last);
        std::int64_t from = 0;
        for (const GridTerm& term : chain_.terms_of(row)) {
          from = std::max<std::int64_t>(from, term.at_least);
          if (term.inner_row >= 0) from = std::max(from, constant_from(term.inner_row) + term.inner_shift);
        }
        if (last > i) {
          const std::int64_t inner = chain_.row(chain_.line_of[static_cast<std::size_t>(i + 1)], last);
          const std::int64_t fits = chain_.held[static_cast<std::size_t>(last)] + chain_.forwards(last).fastest_from(i, last);
          from = std::max(
              {from, fits, constant_from(row - 1), constant_from(inner) + chain_.input_shift[static_cast<std::size_t>(i + 1)]});
        }
        constant_from_[static_cast<std::size_t>(row)] = from;
      }
    }
  }

  std::int64_t constant_from(std::int64_t row) const { return constant_from_[static_cast<std::size_t>(row)]; }

  // All rows of the tile are constant from the column before a chunk on.
  bool is_constant(const Group& group, std::int64_t l, std::int64_t chunk) const {
    for (std::size_t line = group.begin; line < group.end; ++line) {
      if (chain_.lines[line].layer < l + tile && constant_from(chain_.row(line, l + tile - 1)) >= chunk * width) return false;
    }
    return true;
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
      // Tiles are aligned to end at the last layer, so that the ones with the most work are full.
      for (std::int64_t l = stride_ % tile - tile; l < stride_; l += tile) {
        if (l + tile <= chain_.lines[begin].layer) continue;
        for (std::size_t line = end; line < chain_.lines.size(); ++line) pack(line, l, chunk);
        for (std::size_t g = groups.size(); g-- > 0;) fill_tile_by_set(groups[g], l, chunk);
      }
    }
  }

  // Columns of a chunk in rows (line, l .. l+3).
  CKPT_GRID_INLINE void fill_tile(const Group& group, std::int64_t l, std::int64_t chunk) {
    if (is_constant(group, l, chunk)) {
      for (std::size_t line = group.end; line-- > group.begin;) {
        for (std::int64_t last = std::max(l, chain_.lines[line].layer); last < l + tile; ++last) {
          const std::int64_t row = chain_.row(line, last);
          const float seconds = cells(row, chunk - 1)[width - 1];
          for (std::int64_t k = 0; k < width; k += lanes) lanes_at(cells(row, chunk) + k) = Lanes{} + seconds;
        }
        pack(line, l, chunk);
      }
      return;
    }
    Tile shared{};
    if (group.end - group.begin == tile && l > group.top) {
      for (std::int64_t block = 0; block < Columns::blocks; ++block)
        shared.checkpoints[block] = checkpoints_for_all(group, l, chunk * width + block * lanes);
      for (std::int64_t x = 0; x < tile; ++x) {
        const std::size_t line = group.begin + static_cast<std::size_t>(x);
        shared.out[x] = cells(chain_.row(line, l), chunk);
        shared.left[x] = cells(chain_.row(line, group.top), chunk);
        shared.seconds[x] = seconds_of(line) + group.top + 1;
      }
      shared.right = right(group.top + 1, 0);
      shared.all_fit = all_fit(group, l, chunk * width);
      add_tile(shared);
    }
    for (std::size_t line = group.end; line-- > group.begin;) {
      for (std::int64_t last = std::max(l, chain_.lines[line].layer); last < l + tile; ++last) {
        const std::int64_t row = chain_.row(line, last);
        float* const out = cells(row, chunk);
        Columns min;
        for (std::int64_t k = 0; k < Columns::blocks; ++k)
          min.block[k] = shared.right == nullptr ? Lanes{} + no_seconds : lanes_at(out + k * lanes);
        add_terms(min, row, chunk);
        add_checkpoints(min, group, shared, line, l, last, chunk);
        for (std::int64_t k = 0; k < Columns::blocks; ++k) lanes_at(out + k * lanes) = min.block[k];
      }
      pack(line, l, chunk);
    }
  }

#if CKPT_GRID_X86
  __attribute__((target("avx512vl"))) void fill_tile_avx512(const Group& group, std::int64_t l, std::int64_t chunk) {
    fill_tile(group, l, chunk);
  }
  __attribute__((target("avx2"))) void fill_tile_avx2(const Group& group, std::int64_t l, std::int64_t chunk) {
    fill_tile(group, l, chunk);
  }
#endif
  __attribute__((noinline)) void fill_tile_plain(const Group& group, std::int64_t l, std::int64_t chunk) {
    fill_tile(group, l, chunk);
  }

  void fill_tile_by_set(const Group& group, std::int64_t l, std::int64_t chunk) {
    if constexpr (lanes == plain_lanes) {
      fill_tile_plain(group, l, chunk);
    } else {
#if CKPT_GRID_X86
      return set_ == GridSet::avx512 ? fill_tile_avx512(group, l, chunk) : fill_tile_avx2(group, l, chunk);
#endif
    }
  }

  // Returns how many checkpoints after the group's last layer every line can take under the fastest options, for every last layer
  // of a tile.
  std::int64_t checkpoints_for_all(const Group& group, std::int64_t l, std::int64_t units) const {
    const auto count = [&](const std::vector<std::int32_t>& from, std::int64_t held) {
      const auto first = from.begin() + group.top + 1;
      if (from[static_cast<std::size_t>(l)] <= units - held) return l - group.top;
      return std::upper_bound(first, from.begin() + l + 1, units - held) - first;
    };
    const std::int64_t again = count(group.again_from, max_held(l));
    return turns(l) ? std::min<std::int64_t>(again, count(group.first_pass_from, 0)) : again;
  }

  bool all_fit(const Group& group, std::int64_t l, std::int64_t units) const {
    const auto last = static_cast<std::size_t>(l + tile - 1);
    return group.again_from[last] + max_held(l) <= units && (!turns(l) || group.first_pass_from[last] <= units);
  }

  bool turns(std::int64_t l) const { return l + tile == stride_; }
  std::int64_t max_held(std::int64_t l) const {
    const auto begin = chain_.held.begin() + l;
    return *std::max_element(begin, begin + tile - (turns(l) ? 1 : 0));
  }

  // Handles the checkpoints that the tile does not cover.
  CKPT_GRID_INLINE void add_checkpoints(Columns& min, const Group& group, const Tile& shared, std::size_t line, std::int64_t l,
                                        std::int64_t last, std::int64_t chunk) {
    const std::int64_t first = chain_.lines[line].layer + 1;
    if (shared.all_fit) {
      const float* const outer = cells(chain_.row(line, first - 1), chunk);
      const auto add = [&](std::int64_t j) __attribute__((always_inline)) {
        add_row(min, outer + (j - first) * width, seconds_of(line)[j], right(j, last - l));
      };
      for (std::int64_t j = first; j <= group.top; ++j) add(j);
      for (std::int64_t j = l + 1; j <= last; ++j) add(j);
      return;
    }
    if (shared.right == nullptr) return add_checkpoints_of(min, line, l, last, chunk, first, last + 1);
    add_checkpoints_of(min, line, l, last, chunk, first, group.top + 1);
    for (std::int64_t block = 0; block < Columns::blocks; ++block) {
      for (std::int64_t j = group.top + 1 + shared.checkpoints[block]; j <= l; ++j) {
        if (!add_checkpoint(min, line, l, last, j, chunk, block, block + 1)) break;
      }
    }
    add_checkpoints_of(min, line, l, last, chunk, l + 1, last + 1);
  }

  CKPT_GRID_INLINE void add_checkpoints_of(Columns& min, std::size_t line, std::int64_t l, std::int64_t last, std::int64_t chunk,
                                           std::int64_t begin, std::int64_t end) {
    // The layers before a checkpoint need at least as much for a later one.
    for (std::int64_t j = begin; j < end; ++j) {
      if (!add_checkpoint(min, line, l, last, j, chunk, 0, Columns::blocks)) return;
    }
  }

  // Handles a checkpoint that fits only in some columns of the chunk; returns false if it fits in none.
  CKPT_GRID_INLINE bool add_checkpoint(Columns& min, std::size_t line, std::int64_t l, std::int64_t last, std::int64_t j,
                                       std::int64_t chunk, std::int64_t begin, std::int64_t end) {
    const std::int64_t i = chain_.lines[line].layer;
    const GridForwards& forwards = chain_.forwards(last);
    const std::int64_t after_held = chunk * width - chain_.held[static_cast<std::size_t>(last)];  // units of the first column
    const std::int64_t from = forwards.at_least(i, j) - after_held;
    if (from >= end * lanes) return false;
    const std::int64_t fastest_from = std::min(forwards.fastest_from(i, j) - after_held, end * lanes);
    const float* const outer = cells(chain_.row(line, j - 1), chunk);
    const float* const inner = right(j, last - l);
    const float seconds = seconds_of(line)[j];
    if (fastest_from <= begin * lanes) {
      for (std::int64_t block = begin; block < end; ++block)
        add_block(min.block[block], outer + block * lanes, seconds, inner + block * lanes);
      return true;
    }
    for (std::int64_t k = std::max(from, begin * lanes); k < std::min(fastest_from, end * lanes); ++k) {
      const float sum = (outer[k] + forwards.seconds(i, j, after_held + k)) + inner[k];
      auto& out = min.block[k / lanes];
      if (sum < out[k % lanes]) out[k % lanes] = sum;
    }
    for (std::int64_t block = begin; block < end; ++block)
      add_block_from(min.block[block], outer + block * lanes, seconds, inner + block * lanes, fastest_from - block * lanes);
    return true;
  }

  CKPT_GRID_INLINE void add_terms(Columns& min, std::int64_t row, std::int64_t chunk) {
    for (const GridTerm& term : chain_.terms_of(row)) {
      const std::int64_t from = term.at_least - chunk * width;
      if (from >= width) continue;
      Columns inner{};
      if (term.inner_row >= 0) shift_row(inner, term.inner_row, term.inner_shift, chunk);
      for (std::int64_t k = 0; k < Columns::blocks; ++k) {
        const Lanes sum = inner.block[k] + term.seconds;
        const Lanes fitting = places() >= static_cast<std::int32_t>(from - k * lanes) ? sum : Lanes{} + no_seconds;
        min.block[k] = fitting < min.block[k] ? fitting : min.block[k];
      }
    }
  }

  // Packs rows (i, l .. l+3), for the rows that keep INPUT(i) as a checkpoint.
  CKPT_GRID_INLINE void pack(std::size_t line, std::int64_t l, std::int64_t chunk) {
    const std::int64_t i = chain_.lines[line].layer;
    if (chain_.lines[line].input_stays) return;
    for (std::int64_t last = std::max(l, i); last < l + tile; ++last) {
      Columns shifted;
      shift_row(shifted, chain_.row(line, last), chain_.input_shift[static_cast<std::size_t>(i)], chunk);
      for (std::int64_t k = 0; k < Columns::blocks; ++k) lanes_at(right(i, last - l) + k * lanes) = shifted.block[k];
    }
  }

  // Reads the row's columns from chunk * width - shift on.
  CKPT_GRID_INLINE void shift_row(Columns& out, std::int64_t row, std::int64_t shift, std::int64_t chunk) {
    const std::int64_t begin = chunk * width - shift;
    if (shift < 0) return read_ahead(out, row, begin);
    // Columns above the last unit exist too, up to the chunk's end.
    const std::int64_t before = begin & (width - 1);
    const std::int64_t first = (begin - before) / width;
    const float* const here = first < 0 ? nothing_.data() + width : cells(row, first);
    const float* const next = first + 1 < 0 ? nothing_.data() + width : before == 0 ? here : cells(row, first + 1);
    join(out, here + before, next - (width - before), width - before);
  }

  void read_ahead(Columns& out, std::int64_t row, std::int64_t begin) {
    for (std::int64_t k = 0; k < width; ++k) out.block[k / lanes][k % lanes] = table_.at(row, std::min(begin + k, chain_.units));
  }

  const GridChain& chain_;
  GridTable& table_;
  GridSet set_;
  std::int64_t stride_;
  std::vector<float> right_;                 // of the last layers of a tile, by checkpoint: its rows, shifted
  std::vector<float> seconds_;               // by line and checkpoint: of the layers before it, under their fastest options
  std::vector<std::int64_t> constant_from_;  // by row: the unit from which it is constant
  std::array<float, 3 * GridTable::width> nothing_;
};

GridSet best_grid_set() {
#if CKPT_GRID_X86
  if (__builtin_cpu_supports("avx512vl")) return GridSet::avx512;
  if (__builtin_cpu_supports("avx2")) return GridSet::avx2;
#endif
  return GridSet::plain;
}

GridTable::GridTable(const GridChain& chain, [[maybe_unused]] GridSet set)
    : rows_(chain.rows()),
      cells_(std::make_unique_for_overwrite<float[]>(static_cast<std::size_t>((rows_ * (chain.units / width + 1) + 2) * width))) {
#if CKPT_GRID_X86
  if (set != GridSet::plain) {
    Filler<8>(chain, *this, set).fill();
    return;
  }
#endif
  Filler<plain_lanes>(chain, *this, GridSet::plain).fill();
}

}  // namespace ckpt::plan
