#include "plan/placement.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"

namespace ckpt::plan {
namespace {

// Above this many buffers the quadratic orders would take seconds; one pass in time order is left then.
constexpr std::size_t largest_quadratic = 8192;

struct Span {
  BufferId id = 0;
  std::int64_t begin = 0;  // instruction that allocates it
  std::int64_t end = 0;    // instruction that frees it
  std::int64_t bytes = 0;  // rounded up to the alignment
};

std::vector<Span> lifetimes(const Program& program) {
  std::vector<Span> spans;
  std::vector<std::int64_t> span_of(program.buffers.size(), -1);
  for (std::size_t time = 0; time < program.instructions.size(); ++time) {
    const Instruction& instruction = program.instructions[time];
    if (instruction.kind == Instruction::Kind::run) continue;
    const auto id = static_cast<std::size_t>(instruction.index);
    const BufferInfo& buffer = program.buffers[id];
    if (buffer.tier != 0 || buffer.bytes == 0) continue;
    if (instruction.kind == Instruction::Kind::allocate) {
      if (buffer.bytes > INT64_MAX - placement_alignment)
        base::fail(base::Status::out_of_range, "a buffer of ", buffer.bytes, " bytes");
      const std::int64_t rounded = (buffer.bytes + placement_alignment - 1) / placement_alignment * placement_alignment;
      span_of[id] = static_cast<std::int64_t>(spans.size());
      spans.push_back(
          {instruction.index, static_cast<std::int64_t>(time), static_cast<std::int64_t>(program.instructions.size()), rounded});
    } else {
      spans[static_cast<std::size_t>(span_of[id])].end = static_cast<std::int64_t>(time);
    }
  }
  return spans;
}

// Puts the spans one after another, in the given order, each into the smallest gap that is free for its whole life.
Placement place_in_order(const std::vector<Span>& spans, const std::vector<std::size_t>& order, std::size_t buffers) {
  struct Placed {
    std::int64_t offset;
    Span span;
  };
  Placement placement{std::vector<std::int64_t>(buffers, -1), 0};
  std::vector<Placed> placed;  // by offset
  for (const std::size_t index : order) {
    const Span& span = spans[index];
    std::int64_t best_offset = -1;
    std::int64_t best_gap = INT64_MAX;
    std::int64_t reach = 0;  // end of what overlaps in time so far
    for (const Placed& other : placed) {
      if (other.span.end < span.begin || other.span.begin > span.end) continue;
      const std::int64_t gap = other.offset - reach;
      if (gap >= span.bytes && gap < best_gap) {
        best_gap = gap;
        best_offset = reach;
      }
      reach = std::max(reach, other.offset + other.span.bytes);
    }
    const std::int64_t offset = best_offset >= 0 ? best_offset : reach;
    placement.offsets[static_cast<std::size_t>(span.id)] = offset;
    placement.arena_bytes = std::max(placement.arena_bytes, offset + span.bytes);
    const auto behind = std::upper_bound(placed.begin(), placed.end(), offset,
                                         [](std::int64_t at, const Placed& each) { return at < each.offset; });
    placed.insert(behind, {offset, span});
  }
  return placement;
}

// In the order of time, forgetting what ended: linear in the number of buffers, times those alive.
Placement place_in_time(const std::vector<Span>& spans, std::size_t buffers) {
  struct Placed {
    std::int64_t offset;
    std::int64_t bytes;
    std::int64_t end;
  };
  Placement placement{std::vector<std::int64_t>(buffers, -1), 0};
  std::vector<Placed> alive;  // by offset
  for (const Span& span : spans) {
    std::erase_if(alive, [&](const Placed& each) { return each.end < span.begin; });
    std::int64_t best_offset = -1;
    std::int64_t best_gap = INT64_MAX;
    std::int64_t reach = 0;
    auto best_place = alive.end();
    for (auto each = alive.begin(); each != alive.end(); ++each) {
      const std::int64_t gap = each->offset - reach;
      if (gap >= span.bytes && gap < best_gap) {
        best_gap = gap;
        best_offset = reach;
        best_place = each;
      }
      reach = each->offset + each->bytes;
    }
    const std::int64_t offset = best_offset >= 0 ? best_offset : reach;
    alive.insert(best_place, {offset, span.bytes, span.end});
    placement.offsets[static_cast<std::size_t>(span.id)] = offset;
    placement.arena_bytes = std::max(placement.arena_bytes, offset + span.bytes);
  }
  return placement;
}

}  // namespace

Placement place(const Program& program) {
  const std::vector<Span> spans = lifetimes(program);
  Placement best = place_in_time(spans, program.buffers.size());
  if (spans.size() > largest_quadratic) return best;

  std::vector<std::size_t> order(spans.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto attempt = [&](auto less) {
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return less(spans[a], spans[b]); });
    Placement candidate = place_in_order(spans, order, program.buffers.size());
    if (candidate.arena_bytes < best.arena_bytes) best = std::move(candidate);
  };
  // Long lives at the bottom, short ones above them; then large before small.
  attempt([](const Span& a, const Span& b) { return a.end - a.begin > b.end - b.begin; });
  attempt([](const Span& a, const Span& b) { return a.bytes > b.bytes; });
  attempt([](const Span& a, const Span& b) {
    return static_cast<double>(a.bytes) * static_cast<double>(a.end - a.begin) >
           static_cast<double>(b.bytes) * static_cast<double>(b.end - b.begin);
  });
  return best;
}

}  // namespace ckpt::plan
