#include "plan/planners.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <vector>

#include "base/error.h"
#include "plan/budget.h"
#include "strategy/values.h"

namespace ckpt::plan {
namespace {

using Unit = PlannerParameter::Unit;
using Values = std::span<const std::int64_t>;

constexpr std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max();

// ---- The table ----

constexpr Planner planners[] = {
    {"store-all",
     "records every layer and runs none again: least time, most memory",
     {},
     [](const ChainProfile& profile, Values) { return make_store_all(profile); }},
    {"recompute-all",
     "keeps the chain's input alone and runs layers again from it for each layer: least memory",
     {},
     [](const ChainProfile& profile, Values) { return make_recompute_all(profile); }},
    {"periodic",
     "cuts the chain into equal segments, keeps their inputs, and runs each again once, but for the last",
     {{"segments", Unit::count, 1, up_to_layers}},
     [](const ChainProfile& profile, Values values) { return make_periodic(profile, values[0]); }},
    {"budget",
     "the fastest of those above whose reserved bytes fit",
     {{"bytes", Unit::bytes, 1, most_bytes}},
     [](const ChainProfile& profile, Values values) { return make_for_budget(profile, values[0]); }},
};

std::span<const PlannerParameter> parameters_of(const Planner& planner) {
  const auto* const end = std::find_if(std::begin(planner.parameters), std::end(planner.parameters),
                                       [](const PlannerParameter& each) { return each.name == nullptr; });
  return {std::begin(planner.parameters), end};
}

// ---- Texts ----

std::string upper(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

// "periodic:SEGMENTS"
std::string form_of(const Planner& planner) {
  std::string out = planner.name;
  for (const PlannerParameter& each : parameters_of(planner)) out += (&each == planner.parameters ? ":" : ",") + upper(each.name);
  return out;
}

std::string known_forms() {
  std::string out;
  for (const Planner& planner : planners) out += (out.empty() ? "" : ", ") + form_of(planner);
  return out;
}

std::string_view trim(std::string_view text) {
  constexpr const char* blanks = " \t\n\r";
  const std::size_t first = text.find_first_not_of(blanks);
  return first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

const Planner& planner_of(std::string_view name) {
  for (const Planner& planner : planners) {
    if (planner.name == name) return planner;
  }
  base::fail(base::Status::not_found, "unknown planner ", base::quoted(name), "; known: ", known_forms());
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> pieces;
  for (;;) {
    const std::size_t comma = text.find(',');
    pieces.push_back(trim(text.substr(0, comma)));
    if (comma == std::string_view::npos) return pieces;
    text.remove_prefix(comma + 1);
  }
}

std::int64_t value_of(const PlannerParameter& parameter, std::string_view text, std::int64_t layers) {
  const std::int64_t value = parameter.unit == Unit::bytes
                                 ? strategy::bytes_of(parameter.name, text)
                                 : strategy::number_of<std::int64_t>(parameter.name, text, "a whole number");
  const bool by_layers = parameter.most == up_to_layers;
  const std::int64_t most = by_layers ? layers : parameter.most;
  base::require(value >= parameter.least && value <= most, parameter.name, " is ", value, "; ", parameter.least, " .. ", most,
                by_layers ? " layers" : "");
  return value;
}

std::shared_ptr<const Schedule> make(const ChainProfile& profile, std::string_view text) {
  const std::size_t colon = text.find(':');
  const Planner& planner = planner_of(trim(text.substr(0, colon)));
  const auto pieces = colon == std::string_view::npos ? std::vector<std::string_view>() : split(text.substr(colon + 1));
  base::require(pieces.size() == parameters_of(planner).size(), "the planner is ", form_of(planner), "; ", pieces.size(),
                pieces.size() == 1 ? " value is given" : " values are given");
  profile.require_complete();
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < pieces.size(); ++i) values.push_back(value_of(planner.parameters[i], pieces[i], profile.layers()));
  return planner.make(profile, values);
}

}  // namespace

std::shared_ptr<const Schedule> make_by_text(const ChainProfile& profile, std::string_view text) {
  base::require(base::is_utf8(text), "planner is not valid UTF-8: ", base::quoted(text));
  try {
    return make(profile, text);
  } catch (const base::Error& error) {
    base::fail(error.status(), "planner ", base::quoted(text), ": ", error.message());
  }
}

std::string known_planners() {
  std::string out;
  for (const Planner& planner : planners) {
    out += base::cat(out.empty() ? "" : "\n", form_of(planner), " - ", planner.makes);
    for (const PlannerParameter& each : parameters_of(planner)) {
      out += base::cat("; ", upper(each.name), ": ", each.least, " .. ",
                       each.most == up_to_layers ? std::string("layers") : base::cat(each.most));
    }
  }
  return out;
}

}  // namespace ckpt::plan
