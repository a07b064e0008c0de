#include "plan/placement.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "plan/live_table.h"
#include "plan/verifier.h"

namespace ckpt::plan {
namespace {

// With more buffers the quadratic orders would take seconds; then a single pass in time order is used.
constexpr std::size_t largest_quadratic = 8192;

std::int64_t sum_of(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) base::fail(base::Status::out_of_range, "the buffers' bytes exceed INT64_MAX");
  return sum;
}

// An arena that is filled and emptied in time order: each buffer goes into the smallest sufficient gap between the live ones,
// otherwise after the last of them.
class TimeOrderArena {
 public:
  std::int64_t take(std::int64_t bytes) {
    auto best = gaps_.end();
    for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap) {
      if (gap->bytes >= bytes && (best == gaps_.end() || gap->bytes < best->bytes)) best = gap;
    }
    if (best == gaps_.end()) {
      const std::int64_t offset = top_;
      top_ = sum_of(top_, bytes);
      highest_ = std::max(highest_, top_);
      return offset;
    }
    const std::int64_t offset = best->offset;
    best->offset += bytes;
    best->bytes -= bytes;
    if (best->bytes == 0) gaps_.erase(best);
    return offset;
  }

  void release(std::int64_t offset, std::int64_t bytes) {
    auto after =
        std::upper_bound(gaps_.begin(), gaps_.end(), offset, [](std::int64_t at, const Gap& gap) { return at < gap.offset; });
    const bool joins_before = after != gaps_.begin() && (after - 1)->offset + (after - 1)->bytes == offset;
    const bool joins_after = after != gaps_.end() && offset + bytes == after->offset;
    if (joins_before) {
      (after - 1)->bytes += bytes + (joins_after ? after->bytes : 0);
      if (joins_after) gaps_.erase(after);
    } else if (joins_after) {
      after->offset = offset;
      after->bytes += bytes;
    } else {
      gaps_.insert(after, {offset, bytes});
    }
    if (gaps_.back().offset + gaps_.back().bytes == top_) {
      top_ = gaps_.back().offset;
      gaps_.pop_back();
    }
  }

  std::int64_t highest() const { return highest_; }

 private:
  struct Gap {
    std::int64_t offset;
    std::int64_t bytes;
  };
  std::vector<Gap> gaps_;  // by offset; not adjacent to each other or to top_
  std::int64_t top_ = 0;   // end of the last live buffer
  std::int64_t highest_ = 0;
};

struct Span {
  BufferId id = 0;
  std::int64_t begin = 0;  // instruction that allocates it
  std::int64_t end = 0;    // instruction that frees it
  std::int64_t bytes = 0;  // rounded up to the alignment
};

// Rounded lengths of buffers that grow while they are live: they are placed with these from the start.
using GrownBuffers = std::unordered_map<BufferId, std::int64_t>;

// Places buffers of tier 0 in order of allocation, and stores their lifetimes as long as they are few.
class TimeOrder final : public WalkSink {
 public:
  // known: lengths of the buffers that will grow. offsets: filled by BufferId, if given.
  explicit TimeOrder(GrownBuffers known, std::vector<std::int64_t>* offsets = nullptr)
      : known_(std::move(known)), offsets_(offsets) {}

  void allocate(BufferId id, const BufferInfo& info) override {
    const std::int64_t now = time_++;
    if (info.tier != 0) return;
    count(info.bytes);
    Live live{0, placed_bytes(info.bytes), spans_.size()};
    // A buffer that shrinks before it grows may be longest at its start.
    if (const auto grown = known_.find(id); grown != known_.end()) live.bytes = std::max(live.bytes, grown->second);
    if (live.bytes > 0) place(id, live, now);
    live_.add(id, live);
  }

  void become(BufferId id, const BufferInfo& before, const BufferInfo& now) override {
    ++time_;
    count(now.bytes - before.bytes);
    const std::int64_t bytes = placed_bytes(now.bytes);
    if (bytes <= placed_bytes(before.bytes)) return;
    std::int64_t& longest = grown_[id];
    longest = std::max(longest, bytes);
  }

  void run(const Operation&) override { ++time_; }

  void free(BufferId id, const BufferInfo& info) override {
    const std::int64_t now = time_++;
    if (info.tier != 0) return;
    live_bytes_ -= info.bytes;
    const Live live = live_.take(id);
    if (live.bytes == 0) return;
    arena_.release(live.offset, live.bytes);
    live_rounded_ -= live.bytes;
    if (!many_) spans_[live.span].end = now;
  }

  // Returns true if buffers grew that were not in `known`: they must be placed again, with the lengths of grown().
  bool misplaced() const { return known_.empty() && !grown_.empty(); }
  const GrownBuffers& grown() const { return grown_; }

  // nullptr if there were too many.
  const std::vector<Span>* spans() const { return many_ ? nullptr : &spans_; }
  std::int64_t arena_bytes() const { return arena_.highest(); }
  std::int64_t peak_bytes() const { return peak_bytes_; }
  // A lower bound of every arena.
  std::int64_t min_arena_bytes() const { return peak_rounded_; }

 private:
  struct Live {
    std::int64_t offset;
    std::int64_t bytes;
    std::size_t span;
  };

  void count(std::int64_t more) {
    live_bytes_ = sum_of(live_bytes_, more);
    peak_bytes_ = std::max(peak_bytes_, live_bytes_);
  }

  void place(BufferId id, Live& live, std::int64_t now) {
    live_rounded_ = sum_of(live_rounded_, live.bytes);
    peak_rounded_ = std::max(peak_rounded_, live_rounded_);
    live.offset = arena_.take(live.bytes);
    if (offsets_ != nullptr) (*offsets_)[static_cast<std::size_t>(id)] = live.offset;
    if (many_) return;
    spans_.push_back({id, now, 0, live.bytes});
    if (spans_.size() <= largest_quadratic) return;
    many_ = true;
    spans_ = {};
  }

  GrownBuffers known_;
  GrownBuffers grown_;
  std::vector<std::int64_t>* offsets_;
  TimeOrderArena arena_;
  LiveTable<Live> live_;
  std::vector<Span> spans_;
  bool many_ = false;
  std::int64_t time_ = 0;
  std::int64_t live_bytes_ = 0;
  std::int64_t peak_bytes_ = 0;
  std::int64_t live_rounded_ = 0;
  std::int64_t peak_rounded_ = 0;
};

// Places once, and again if buffers grew. replay_into: passes all events to a sink.
template <class ReplayInto>
TimeOrder time_order(const ReplayInto& replay_into, std::vector<std::int64_t>* offsets = nullptr) {
  TimeOrder first({}, offsets);
  replay_into(first);
  if (!first.misplaced()) return first;
  TimeOrder second(first.grown(), offsets);
  replay_into(second);
  return second;
}

struct Place {
  BufferId id;
  std::int64_t offset;
};

struct Attempt {
  std::vector<Place> places;  // empty if the attempt was abandoned
  std::int64_t arena_bytes = 0;
  std::size_t stuck_at = 0;  // position in the order of the span that did not fit
};

// Places the spans in the given order, each into the smallest gap that is free for its whole lifetime. Gives up as soon as the
// arena would not be smaller than `below`, the size of a known one. Counts the spans examined.
Attempt place_in_order(const std::vector<Span>& spans, const std::vector<std::size_t>& order, std::int64_t below,
                       std::int64_t& examined) {
  struct Placed {
    std::int64_t offset;
    Span span;
  };
  std::vector<Placed> placed;  // by offset
  Attempt attempt;
  for (std::size_t at = 0; at < order.size(); ++at) {
    const Span& span = spans[order[at]];
    std::int64_t best_offset = -1;
    std::int64_t best_gap = INT64_MAX;
    std::int64_t reach = 0;  // end of the overlapping buffers so far
    examined += std::ssize(placed);
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
    if (offset >= below - span.bytes) return {{}, 0, at};
    attempt.arena_bytes = std::max(attempt.arena_bytes, offset + span.bytes);
    attempt.places.push_back({span.id, offset});
    const auto after = std::upper_bound(placed.begin(), placed.end(), offset,
                                        [](std::int64_t where, const Placed& each) { return where < each.offset; });
    placed.insert(after, {offset, span});
  }
  return attempt;
}

// The most spans that a search examines: a few hundredths of a second.
constexpr std::int64_t max_examined = 20'000'000;

// Returns the smallest arena of several orders that consider whole lifetimes. Each order is repaired as long as that helps: a
// span that does not fit is moved to the front. Has no places if none is smaller than the time-order arena.
Attempt better_than(const TimeOrder& in_time_order) {
  Attempt best{{}, in_time_order.arena_bytes()};
  if (in_time_order.spans() == nullptr) return best;
  const std::vector<Span>& spans = *in_time_order.spans();
  std::vector<std::size_t> order(spans.size());
  std::int64_t examined = 0;
  const auto attempt = [&](auto less) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return less(spans[a], spans[b]); });
    const std::int64_t stop = examined + max_examined / 4;
    std::size_t failed_attempts = 0;
    while (best.arena_bytes > in_time_order.min_arena_bytes() && examined < stop && failed_attempts++ < 2 * spans.size() + 50) {
      Attempt candidate = place_in_order(spans, order, best.arena_bytes, examined);
      if (!candidate.places.empty()) {
        best = std::move(candidate);
        failed_attempts = 0;
        continue;
      }
      const auto stuck = order.begin() + static_cast<std::ptrdiff_t>(candidate.stuck_at);
      if (stuck == order.begin()) return;
      std::rotate(order.begin() + static_cast<std::ptrdiff_t>(candidate.stuck_at * 3 / 4), stuck, stuck + 1);
    }
  };
  // Long lifetimes at the bottom, short ones above them; then large before small.
  attempt([](const Span& a, const Span& b) { return a.end - a.begin > b.end - b.begin; });
  attempt([](const Span& a, const Span& b) { return a.bytes > b.bytes; });
  attempt([](const Span& a, const Span& b) {
    return static_cast<double>(a.bytes) * static_cast<double>(a.end - a.begin) >
           static_cast<double>(b.bytes) * static_cast<double>(b.end - b.begin);
  });
  return best;
}

}  // namespace

std::int64_t placed_bytes(std::int64_t bytes) {
  return sum_of(bytes, placement_alignment - 1) / placement_alignment * placement_alignment;
}

Placement place(const Program& program) {
  Placement placement{std::vector<std::int64_t>(program.buffers.size(), -1), 0, 0};
  const TimeOrder in_time_order = time_order([&](WalkSink& sink) { replay(program, sink); }, &placement.offsets);
  const Attempt better = better_than(in_time_order);
  for (const Place& each : better.places) placement.offsets[static_cast<std::size_t>(each.id)] = each.offset;
  placement.arena_bytes = better.arena_bytes;
  placement.peak_bytes = in_time_order.peak_bytes();
  return placement;
}

std::int64_t arena_bytes(const Schedule& schedule, const ChainProfile& profile) {
  return better_than(time_order([&](WalkSink& sink) { replay(schedule, profile, sink); })).arena_bytes;
}

std::int64_t budgeted_bytes(const Schedule& schedule, const ChainProfile& profile) {
  const bool live_alone = profile.has(own_allocator) && !schedule.role().is_stage();
  if (!live_alone && !profile.knows_backward_peaks()) return arena_bytes(schedule, profile);
  const std::int64_t live = verify(schedule, profile).peak_bytes[0];
  return live_alone ? live : std::max(live, arena_bytes(schedule, profile));
}

namespace {

// Collects the longest item of each slot of one tier.
class SlotLengths final : public WalkSink {
 public:
  explicit SlotLengths(std::int32_t tier) : tier_(tier) {}

  void allocate(BufferId, const BufferInfo& info) override {
    if (info.tier != tier_) return;
    std::int64_t& longest = by_slot_[info.slot];
    const std::int64_t bytes = placed_bytes(info.bytes);
    if (bytes <= longest) return;
    sum_ = sum_of(sum_, bytes - longest);
    longest = bytes;
  }
  void become(BufferId, const BufferInfo&, const BufferInfo&) override {}
  void run(const Operation&) override {}
  void free(BufferId, const BufferInfo&) override {}

  std::int64_t sum() const { return sum_; }

 private:
  std::int32_t tier_;
  std::unordered_map<std::int32_t, std::int64_t> by_slot_;
  std::int64_t sum_ = 0;
};

}  // namespace

std::int64_t reserved_bytes(const Schedule& schedule, const ChainProfile& profile, std::int32_t tier) {
  base::require(tier >= 0 && tier < tiers, "tier is ", tier, "; expected 0 .. ", tiers - 1);
  if (tier == 0) return arena_bytes(schedule, profile);
  SlotLengths lengths(tier);
  replay(schedule, profile, lengths);
  return lengths.sum();
}

}  // namespace ckpt::plan
