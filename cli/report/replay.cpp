#include "report/replay.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

#include "plans.h"

namespace ckpt::cli::report {
namespace {

struct Layer {
  LayerProfile profile;
  std::vector<OptionProfile> options;
  std::vector<std::int64_t> inputs;  // values that it reads
};

// Executes a schedule that the library has verified, by the rules of plan.h.
class Player {
 public:
  Player(const Profile& profile, bool stage) : input_bytes_(profile.input_bytes()), timed_(is_timed(profile)) {
    for (std::int64_t i = 0; i < profile.layer_count(); ++i) {
      Layer layer{profile.layer(i), {}, {i}};
      for (std::int32_t option = 0; option < profile.option_count(i); ++option) layer.options.push_back(profile.option(i, option));
      layers_.push_back(std::move(layer));
    }
    for (std::int32_t tier = 1; tier < CKPT_TIERS; ++tier) tiers_[static_cast<std::size_t>(tier)].profile = profile.tier(tier);
    alive_.resize(layers_.size());
    out_.forwards.resize(layers_.size());
    outputs_ = {profile.layer_count()};
    if (!stage) read(nlohmann::json::parse(profile.json()));
    if (!stage) make({Item::input, 0, 0}, Use::kept);
  }

  void act(const ScheduleAction& action) {
    const std::int32_t micro = action.micro_batch;
    switch (action.kind) {
      case ActionKind::forward:
      case ActionKind::advance:
      case ActionKind::forward_tape: forward(action); break;
      case ActionKind::record: record(action); break;
      case ActionKind::backward:
        for (std::int64_t layer = action.last; layer-- > action.first;) backward(layer, action);
        break;
      case ActionKind::store_begin: begin_store(action); break;
      case ActionKind::load_begin: begin_load(action); break;
      case ActionKind::await: await(action.transfer); break;
      case ActionKind::drop:
        if (action.tier == 0) end({action.item, action.first, micro});
        break;
      case ActionKind::receive:
        make({action.item, action.first, micro}, action.item == Item::grad ? Use::gradient : Use::kept);
        break;
      case ActionKind::turn:
        for (const std::int64_t value : outputs_) {
          if (keeps_output_) kept_.insert({Item::input, value, micro});
          make({Item::grad, value, micro}, Use::gradient);
        }
        break;
      default: break;
    }
  }

  Replay finish() {
    out_.seconds = now_;
    out_.timed = timed_;
    return std::move(out_);
  }

 private:
  using Key = std::tuple<Item, std::int64_t, std::int32_t>;  // index, micro-batch
  struct Held {
    Use use;
    std::int64_t bytes;
    std::int64_t copied_by = -1;  // the STORE_BEGIN in progress
  };
  struct Tier {
    TierProfile profile;
    double writes_end = 0;  // time at which its queues are empty
    double reads_end = 0;
  };
  struct Transfer {
    double end;
    Use use;
    std::int64_t left = 0;  // bytes of an item that ended during the copy: they count until the AWAIT
    Key item;
    bool stores;
  };

  // Reads the members that only the JSON has: the values that the layers of a graph read, and the items that the caller keeps.
  void read(const nlohmann::json& profile) {
    outputs_ = profile.value("outputs", outputs_);
    for (const auto& flag : profile.value("flags", nlohmann::json::array())) {
      if (flag == "keeps_input") kept_.insert({Item::input, 0, 0});
      keeps_output_ = keeps_output_ || flag == "keeps_output";
    }
    if (profile.contains("uniform_layers")) return;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      if (!profile["layers"][i].contains("inputs")) continue;
      layers_[i].inputs = profile["layers"][i]["inputs"].get<std::vector<std::int64_t>>();
      out_.inputs.resize(layers_.size());
      out_.inputs[i] = layers_[i].inputs;
    }
  }

  const Layer& layer(std::int64_t index) const { return layers_[static_cast<std::size_t>(index)]; }
  std::int64_t bytes_of(const Key& key, std::int32_t option) const {
    const auto [item, index, micro] = key;
    if (item == Item::tape) return layer(index).options[static_cast<std::size_t>(option)].tape_bytes;
    return index == 0 ? input_bytes_ : layer(index - 1).profile.output_bytes;
  }

  void add(Use use, std::int64_t bytes) {
    live_[static_cast<std::size_t>(use)] += bytes;
    out_.peak_bytes = std::max(out_.peak_bytes, std::accumulate(live_.begin(), live_.end(), std::int64_t{0}));
  }

  // Returns the layer that produced an item; -1 for an item of no layer.
  static std::int64_t maker(const Key& key) {
    const auto [item, index, micro] = key;
    return item == Item::tape ? index : item == Item::input ? index - 1 : -1;
  }

  void make(const Key& key, Use use, std::int32_t option = 0) {
    const std::int64_t bytes = bytes_of(key, option);
    held_[key] = {use, bytes, -1};
    add(use, bytes);
    const std::int64_t by = maker(key);
    if (by < 0 || bytes == 0 || use == Use::gradient) return;
    auto& life = alive_[static_cast<std::size_t>(by)][static_cast<std::size_t>(use)];
    if (life.first++ == 0) life.second = now_;
  }

  void end(const Key& key) {
    const auto found = held_.find(key);
    if (found == held_.end()) return;
    const Held held = found->second;
    held_.erase(found);
    if (kept_.erase(key) > 0) {
      // Its bytes stay with the caller until the end of the step.
    } else if (held.copied_by >= 0) {
      transfers_.at(held.copied_by).left = held.bytes;
    } else {
      add(held.use, -held.bytes);
    }
    const std::int64_t by = maker(key);
    if (by < 0 || held.bytes == 0 || held.use == Use::gradient) return;
    auto& life = alive_[static_cast<std::size_t>(by)][static_cast<std::size_t>(held.use)];
    if (--life.first == 0) out_.lives.push_back({by, held.use, life.second, now_});
  }

  void run(Replay::Work work, std::int64_t index, std::int32_t micro, double seconds) {
    const double end = now_ + (timed_ ? seconds : 1);
    out_.operations.push_back({work, index, micro, now_, end, drawn_bytes()});
    now_ = end;
  }

  // Returns the bytes by use, each of them at least 0: a measured peak can be smaller than the items and the workspace.
  Bytes drawn_bytes() const {
    Bytes bytes = live_;
    std::int64_t& working = bytes[static_cast<std::size_t>(Use::working)];
    for (const Use use : {Use::gradient, Use::recomputed, Use::kept}) {
      std::int64_t& from = bytes[static_cast<std::size_t>(use)];
      const std::int64_t taken = std::clamp<std::int64_t>(-working, 0, from);
      from -= taken;
      working += taken;
    }
    return bytes;
  }

  // ---- Slower tiers ----

  // Returns when a copy ends that is queued now.
  double queued(double& queue_end, const TierProfile& tier, double bytes_per_second, std::int64_t bytes) const {
    const double copy = bytes_per_second > 0 ? static_cast<double>(bytes) / bytes_per_second : 0;
    return queue_end = std::max(queue_end, now_) + tier.latency_seconds + copy;
  }

  void begin_store(const ScheduleAction& action) {
    const Key key{action.item, action.first, action.micro_batch};
    Held& held = held_.at(key);
    Tier& tier = tiers_.at(static_cast<std::size_t>(action.tier));
    held.copied_by = action.transfer;
    transfers_[action.transfer] = {queued(tier.writes_end, tier.profile, tier.profile.write_bytes_per_second, held.bytes), held.use,
                                   0, key, true};
  }

  void begin_load(const ScheduleAction& action) {
    const Key key{action.item, action.first, action.micro_batch};
    Tier& tier = tiers_.at(static_cast<std::size_t>(action.tier));
    make(key, Use::kept, action.option);
    transfers_[action.transfer] = {queued(tier.reads_end, tier.profile, tier.profile.read_bytes_per_second, held_.at(key).bytes),
                                   Use::kept, 0, key, false};
  }

  void await(std::int64_t id) {
    const Transfer transfer = transfers_.at(id);
    transfers_.erase(id);
    if (timed_) now_ = std::max(now_, transfer.end);
    if (!transfer.stores) return;
    add(transfer.use, -transfer.left);
    const auto held = held_.find(transfer.item);
    if (held != held_.end() && held->second.copied_by == id) held->second.copied_by = -1;
  }

  const OptionProfile& option_of(std::int64_t index, const ScheduleAction& action) const {
    return layer(index).options[static_cast<std::size_t>(action.option)];
  }

  void forward(const ScheduleAction& action) {
    const bool record = action.kind == ActionKind::forward_tape;
    const bool advances = action.kind == ActionKind::advance;
    const std::int32_t micro = action.micro_batch;
    for (std::int64_t index = action.first; index < action.last; ++index) {
      const Key input{Item::input, index, micro};
      const Key output{Item::input, index + 1, micro};
      const bool between = !record && index > action.first;  // its input is not an item and is freed with it
      const bool in_place = advances || (between && has(layer(index).profile.flags, LayerFlag::in_place));
      const Use use = first_done_.contains({index, micro}) ? Use::recomputed : Use::kept;
      const OptionProfile& option = option_of(index, action);
      const std::int64_t overwritten = kept_.contains(input) ? 0 : bytes_of(input, 0);
      const std::int64_t more = in_place ? std::max<std::int64_t>(bytes_of(output, 0) - overwritten, 0) : 0;
      if (!in_place) make(output, use);
      if (record) make({Item::tape, index, micro}, use, action.option);
      run_forward(index, micro, more + option.forward_workspace_bytes, option.forward_seconds);
      if (in_place || between) end(input);
      if (in_place) make(output, use);
    }
  }

  void record(const ScheduleAction& action) {
    const std::int64_t index = action.first;
    const std::int32_t micro = action.micro_batch;
    const Key output{Item::input, index + 1, micro};
    const OptionProfile& option = option_of(index, action);
    const Use use = first_done_.contains({index, micro}) ? Use::recomputed : Use::kept;
    const bool makes_output = has(layer(index).profile.flags, LayerFlag::needs_output);
    if (makes_output) make(output, use);
    make({Item::tape, index, micro}, use, action.option);
    const std::int64_t scratch = makes_output || option.has_record ? 0 : bytes_of(output, 0);
    run_forward(index, micro, scratch + (option.has_record ? option.record_workspace_bytes : option.forward_workspace_bytes),
                option.has_record ? option.record_seconds : option.forward_seconds);
  }

  void run_forward(std::int64_t index, std::int32_t micro, std::int64_t workspace, double seconds) {
    const bool again = !first_done_.insert({index, micro}).second;
    const std::int64_t ambient = layer(index).profile.ambient_bytes;
    add(Use::working, ambient + workspace);
    ++out_.forwards[static_cast<std::size_t>(index)];
    run(again ? Replay::Work::recompute : Replay::Work::forward, index, micro, seconds);
    add(Use::working, -workspace);
    if (again) add(Use::working, -ambient);  // after the first forward it is kept until the backward
  }

  void backward(std::int64_t index, const ScheduleAction& action) {
    const std::int32_t micro = action.micro_batch;
    const LayerProfile& profile = layer(index).profile;
    const Key grad_output{Item::grad, index + 1, micro};
    const Key grad_input{Item::grad, layer(index).inputs.front(), micro};
    const OptionProfile& option = option_of(index, action);
    const bool in_place = !has(profile.flags, LayerFlag::no_input_gradient) && has(profile.flags, LayerFlag::in_place);
    std::vector<Key> created;
    std::int64_t working = option.backward_workspace_bytes;
    if (in_place) {
      working += std::max<std::int64_t>(bytes_of(grad_input, 0) - bytes_of(grad_output, 0), 0);
    } else {
      created = missing_gradients(index, micro);
      working += added_bytes(index, micro);
    }
    if (option.backward_peak_bytes > 0) {  // of tape, gradients, the output that it reads, and workspace together
      working = option.backward_peak_bytes - option.tape_bytes - bytes_of(grad_output, 0);
      if (has(profile.flags, LayerFlag::needs_output)) working -= profile.output_bytes;
      for (const Key& grad : created) working -= bytes_of(grad, 0);
    }
    add(Use::working, std::min<std::int64_t>(working, 0));  // first, so that no sum exceeds that of the operation
    for (const Key& grad : created) make(grad, Use::gradient);
    add(Use::working, std::max<std::int64_t>(working, 0));
    run(Replay::Work::backward, index, micro, option.backward_seconds);
    end({Item::tape, index, micro});
    end(grad_output);
    add(Use::working, -working);
    if (in_place) make(grad_input, Use::gradient);
    add(Use::working, -profile.ambient_bytes);
  }

  // Returns the gradients that the layer's backward creates. It adds to the others.
  std::vector<Key> missing_gradients(std::int64_t index, std::int32_t micro) const {
    std::vector<Key> missing;
    if (has(layer(index).profile.flags, LayerFlag::no_input_gradient)) return missing;
    for (const std::int64_t value : layer(index).inputs) {
      if (const Key grad{Item::grad, value, micro}; !held_.contains(grad)) missing.push_back(grad);
    }
    return missing;
  }

  // Returns the bytes of the layer's parts of gradients until they are added.
  std::int64_t added_bytes(std::int64_t index, std::int32_t micro) const {
    const LayerFlag flags = layer(index).profile.flags;
    if (has(flags, LayerFlag::no_input_gradient) || has(flags, LayerFlag::adds_gradient)) return 0;
    std::int64_t bytes = 0;
    for (const std::int64_t value : layer(index).inputs) {
      if (const Key grad{Item::grad, value, micro}; held_.contains(grad)) bytes += bytes_of(grad, 0);
    }
    return bytes;
  }

  static bool has(LayerFlag flags, LayerFlag flag) {
    return (static_cast<std::uint32_t>(flags) & static_cast<std::uint32_t>(flag)) != 0;
  }

  std::int64_t input_bytes_;
  bool timed_;
  bool keeps_output_ = false;
  std::vector<std::int64_t> outputs_;  // values that TURN passes to the caller
  std::set<Key> kept_;                 // items of which the caller keeps the first copy
  std::vector<Layer> layers_;
  std::map<Key, Held> held_;
  std::set<std::pair<std::int64_t, std::int32_t>> first_done_;            // layer, micro-batch
  std::vector<std::array<std::pair<std::int64_t, double>, uses>> alive_;  // by layer and use: number of items, and start time
  std::array<Tier, CKPT_TIERS> tiers_;
  std::map<std::int64_t, Transfer> transfers_;
  Bytes live_{};
  double now_ = 0;
  Replay out_;
};

}  // namespace

Replay replay(const Schedule& schedule, const Profile& profile, bool stage) {
  Player player(profile, stage);
  Cursor cursor(schedule);
  for (ScheduleAction action = cursor.next(); action.kind != ActionKind::end; action = cursor.next()) player.act(action);
  return player.finish();
}

}  // namespace ckpt::cli::report
