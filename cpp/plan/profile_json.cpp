#include "plan/profile_json.h"

#include <array>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json_text.h"
#include "base/json_tree.h"
#include "base/json_writer.h"

namespace ckpt::plan {
namespace {

using base::cat;
using base::Json;
using base::JsonWriter;
using base::Status;

constexpr const char* format_name = "ckpt-profile";
constexpr std::int64_t format_version = 1;

struct FlagName {
  std::uint32_t flag;
  const char* name;
};
using FlagNames = std::span<const FlagName>;
constexpr std::array<FlagName, 3> profile_flag_names{
    {{keeps_input, "keeps_input"}, {keeps_output, "keeps_output"}, {own_allocator, "own_allocator"}}};
constexpr std::array<FlagName, 6> layer_flag_names{{{needs_input, "needs_input"},
                                                    {needs_output, "needs_output"},
                                                    {deterministic, "deterministic"},
                                                    {no_input_gradient, "no_input_gradient"},
                                                    {in_place, "in_place"},
                                                    {adds_gradient, "adds_gradient"}}};

// ---- Writing ----

void write(JsonWriter& out, const TierProfile& tier) {
  out.begin_object()
      .member("capacity_bytes", tier.capacity_bytes)
      .member("write_bytes_per_second", tier.write_bytes_per_second)
      .member("read_bytes_per_second", tier.read_bytes_per_second)
      .member("latency_seconds", tier.latency_seconds)
      .end_object();
}

std::vector<std::string_view> names_of(std::uint32_t flags, FlagNames flag_names) {
  std::vector<std::string_view> names;
  for (const FlagName& each : flag_names) {
    if ((flags & each.flag) != 0) names.emplace_back(each.name);
  }
  return names;
}

// Fields unknown to earlier versions are written only if they differ from the default.
void write(JsonWriter& out, const OptionProfile& option) {
  out.begin_object()
      .member("tape_bytes", option.tape_bytes)
      .member("forward_workspace_bytes", option.forward_workspace_bytes)
      .member("backward_workspace_bytes", option.backward_workspace_bytes)
      .member("forward_seconds", option.forward_seconds)
      .member("backward_seconds", option.backward_seconds)
      .member("has_record", option.has_record)
      .member("record_workspace_bytes", option.record_workspace_bytes)
      .member("record_seconds", option.record_seconds);
  if (option.backward_peak_bytes > 0) out.member("backward_peak_bytes", option.backward_peak_bytes);
  out.end_object();
}

// reads: nullptr in a chain.
void write(JsonWriter& out, const LayerProfile& layer, const GraphEdges::Reads* reads) {
  std::vector<std::int64_t> shape;
  for (std::int64_t i = 0; i < layer.output.shape.ndim(); ++i) shape.push_back(layer.output.shape[i]);
  out.begin_object()
      .member("name", layer.name)
      .member("flags", names_of(layer.flags, layer_flag_names))
      .member("output_bytes", layer.output_bytes)
      .member("dtype", tensor::dtype_name(layer.output.dtype))
      .member("shape", shape)
      .member("ambient_bytes", layer.ambient_bytes);
  if (reads != nullptr) out.member("inputs", reads->inputs).member("needed_inputs", reads->needed);
  out.key("options").begin_list();
  for (const OptionProfile& option : layer.options) write(out, option);
  out.end_list().end_object();
}

// ---- Reading ----

[[noreturn]] void refuse(const std::string& what) { base::fail(Status::corrupt, "the profile's JSON is not usable: ", what); }

const Json::List& list(const Json& value, std::string_view where) {
  if (!value.is_list()) refuse(cat(where, ": expected a list"));
  return value.items();
}

std::int64_t whole_number(const Json& value, const std::string& where) {
  if (!value.is_integer()) refuse(cat(where, ": expected a whole number"));
  constexpr auto max = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (value.is_count() && value.count() > max) refuse(cat(where, " exceeds INT64_MAX"));
  return value.integer();
}

std::string text(const Json& value, const std::string& where) {
  if (!value.is_string()) refuse(cat(where, ": expected a string"));
  return value.string();
}

// The members of one object. Missing members leave their fields unchanged; unknown members are refused.
class Members {
 public:
  Members(const Json& value, std::string where) : value_(value), where_(std::move(where)) {
    if (!value.is_object()) refuse(cat(where_.empty() ? "the text" : where_, ": expected an object"));
  }

  // Returns nullptr if the member is missing.
  const Json* find(const char* name) {
    known_.insert(name);
    return value_.find(name);
  }
  const Json& at(const char* name) {
    const Json* const found = find(name);
    if (found == nullptr) refuse(cat(where(name), " is missing"));
    return *found;
  }
  void read(const char* name, std::int64_t& field) {
    if (const Json* const found = find(name)) field = whole_number(*found, where(name));
  }
  void read(const char* name, double& field) {
    const Json* const found = find(name);
    if (found != nullptr && !found->is_number()) refuse(cat(where(name), ": expected a number"));
    if (found != nullptr) field = found->number();
  }
  void read(const char* name, bool& field) {
    const Json* const found = find(name);
    if (found != nullptr && !found->is_boolean()) refuse(cat(where(name), ": expected true or false"));
    if (found != nullptr) field = found->boolean();
  }
  void end() const {
    for (const Json::Member& member : value_.members()) {
      if (!known_.contains(member.name))
        refuse(cat(where_.empty() ? "" : where_ + ": ", "unknown member ", base::quote(member.name)));
    }
  }
  std::string where(const char* name) const { return where_.empty() ? name : cat(where_, ".", name); }

 private:
  const Json& value_;
  std::string where_;
  std::set<std::string, std::less<>> known_;
};

std::string entry(const std::string& list_name, std::size_t number) { return cat(list_name, "[", number, "]"); }

// Adds the location to errors of values that the profile refuses.
template <class Work>
auto placed(const std::string& where, Work&& work) {
  try {
    return work();
  } catch (const base::Error& error) {
    if (error.status() != Status::invalid_argument && error.status() != Status::out_of_range) throw;
    refuse(cat(where, ": ", error.message()));
  }
}

TierProfile tier_of(const Json& value, const std::string& where) {
  Members members(value, where);
  TierProfile tier;
  members.read("capacity_bytes", tier.capacity_bytes);
  members.read("write_bytes_per_second", tier.write_bytes_per_second);
  members.read("read_bytes_per_second", tier.read_bytes_per_second);
  members.read("latency_seconds", tier.latency_seconds);
  members.end();
  return tier;
}

OptionProfile option_of(const Json& value, const std::string& where) {
  Members members(value, where);
  OptionProfile option;
  members.read("tape_bytes", option.tape_bytes);
  members.read("forward_workspace_bytes", option.forward_workspace_bytes);
  members.read("backward_workspace_bytes", option.backward_workspace_bytes);
  members.read("forward_seconds", option.forward_seconds);
  members.read("backward_seconds", option.backward_seconds);
  members.read("has_record", option.has_record);
  members.read("record_workspace_bytes", option.record_workspace_bytes);
  members.read("record_seconds", option.record_seconds);
  members.read("backward_peak_bytes", option.backward_peak_bytes);
  members.end();
  return option;
}

std::uint32_t flags_of(const Json& names, const std::string& where, FlagNames flag_names) {
  std::uint32_t flags = 0;
  const Json::List& items = list(names, where);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string name = text(items[i], entry(where, i));
    std::uint32_t flag = 0;
    for (const FlagName& each : flag_names) flag |= name == each.name ? each.flag : 0;
    if (flag == 0) refuse(cat(entry(where, i), " is ", base::quote(name), "; expected a known flag"));
    flags |= flag;
  }
  return flags;
}

std::vector<std::int64_t> whole_numbers(const Json& value, const std::string& where) {
  std::vector<std::int64_t> numbers;
  for (const Json& number : list(value, where)) numbers.push_back(whole_number(number, entry(where, numbers.size())));
  return numbers;
}

strategy::Activation output_of(Members& members, std::int64_t output_bytes) {
  const Json* const dtype_name = members.find("dtype");
  const Json* const lengths = members.find("shape");
  if (dtype_name == nullptr && lengths == nullptr) return strategy::Activation(output_bytes);
  const std::string name = text(members.at("dtype"), members.where("dtype"));
  const auto dtype = tensor::dtype_from_name(name);
  if (!dtype) refuse(cat(members.where("dtype"), " is ", base::quote(name), "; expected a known dtype"));
  const std::string where = members.where("shape");
  const std::vector<std::int64_t> shape = whole_numbers(members.at("shape"), where);
  const auto output = placed(where, [&] { return strategy::Activation(*dtype, tensor::Shape(shape)); });
  if (output.bytes != output_bytes)
    refuse(cat(members.where("output_bytes"), " is ", output_bytes, "; expected the bytes of dtype and shape, ", output.bytes));
  return output;
}

struct ReadLayer {
  LayerProfile profile;
  std::optional<GraphEdges::Reads> reads;
};

ReadLayer layer_of(const Json& value, const std::string& where) {
  Members members(value, where);
  ReadLayer read;
  LayerProfile& layer = read.profile;
  layer.name = text(members.at("name"), members.where("name"));
  if (const Json* const flags = members.find("flags")) layer.flags = flags_of(*flags, members.where("flags"), layer_flag_names);
  members.read("output_bytes", layer.output_bytes);
  if (layer.output_bytes >= 0) layer.output = output_of(members, layer.output_bytes);  // otherwise the profile refuses it
  members.read("ambient_bytes", layer.ambient_bytes);
  const std::string options_name = members.where("options");
  const Json::List& options = list(members.at("options"), options_name);
  for (std::size_t i = 0; i < options.size(); ++i) layer.options.push_back(option_of(options[i], entry(options_name, i)));
  const Json* const inputs = members.find("inputs");
  const Json* const needed = members.find("needed_inputs");
  if ((inputs == nullptr) != (needed == nullptr)) refuse(cat(where, ": expected inputs and needed_inputs, or neither"));
  if (inputs != nullptr) {
    read.reads = {whole_numbers(*inputs, members.where("inputs")), whole_numbers(*needed, members.where("needed_inputs"))};
  }
  members.end();
  return read;
}

ChainProfile layers_of(Members& whole) {
  std::int64_t input_bytes = 0;
  std::int64_t uniform_layers = 0;
  whole.at("input_bytes");
  whole.read("input_bytes", input_bytes);
  const Json::List& layers = list(whole.at("layers"), "layers");
  if (whole.find("uniform_layers") == nullptr) {
    auto profile = placed("input_bytes", [&] { return ChainProfile(input_bytes); });
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const std::string where = entry("layers", i);
      ReadLayer read = layer_of(layers[i], where);
      placed(where, [&] {
        profile.add_layer(std::move(read.profile));
        if (read.reads) profile.set_inputs(static_cast<std::int64_t>(i), read.reads->inputs, read.reads->needed);
      });
    }
    if (const Json* const outputs = whole.find("outputs")) {
      placed("outputs", [&] { profile.set_outputs(whole_numbers(*outputs, "outputs")); });
    }
    return profile;
  }
  whole.read("uniform_layers", uniform_layers);
  if (layers.size() != 1) refuse(cat("layers has ", layers.size(), " entries; expected 1 for a uniform chain"));
  ReadLayer read = layer_of(layers[0], "layers[0]");
  if (read.reads) refuse("layers[0] has inputs; expected none in a uniform chain");
  LayerProfile& like = read.profile;
  if (like.options.size() != 1)
    refuse(cat("layers[0].options has ", like.options.size(), " entries; expected 1 for a uniform chain"));
  if (input_bytes != like.output_bytes)
    refuse(cat("input_bytes is ", input_bytes, "; expected output_bytes of the uniform chain's layers, ", like.output_bytes));
  return placed("uniform_layers", [&] { return ChainProfile::uniform(uniform_layers, std::move(like)); });
}

}  // namespace

std::string to_json(const ChainProfile& profile) {
  JsonWriter out;
  out.begin_object().member("format", format_name).member("version", format_version).member("input_bytes", profile.bytes_of(0));
  if (profile.is_uniform()) out.member("uniform_layers", profile.layers());
  if (profile.flags() != 0) out.member("flags", names_of(profile.flags(), profile_flag_names));
  if (profile.is_graph()) out.member("outputs", profile.outputs());
  out.key("tiers").begin_list();
  for (std::int32_t tier = 1; tier < tiers; ++tier) write(out, profile.tier(tier));
  out.end_list().key("layers").begin_list();
  const std::int64_t kept = profile.is_uniform() ? 1 : profile.layers();
  for (std::int64_t i = 0; i < kept; ++i) write(out, profile.layer(i), profile.is_graph() ? &profile.reads(i) : nullptr);
  return std::move(out.end_list().end_object()).text();
}

ChainProfile profile_from_json(std::string_view text_form) {
  if (const std::string problem = base::json_problem(text_form, base::deepest_json); !problem.empty()) refuse(problem);
  const Json tree = base::json_tree(text_form);
  Members whole(tree, "");
  const Json* const format = whole.find("format");
  if (format == nullptr || !format->is_string() || format->string() != format_name)
    refuse(cat("its format is not '", format_name, "'"));
  const std::int64_t version = whole_number(whole.at("version"), "version");
  if (version > format_version)
    base::fail(Status::unsupported, "the profile's JSON has version ", version, "; expected at most ", format_version);
  if (version < 1) refuse(cat("version is ", version, "; expected at least 1"));
  ChainProfile profile = layers_of(whole);
  if (const Json* const flags = whole.find("flags")) profile.set_flags(flags_of(*flags, "flags", profile_flag_names));
  if (const Json* const given = whole.find("tiers")) {
    const Json::List& items = list(*given, "tiers");
    if (items.size() >= tiers) refuse(cat("tiers has ", items.size(), " entries; expected at most ", tiers - 1));
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::string where = entry("tiers", i);
      placed(where, [&] { profile.set_tier(static_cast<std::int32_t>(i) + 1, tier_of(items[i], where)); });
    }
  }
  whole.end();
  return profile;
}

}  // namespace ckpt::plan
