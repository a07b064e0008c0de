#include "plan/planners/layer_groups.h"

#include <algorithm>

namespace ckpt::plan {
namespace {

// Returns the option of a layer that `less` orders first.
template <class Less>
std::int32_t first_option(const LayerProfile& layer, Less less) {
  return static_cast<std::int32_t>(std::min_element(layer.options.begin(), layer.options.end(), less) - layer.options.begin());
}

std::int32_t fastest_option(const LayerProfile& layer) {
  return first_option(layer, [](const OptionProfile& a, const OptionProfile& b) {
    return a.forward_seconds + a.backward_seconds < b.forward_seconds + b.backward_seconds;
  });
}

std::int32_t smallest_option(const LayerProfile& layer) {
  return first_option(layer, [](const OptionProfile& a, const OptionProfile& b) { return a.tape_bytes < b.tape_bytes; });
}

}  // namespace

LayerGroups::LayerGroups(const ChainProfile& profile, std::int64_t groups)
    : grouped_(profile.bytes_of(0)), begins_{0}, layer_options_(2) {
  const std::int64_t n = profile.layers();
  for (std::int64_t i = 0; i < n; ++i) {
    layer_options_[0].push_back(fastest_option(profile.layer(i)));
    layer_options_[1].push_back(smallest_option(profile.layer(i)));
  }
  if (layer_options_[0] == layer_options_[1]) layer_options_.pop_back();
  for (std::int64_t g = 1; g < groups; ++g) {
    // Within a quarter of a group's length around the boundary of equal groups.
    const std::int64_t reach = n / groups / 4;
    std::int64_t cut = g * n / groups;
    for (std::int64_t at = cut - reach; at <= g * n / groups + reach; ++at) {
      if (at > begins_.back() && at < n && profile.bytes_of(at) < profile.bytes_of(cut)) cut = at;
    }
    if (cut > begins_.back()) begins_.push_back(cut);
  }
  begins_.push_back(n);
  grouped_.set_flags(profile.flags());
  for (std::size_t g = 0; g + 1 < begins_.size(); ++g) add_group(profile, begins_[g], begins_[g + 1]);
}

void LayerGroups::add_group(const ChainProfile& profile, std::int64_t begin, std::int64_t end) {
  const LayerProfile& first = profile.layer(begin);
  const LayerProfile& last = profile.layer(end - 1);
  // Inner inputs that a backward reads are kept with the tapes.
  const auto stays = [&](std::int64_t k) {
    return k > begin && k < end && (profile.layer(k).has(needs_input) || profile.layer(k - 1).has(needs_output));
  };
  const auto passing = [&](std::int64_t k) { return k > begin && k < end && !stays(k) ? profile.bytes_of(k) : 0; };
  const std::int64_t input_grad = first.has(no_input_gradient) ? 0 : profile.bytes_of(begin);
  LayerProfile group;
  group.name = first.name;
  group.output_bytes = profile.bytes_of(end);
  bool same_each_time = true;
  for (std::int64_t k = begin; k < end; ++k) {
    same_each_time = same_each_time && profile.layer(k).has(deterministic);
    group.ambient_bytes += profile.layer(k).ambient_bytes;
  }
  group.flags =
      (same_each_time ? deterministic : 0) | (first.flags & (needs_input | no_input_gradient)) | (last.flags & needs_output);
  for (const std::vector<std::int32_t>& options : layer_options_) {
    OptionProfile sum;
    for (std::int64_t k = begin; k < end; ++k) {
      const OptionProfile& option = profile.layer(k).options[static_cast<std::size_t>(options[static_cast<std::size_t>(k)])];
      sum.tape_bytes += option.tape_bytes + (stays(k) ? profile.bytes_of(k) : 0);
      sum.forward_seconds += option.forward_seconds;
      sum.backward_seconds += option.backward_seconds;
      // A layer's bytes beyond the group's output; its tape and those before it count for the group.
      const std::int64_t output = profile.bytes_of(k + 1);
      const std::int64_t untaped = (k > begin ? profile.bytes_of(k) : 0) + output - group.output_bytes;
      const std::int64_t taped = passing(k) + (k + 1 < end ? passing(k + 1) - group.output_bytes : 0);
      sum.forward_workspace_bytes =
          std::max(sum.forward_workspace_bytes, std::max(untaped, taped) + option.forward_workspace_bytes);
      const std::int64_t grads = output + (k > begin ? profile.bytes_of(k) : input_grad) - group.output_bytes - input_grad;
      std::int64_t beyond = grads + option.backward_workspace_bytes;
      if (option.backward_peak_bytes > 0) {
        // Before it, while it runs (with its tape, which counts for the group, and the output that it reads), and after it.
        const std::int64_t before = output - group.output_bytes - input_grad;
        const std::int64_t read = profile.layer(k).has(needs_output) ? output : 0;
        const std::int64_t after = grads - output;
        beyond = std::max({before, option.backward_peak_bytes - option.tape_bytes - read - group.output_bytes - input_grad, after});
      }
      sum.backward_workspace_bytes = std::max(sum.backward_workspace_bytes, beyond);
    }
    group.options.push_back(sum);
  }
  grouped_.add_layer(std::move(group));
}

std::int64_t LayerGroups::longest() const {
  std::int64_t longest = 0;
  for (std::size_t g = 0; g + 1 < begins_.size(); ++g) longest = std::max(longest, begins_[g + 1] - begins_[g]);
  return longest;
}

std::vector<Run> LayerGroups::layer_runs(const std::vector<Run>& group_runs) const {
  std::vector<Run> runs;
  for (const Run& run : group_runs) {
    const auto g = static_cast<std::size_t>(run.layer);
    if (run.kind == Run::Kind::turn) {
      runs.push_back({Run::Kind::turn, static_cast<std::int32_t>(begins_.back())});
      continue;
    }
    const bool down = run.kind == Run::Kind::backward;
    const std::vector<std::int32_t>& options = layer_options_[static_cast<std::size_t>(run.option)];
    for (std::int64_t step = 0; step < begins_[g + 1] - begins_[g]; ++step) {
      const std::int64_t layer = down ? begins_[g + 1] - 1 - step : begins_[g] + step;
      runs.push_back({run.kind, static_cast<std::int32_t>(layer), options[static_cast<std::size_t>(layer)], true});
    }
  }
  return runs;
}

}  // namespace ckpt::plan
