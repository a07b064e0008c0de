// Keeps only the chain's input: before the backward of layer i, layers 0 .. i-1 are recomputed from it.
#include "plan/schedule.h"

namespace ckpt::plan {
namespace {

// A position is {phase, layer, 0, 0}: layer is the current one, from the last to 0.
class RecomputeAllSource final : public PositionSource {
 public:
  explicit RecomputeAllSource(const ChainProfile& profile) : layers_(profile.layers()), flags_(profile) {}

  Position start() const override { return enter(last_layer()); }

  void group_at(const Position& at, std::int64_t layers, ActionGroup& group, Position& next) const override {
    const std::int64_t layer = at[1];
    switch (at[0]) {
      case phase_advance:
        group.add(forward(0, layer));
        next = {phase_record, layer, 0, 0};
        return;
      case phase_record:
        group.add(forward_tape(layer));
        if (layer > 0 && !has(layer, needs_input)) group.add(drop_input(layer));
        if (layer == last_layer()) {
          next = {phase_turn, layer, 0, 0};
        } else {
          if (!has(layer, needs_output)) group.add(drop_input(layer + 1));
          next = {phase_backward, layer, 0, 0};
        }
        return;
      case phase_turn:
        group.add(turn());
        if (!has(layer, needs_output)) group.add(drop_input(layers));
        next = {phase_backward, layer, 0, 0};
        return;
      case phase_backward:
        group.add(backward(layer));
        if (has(layer, needs_output)) group.add(drop_input(layer + 1));
        if (layer == 0 || has(layer, needs_input)) group.add(drop_input(layer));
        next = layer == 0 ? Position{phase_end, 0, 0, 0} : enter(layer - 1);
        return;
      default: group.add(end()); next = at;
    }
  }

  bool is_position(const Position& at, std::int64_t) const override {
    if (at[2] != 0 || at[3] != 0 || at[1] < 0 || at[1] > last_layer()) return false;
    switch (at[0]) {
      case phase_advance: return at[1] > 0;
      case phase_record:
      case phase_backward: return true;
      case phase_turn: return at[1] == last_layer();
      case phase_end: return at[1] == 0;
      default: return false;
    }
  }

  void describe(Fingerprint& fingerprint) const override {
    if (flags_.each().empty()) fingerprint.add(flags_.every());
    for (const std::uint32_t flags : flags_.each()) fingerprint.add(flags);
  }

 private:
  enum Phase : std::int64_t { phase_advance, phase_record, phase_turn, phase_backward, phase_end };

  static Position enter(std::int64_t layer) { return {layer == 0 ? phase_record : phase_advance, layer, 0, 0}; }
  std::int64_t last_layer() const { return layers_ - 1; }
  bool has(std::int64_t layer, std::uint32_t flag) const { return flags_.has(layer, flag); }

  std::int64_t layers_;
  LayerFlags flags_;
};

}  // namespace

std::shared_ptr<const Schedule> make_recompute_all(const ChainProfile& profile) {
  profile.require_complete();
  return std::make_shared<const Schedule>("recompute-all", profile.layers(), std::make_unique<RecomputeAllSource>(profile));
}

}  // namespace ckpt::plan
