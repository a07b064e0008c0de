#include "profile_file.h"

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "text.h"
#include "text_file.h"

namespace ckpt::cli {
namespace {

using nlohmann::json;

constexpr std::int64_t known_version = 1;
constexpr std::size_t most_shown = 60;

// An object of the file, and its place there, for messages.
class Part {
 public:
  Part(const json& object, std::string place) : object_(object), place_(std::move(place)) {
    if (!object.is_object()) refuse("", "an object");
  }

  // Each leaves target as it is where the key is missing.
  void take(const char* key, std::int64_t& target) const {
    const json* const value = find(key);
    if (value == nullptr) return;
    const bool fits = !value->is_number_unsigned() || value->get<std::uint64_t>() <= std::numeric_limits<std::int64_t>::max();
    if (!value->is_number_integer() || !fits) refuse(key, "a whole number of 64 bits");
    target = value->get<std::int64_t>();
  }
  void take(const char* key, double& target) const {
    const json* const value = find(key);
    if (value == nullptr) return;
    if (!value->is_number()) refuse(key, "a number");
    target = value->get<double>();
  }
  void take(const char* key, bool& target) const {
    const json* const value = find(key);
    if (value == nullptr) return;
    if (!value->is_boolean()) refuse(key, "true or false");
    target = value->get<bool>();
  }
  void take(const char* key, std::string& target) const {
    const json* const value = find(key);
    if (value == nullptr) return;
    if (!value->is_string()) refuse(key, "a text");
    target = value->get<std::string>();
  }
  void take(const char* key, LayerFlag flag, LayerFlag& flags) const {
    bool is_set = (static_cast<std::uint32_t>(flags) & static_cast<std::uint32_t>(flag)) != 0;
    take(key, is_set);
    const auto others = static_cast<std::uint32_t>(flags) & ~static_cast<std::uint32_t>(flag);
    flags = static_cast<LayerFlag>(others | (is_set ? static_cast<std::uint32_t>(flag) : 0));
  }

  // Calls each(part) for every object of a list.
  template <class Each>
  void list(const char* key, bool needed, Each&& each) const {
    const json* const value = find(key);
    if (value == nullptr && !needed) return;
    if (value == nullptr || !value->is_array() || (needed && value->empty())) refuse(key, "a list with at least one object");
    for (std::size_t i = 0; i < value->size(); ++i) each(Part(value->at(i), cat(place_of(key), "[", i, "]")));
  }

  // What the library says against a value, with its place.
  template <class Do>
  void with_place(Do&& act) const {
    try {
      act();
    } catch (const Error& error) {
      throw std::runtime_error(cat(place_, ": ", error.what()));
    }
  }

 private:
  const json* find(const char* key) const {
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }
  std::string place_of(const char* key) const { return place_.empty() || *key == '\0' ? place_ + key : cat(place_, ".", key); }

  [[noreturn]] void refuse(const char* key, const char* wanted) const {
    const json* const value = *key == '\0' ? &object_ : find(key);
    const std::string place = place_of(key);
    if (value == nullptr) throw std::runtime_error(cat(place, " is missing; ", wanted, " is needed"));
    const std::string text = value->dump(-1, ' ', false, json::error_handler_t::replace);
    throw std::runtime_error(cat(place.empty() ? "it" : place, " is ", printable(text.substr(0, most_shown)),
                                 text.size() > most_shown ? "..." : "", "; ", wanted, " is needed"));
  }

  const json& object_;
  std::string place_;
};

OptionProfile option_of(const Part& part) {
  OptionProfile option;
  part.take("tape_bytes", option.tape_bytes);
  part.take("forward_workspace_bytes", option.forward_workspace_bytes);
  part.take("backward_workspace_bytes", option.backward_workspace_bytes);
  part.take("forward_seconds", option.forward_seconds);
  part.take("backward_seconds", option.backward_seconds);
  part.take("record_workspace_bytes", option.record_workspace_bytes);
  part.take("record_seconds", option.record_seconds);
  part.take("has_record", option.has_record);
  return option;
}

LayerProfile layer_of(const Part& part) {
  LayerProfile layer;
  part.take("output_bytes", layer.output_bytes);
  part.take("ambient_bytes", layer.ambient_bytes);
  part.take("needs_input", LayerFlag::needs_input, layer.flags);
  part.take("needs_output", LayerFlag::needs_output, layer.flags);
  part.take("deterministic", LayerFlag::deterministic, layer.flags);
  part.take("no_input_gradient", LayerFlag::no_input_gradient, layer.flags);
  part.take("in_place", LayerFlag::in_place, layer.flags);
  return layer;
}

TierProfile tier_of(const Part& part) {
  TierProfile tier;
  part.take("capacity_bytes", tier.capacity_bytes);
  part.take("write_bytes_per_second", tier.write_bytes_per_second);
  part.take("read_bytes_per_second", tier.read_bytes_per_second);
  part.take("latency_seconds", tier.latency_seconds);
  return tier;
}

void require_format(const Part& file) {
  std::string format;
  file.take("format", format);
  if (format != "ckpt-profile") throw std::runtime_error("format is '" + printable(format) + "', not 'ckpt-profile'");
  std::int64_t version = 0;
  file.take("version", version);
  if (version != known_version) throw std::runtime_error(cat("version is ", version, "; this ckpt reads version ", known_version));
}

Profile profile_of(const json& document) {
  const Part file(document, "");
  require_format(file);
  std::int64_t input_bytes = 0;
  file.take("input_bytes", input_bytes);
  Profile profile(input_bytes);
  std::int64_t index = 0;
  file.list("layers", true, [&](const Part& part) {
    std::string name = cat("layer", index++);
    part.take("name", name);
    part.with_place([&] { profile.add_layer(name, layer_of(part)); });
    part.list("options", true, [&](const Part& option) { option.with_place([&] { profile.add_option(option_of(option)); }); });
  });
  std::int32_t tier = 0;
  file.list("tiers", false, [&](const Part& part) { part.with_place([&] { profile.set_tier(++tier, tier_of(part)); }); });
  return profile;
}

}  // namespace

Profile read_profile(const std::string& path) {
  const std::string text = read_text_file(path);
  try {
    return profile_of(json::parse(text));
  } catch (const json::exception& error) {
    throw std::runtime_error(printable(path) + " is no JSON: " + printable(error.what()));
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(printable(path) + ": " + error.what());
  }
}

}  // namespace ckpt::cli
