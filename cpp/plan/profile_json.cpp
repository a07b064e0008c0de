#include "plan/profile_json.h"

#include <array>
#include <limits>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/json_text.h"
#include "base/json_tree.h"

namespace ckpt::plan {
namespace {

using base::cat;
using base::Status;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* format_name = "ckpt-profile";
constexpr std::int64_t format_version = 1;

struct FlagName {
  std::uint32_t flag;
  const char* name;
};
using FlagNames = std::span<const FlagName>;
constexpr std::array<FlagName, 3> profile_flag_names{
    {{keeps_input, "keeps_input"}, {keeps_output, "keeps_output"}, {own_allocator, "own_allocator"}}};
constexpr std::array<FlagName, 5> layer_flag_names{{{needs_input, "needs_input"},
                                                    {needs_output, "needs_output"},
                                                    {deterministic, "deterministic"},
                                                    {no_input_gradient, "no_input_gradient"},
                                                    {in_place, "in_place"}}};

// ---- Writing ----

ordered_json json_of(const TierProfile& tier) {
  return {{"capacity_bytes", tier.capacity_bytes},
          {"write_bytes_per_second", tier.write_bytes_per_second},
          {"read_bytes_per_second", tier.read_bytes_per_second},
          {"latency_seconds", tier.latency_seconds}};
}

ordered_json json_of(std::uint32_t flags, FlagNames flag_names) {
  ordered_json names = ordered_json::array();
  for (const FlagName& each : flag_names) {
    if ((flags & each.flag) != 0) names.push_back(each.name);
  }
  return names;
}

// What earlier libraries do not know is written only where it says something.
ordered_json json_of(const OptionProfile& option) {
  ordered_json value = {{"tape_bytes", option.tape_bytes},
                        {"forward_workspace_bytes", option.forward_workspace_bytes},
                        {"backward_workspace_bytes", option.backward_workspace_bytes},
                        {"forward_seconds", option.forward_seconds},
                        {"backward_seconds", option.backward_seconds},
                        {"has_record", option.has_record},
                        {"record_workspace_bytes", option.record_workspace_bytes},
                        {"record_seconds", option.record_seconds}};
  if (option.backward_peak_bytes > 0) value["backward_peak_bytes"] = option.backward_peak_bytes;
  return value;
}

ordered_json json_of(const LayerProfile& layer) {
  ordered_json shape = ordered_json::array();
  for (std::int64_t i = 0; i < layer.output.shape.ndim(); ++i) shape.push_back(layer.output.shape[i]);
  ordered_json value = {{"name", layer.name},
                        {"flags", json_of(layer.flags, layer_flag_names)},
                        {"output_bytes", layer.output_bytes},
                        {"dtype", tensor::dtype_name(layer.output.dtype)},
                        {"shape", shape},
                        {"ambient_bytes", layer.ambient_bytes},
                        {"options", ordered_json::array()}};
  for (const OptionProfile& option : layer.options) value["options"].push_back(json_of(option));
  return value;
}

// ---- Reading ----

[[noreturn]] void refuse(const std::string& what) { base::fail(Status::corrupt, "the profile's JSON is not usable: ", what); }

const json& list(const json& value, std::string_view where) {
  if (!value.is_array()) refuse(cat(where, " is no list"));
  return value;
}

std::int64_t whole_number(const json& value, const std::string& where) {
  if (!value.is_number_integer()) refuse(cat(where, " is no whole number"));
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > most) refuse(cat(where, " passes INT64_MAX"));
  return value.get<std::int64_t>();
}

std::string text(const json& value, const std::string& where) {
  if (!value.is_string()) refuse(cat(where, " is no text"));
  return value.get<std::string>();
}

// The members of one object. What is not there leaves a field as it is; what was not asked for is refused.
class Members {
 public:
  Members(const json& value, std::string where) : value_(value), where_(std::move(where)) {
    if (!value.is_object()) refuse(cat(where_.empty() ? "the whole" : where_, " is no object"));
  }

  // nullptr when it is not there.
  const json* find(const char* name) {
    known_.insert(name);
    const auto found = value_.find(name);
    return found == value_.end() ? nullptr : &*found;
  }
  const json& at(const char* name) {
    const json* const found = find(name);
    if (found == nullptr) refuse(cat(where(name), " is missing"));
    return *found;
  }
  void read(const char* name, std::int64_t& field) {
    if (const json* const found = find(name)) field = whole_number(*found, where(name));
  }
  void read(const char* name, double& field) {
    const json* const found = find(name);
    if (found != nullptr && !found->is_number()) refuse(cat(where(name), " is no number"));
    if (found != nullptr) field = found->get<double>();
  }
  void read(const char* name, bool& field) {
    const json* const found = find(name);
    if (found != nullptr && !found->is_boolean()) refuse(cat(where(name), " is neither true nor false"));
    if (found != nullptr) field = found->get<bool>();
  }
  void end() const {
    for (const auto& member : value_.items()) {
      if (!known_.contains(member.key()))
        refuse(cat(where_.empty() ? "" : where_ + ": ", "no member is called ", base::quote(member.key())));
    }
  }
  std::string where(const char* name) const { return where_.empty() ? name : cat(where_, ".", name); }

 private:
  const json& value_;
  std::string where_;
  std::set<std::string, std::less<>> known_;
};

std::string entry(const std::string& list_name, std::size_t number) { return cat(list_name, "[", number, "]"); }

// Values that no profile takes are named with their place.
template <class Work>
auto placed(const std::string& where, Work&& work) {
  try {
    return work();
  } catch (const base::Error& error) {
    if (error.status() != Status::invalid_argument && error.status() != Status::out_of_range) throw;
    refuse(cat(where, ": ", error.message()));
  }
}

TierProfile tier_of(const json& value, const std::string& where) {
  Members members(value, where);
  TierProfile tier;
  members.read("capacity_bytes", tier.capacity_bytes);
  members.read("write_bytes_per_second", tier.write_bytes_per_second);
  members.read("read_bytes_per_second", tier.read_bytes_per_second);
  members.read("latency_seconds", tier.latency_seconds);
  members.end();
  return tier;
}

OptionProfile option_of(const json& value, const std::string& where) {
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

std::uint32_t flags_of(const json& names, const std::string& where, FlagNames flag_names) {
  std::uint32_t flags = 0;
  for (std::size_t i = 0; i < list(names, where).size(); ++i) {
    const std::string name = text(names[i], entry(where, i));
    std::uint32_t flag = 0;
    for (const FlagName& each : flag_names) flag |= name == each.name ? each.flag : 0;
    if (flag == 0) refuse(cat(entry(where, i), " is ", base::quote(name), "; no such flag"));
    flags |= flag;
  }
  return flags;
}

strategy::Activation output_of(Members& members, std::int64_t output_bytes) {
  const json* const dtype_name = members.find("dtype");
  const json* const lengths = members.find("shape");
  if (dtype_name == nullptr && lengths == nullptr) return strategy::Activation(output_bytes);
  const std::string name = text(members.at("dtype"), members.where("dtype"));
  const auto dtype = tensor::dtype_from_name(name);
  if (!dtype) refuse(cat(members.where("dtype"), " is ", base::quote(name), "; no such dtype"));
  const std::string where = members.where("shape");
  std::vector<std::int64_t> shape;
  for (std::size_t i = 0; i < list(members.at("shape"), where).size(); ++i)
    shape.push_back(whole_number((*lengths)[i], entry(where, i)));
  const auto output = placed(where, [&] { return strategy::Activation(*dtype, tensor::Shape(shape)); });
  if (output.bytes != output_bytes)
    refuse(cat(members.where("output_bytes"), " is ", output_bytes, "; dtype and shape have ", output.bytes));
  return output;
}

LayerProfile layer_of(const json& value, const std::string& where) {
  Members members(value, where);
  LayerProfile layer;
  layer.name = text(members.at("name"), members.where("name"));
  if (const json* const flags = members.find("flags")) layer.flags = flags_of(*flags, members.where("flags"), layer_flag_names);
  members.read("output_bytes", layer.output_bytes);
  if (layer.output_bytes >= 0) layer.output = output_of(members, layer.output_bytes);  // else the profile refuses it
  members.read("ambient_bytes", layer.ambient_bytes);
  const std::string options_name = members.where("options");
  const json& options = list(members.at("options"), options_name);
  for (std::size_t i = 0; i < options.size(); ++i) layer.options.push_back(option_of(options[i], entry(options_name, i)));
  members.end();
  return layer;
}

ChainProfile layers_of(Members& whole) {
  std::int64_t input_bytes = 0;
  std::int64_t uniform_layers = 0;
  whole.at("input_bytes");
  whole.read("input_bytes", input_bytes);
  const json& layers = list(whole.at("layers"), "layers");
  if (whole.find("uniform_layers") == nullptr) {
    auto profile = placed("input_bytes", [&] { return ChainProfile(input_bytes); });
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const std::string where = entry("layers", i);
      placed(where, [&] { profile.add_layer(layer_of(layers[i], where)); });
    }
    return profile;
  }
  whole.read("uniform_layers", uniform_layers);
  if (layers.size() != 1) refuse(cat("layers has ", layers.size(), " entries; those of a uniform chain are one"));
  LayerProfile like = layer_of(layers[0], "layers[0]");
  if (like.options.size() != 1) refuse(cat("layers[0].options has ", like.options.size(), " entries; a uniform chain has one"));
  if (input_bytes != like.output_bytes)
    refuse(cat("input_bytes is ", input_bytes, "; the layers of a uniform chain have output_bytes ", like.output_bytes));
  return placed("uniform_layers", [&] { return ChainProfile::uniform(uniform_layers, std::move(like)); });
}

}  // namespace

std::string to_json(const ChainProfile& profile) {
  ordered_json value = {{"format", format_name}, {"version", format_version}, {"input_bytes", profile.bytes_of(0)}};
  if (profile.is_uniform()) value["uniform_layers"] = profile.layers();
  if (profile.flags() != 0) value["flags"] = json_of(profile.flags(), profile_flag_names);
  value["tiers"] = ordered_json::array();
  for (std::int32_t tier = 1; tier < tiers; ++tier) value["tiers"].push_back(json_of(profile.tier(tier)));
  value["layers"] = ordered_json::array();
  const std::int64_t kept = profile.is_uniform() ? 1 : profile.layers();
  for (std::int64_t i = 0; i < kept; ++i) value["layers"].push_back(json_of(profile.layer(i)));
  return value.dump();
}

ChainProfile profile_from_json(std::string_view text_form) {
  if (const std::string problem = base::json_problem(text_form, base::deepest_json); !problem.empty()) refuse(problem);
  const auto tree = base::json_tree<json>(text_form);
  Members whole(tree, "");
  const json* const format = whole.find("format");
  if (format == nullptr || *format != format_name) refuse(cat("its format is not '", format_name, "'"));
  const std::int64_t version = whole_number(whole.at("version"), "version");
  if (version > format_version)
    base::fail(Status::unsupported, "the profile's JSON has version ", version, "; this library reads ", format_version);
  if (version < 1) refuse(cat("version is ", version, "; at least 1"));
  ChainProfile profile = layers_of(whole);
  if (const json* const flags = whole.find("flags")) profile.set_flags(flags_of(*flags, "flags", profile_flag_names));
  if (const json* const given = whole.find("tiers")) {
    if (list(*given, "tiers").size() >= tiers) refuse(cat("tiers has ", given->size(), " entries; at most ", tiers - 1));
    for (std::size_t i = 0; i < given->size(); ++i) {
      const std::string where = entry("tiers", i);
      placed(where, [&] { profile.set_tier(static_cast<std::int32_t>(i) + 1, tier_of((*given)[i], where)); });
    }
  }
  whole.end();
  return profile;
}

}  // namespace ckpt::plan
