// Schedules that cut the chain into segments. A segment either records in the forward part, or keeps only its input and is
// recomputed and recorded before its backward. This covers store-all, periodic, chosen boundaries, chosen layers and open-ended
// schedules.
#include <algorithm>
#include <utility>

#include "base/entered.h"
#include "base/error.h"
#include "plan/schedule.h"

namespace ckpt::plan {

using base::require;

namespace {

struct Segment {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  bool recompute = false;
};

// The begins of segments and which ones are recomputed; works for 10^9 layers without a list.
class Segmentation {
 public:
  // count segments of layers / count layers, the last one with the remainder; all except the last are recomputed.
  static Segmentation equal(std::int64_t layers, std::int64_t count) {
    Segmentation all;
    all.count_ = count;
    all.length_ = layers / count;
    return all;
  }

  // Segments of `period` layers, all recomputed, for an unknown number of layers; for period 0, one segment that records
  // everything.
  static Segmentation open(std::int64_t period) {
    Segmentation all;
    all.length_ = period;
    all.open_ = true;
    return all;
  }

  static Segmentation listed(std::vector<Segment> segments) {
    Segmentation all;
    all.count_ = static_cast<std::int64_t>(segments.size());
    all.listed_ = std::move(segments);
    return all;
  }

  std::int64_t count(std::int64_t layers) const {
    if (!open_) return count_;
    return length_ == 0 ? 1 : (layers + length_ - 1) / length_;
  }

  Segment at(std::int64_t k, std::int64_t layers) const {
    if (!listed_.empty()) return listed_[static_cast<std::size_t>(k)];
    if (open_ && length_ == 0) return {0, layers, false};
    const bool last = k + 1 == count(layers);
    return {k * length_, last ? layers : (k + 1) * length_, open_ || !last};
  }

  void describe(Fingerprint& fingerprint) const {
    fingerprint.add(count_);
    fingerprint.add(length_);
    for (const Segment& segment : listed_) {
      fingerprint.add(segment.begin);
      fingerprint.add(segment.recompute);
    }
  }

  bool is_open() const { return open_; }
  std::int64_t period() const { return length_; }

 private:
  std::int64_t count_ = 0;
  std::int64_t length_ = 0;
  bool open_ = false;
  std::vector<Segment> listed_;
};

enum Phase : std::int64_t { phase_forward, phase_turn, phase_record, phase_backward, phase_end };

// A position is {phase, segment, layer, 0}.
class SegmentSource final : public PositionSource {
 public:
  SegmentSource(Segmentation segments, LayerFlags flags) : segments_(std::move(segments)), flags_(std::move(flags)) {}

  Position start() const override { return {phase_forward, 0, 0, 0}; }

  void group_at(const Position& at, std::int64_t layers, ActionGroup& group, Position& next) const override {
    const std::int64_t k = at[1];
    const std::int64_t layer = at[2];
    switch (at[0]) {
      case phase_forward: return forward_part(k, layer, layers, group, next);
      case phase_turn: return turn_part(layers, group, next);
      case phase_record: return record_part(k, layer, layers, group, next);
      case phase_backward: return backward_part(k, layer, layers, group, next);
      default: group.add(end()); next = at;
    }
  }

  bool is_position(const Position& at, std::int64_t layers) const override {
    if (at[3] != 0 || at[0] < phase_forward || at[0] > phase_end) return false;
    if (layers < 0) return at[0] == phase_forward && at[1] == 0 && at[2] >= 0;  // open-ended, not finalized
    if (at[0] == phase_forward && segments_.is_open()) return at[1] == 0 && at[2] >= 0 && at[2] <= layers;
    if (at[0] == phase_turn || at[0] == phase_end) return at[1] == 0 && at[2] == 0;
    if (at[1] < 0 || at[1] >= segments_.count(layers)) return false;
    const Segment segment = segments_.at(at[1], layers);
    return at[2] >= segment.begin && at[2] < segment.end;
  }

  void describe(Fingerprint& fingerprint) const override {
    segments_.describe(fingerprint);
    fingerprint.add(flags_.every());
    for (const std::uint8_t flags : flags_.each()) fingerprint.add(flags);
  }

  std::int64_t steps_before(const Position& at) const override { return at[2]; }

 private:
  // Returns true if the recording of layer i-1 still needs INPUT(i): it exists if the layer is in the same segment, or in an
  // earlier one that records in the forward part.
  bool output_wanted(std::int64_t k, std::int64_t i, std::int64_t layers) const {
    if (i == 0 || !flags_.has(i - 1, needs_output)) return false;
    if (i > segments_.at(k, layers).begin) return true;
    return !segments_.at(k - 1, layers).recompute;
  }

  void forward_part(std::int64_t k, std::int64_t layer, std::int64_t layers, ActionGroup& group, Position& next) const {
    if (segments_.is_open()) return open_forward_part(layer, layers, group, next);
    const Segment segment = segments_.at(k, layers);
    std::int64_t after = segment.end;
    if (segment.recompute) {
      group.add(forward(segment.begin, segment.end));
    } else {
      after = layer + 1;
      add_record(k, layer, layers, group);
    }
    if (after < segment.end) {
      next = {phase_forward, k, after, 0};
    } else {
      next = after == layers ? Position{phase_turn, 0, 0, 0} : Position{phase_forward, k + 1, after, 0};
    }
  }

  // One step at a time: it is not known yet whether another follows. After the last step the turn is detected here.
  void open_forward_part(std::int64_t layer, std::int64_t layers, ActionGroup& group, Position& next) const {
    if (layer == layers) return turn_part(layers, group, next);
    const std::int64_t period = segments_.period();
    if (period == 0) {
      group.add(forward_tape(layer));
      const bool wanted = flags_.has(layer, needs_input) || (layer > 0 && flags_.has(layer - 1, needs_output));
      if (!wanted) group.add(drop_input(layer));
    } else {
      group.add(forward(layer, layer + 1));
      if (layer % period != 0) group.add(drop_input(layer));
    }
    next = {phase_forward, 0, layer + 1, 0};
  }

  void turn_part(std::int64_t layers, ActionGroup& group, Position& next) const {
    const std::int64_t k = segments_.count(layers) - 1;
    const Segment last = segments_.at(k, layers);
    group.add(turn());
    if (last.recompute || !flags_.has(layers - 1, needs_output)) group.add(drop_input(layers));
    next = enter_segment(k, last);
  }

  static Position enter_segment(std::int64_t k, const Segment& segment) {
    return segment.recompute ? Position{phase_record, k, segment.begin, 0} : Position{phase_backward, k, segment.end - 1, 0};
  }

  // Runs the layer with recording, and drops its input if only its forward needed it.
  void add_record(std::int64_t k, std::int64_t layer, std::int64_t layers, ActionGroup& group) const {
    group.add(forward_tape(layer));
    if (!flags_.has(layer, needs_input) && !output_wanted(k, layer, layers)) group.add(drop_input(layer));
  }

  void record_part(std::int64_t k, std::int64_t layer, std::int64_t layers, ActionGroup& group, Position& next) const {
    const Segment segment = segments_.at(k, layers);
    add_record(k, layer, layers, group);
    const bool last = layer + 1 == segment.end;
    if (last && !flags_.has(layer, needs_output)) group.add(drop_input(layer + 1));
    next = last ? Position{phase_backward, k, layer, 0} : Position{phase_record, k, layer + 1, 0};
  }

  void backward_part(std::int64_t k, std::int64_t layer, std::int64_t layers, ActionGroup& group, Position& next) const {
    const Segment segment = segments_.at(k, layers);
    group.add(backward(layer));
    if (flags_.has(layer, needs_output)) group.add(drop_input(layer + 1));
    if (flags_.has(layer, needs_input) && !output_wanted(k, layer, layers)) group.add(drop_input(layer));
    if (layer > segment.begin) {
      next = {phase_backward, k, layer - 1, 0};
    } else if (k > 0) {
      next = enter_segment(k - 1, segments_.at(k - 1, layers));
    } else {
      next = {phase_end, 0, 0, 0};
    }
  }

  Segmentation segments_;
  LayerFlags flags_;
};

std::shared_ptr<const Schedule> make(std::string name, const ChainProfile& profile, Segmentation segments) {
  return std::make_shared<const Schedule>(std::move(name), profile.layers(),
                                          std::make_unique<SegmentSource>(std::move(segments), LayerFlags(profile)));
}

std::vector<Segment> between(const std::vector<std::int64_t>& begins, std::int64_t layers) {
  std::vector<Segment> segments;
  for (std::size_t k = 0; k < begins.size(); ++k) {
    const bool last = k + 1 == begins.size();
    segments.push_back({begins[k], last ? layers : begins[k + 1], !last});
  }
  return segments;
}

// Every chosen layer becomes a separate segment that is recomputed; layers in between record. A last layer that would be
// recomputed directly after its forward records at once instead.
std::vector<Segment> each_chosen(const std::vector<bool>& chosen) {
  std::vector<Segment> segments;
  const auto layers = static_cast<std::int64_t>(chosen.size());
  for (std::int64_t i = 0; i < layers; ++i) {
    const bool alone = chosen[static_cast<std::size_t>(i)] && i + 1 < layers;
    if (!alone && !segments.empty() && !segments.back().recompute) {
      segments.back().end = i + 1;
    } else {
      segments.push_back({i, i + 1, alone});
    }
  }
  return segments;
}

}  // namespace

std::shared_ptr<const Schedule> make_store_all(const ChainProfile& profile) {
  profile.require_complete();
  return make("store-all", profile, Segmentation::equal(profile.layers(), 1));
}

std::shared_ptr<const Schedule> make_periodic(const ChainProfile& profile, std::int64_t segments) {
  profile.require_complete();
  require(segments >= 1 && segments <= profile.layers(), "segments is ", segments, "; expected 1 .. ", profile.layers(), " layers");
  return make(base::cat("periodic(", segments, ")"), profile, Segmentation::equal(profile.layers(), segments));
}

std::shared_ptr<const Schedule> make_segments(const ChainProfile& profile, std::span<const std::int64_t> begins) {
  profile.require_complete();
  require(!begins.empty() && begins[0] == 0, "begins: expected the first segment to begin at layer 0");
  for (std::size_t k = 1; k < begins.size(); ++k) {
    require(begins[k] > begins[k - 1] && begins[k] < profile.layers(), "begins[", k, "] is ", begins[k], "; expected more than ",
            begins[k - 1], " and less than ", profile.layers());
  }
  return make(base::cat("segments(", begins.size(), ")"), profile,
              Segmentation::listed(between({begins.begin(), begins.end()}, profile.layers())));
}

std::shared_ptr<const Schedule> make_from_strategy(const ChainProfile& profile, const strategy::StrategyPtr& strategy) {
  profile.require_complete();
  const base::Entered entered(&profile);
  std::vector<bool> chosen;
  for (std::int64_t i = 0; i < profile.layers(); ++i) {
    const LayerProfile& layer = profile.layer(i);
    chosen.push_back(strategy->should_checkpoint(layer.name, layer.output, i));
  }
  std::vector<Segment> segments;
  if (strategy->chosen() == strategy::Chosen::recompute) {
    segments = each_chosen(chosen);
  } else {
    std::vector<std::int64_t> begins = {0};
    for (std::int64_t i = 1; i < profile.layers(); ++i) {
      if (chosen[static_cast<std::size_t>(i)]) begins.push_back(i);
    }
    segments = between(begins, profile.layers());
  }
  return std::make_shared<const Schedule>(
      strategy->name(), profile.layers(),
      std::make_unique<SegmentSource>(Segmentation::listed(std::move(segments)), LayerFlags(profile)));
}

std::shared_ptr<const Schedule> make_open_ended(std::int64_t period, std::uint32_t layer_flags) {
  require(period >= 0, "period is ", period, "; expected at least 0");
  require((layer_flags & ~all_layer_flags) == 0, "layer_flags is ", layer_flags, "; unknown bits");
  return std::make_shared<const Schedule>(base::cat("open-ended(", period, ", ", layer_flags, ")"), -1,
                                          std::make_unique<SegmentSource>(Segmentation::open(period), LayerFlags(layer_flags)));
}

}  // namespace ckpt::plan
