#include "state/environment.h"

#include "base/error.h"
#include "base/json_tree.h"
#include "base/version.h"

namespace ckpt::state {
namespace {

using nlohmann::ordered_json;

constexpr const char* own_key = "libckpt";
constexpr const char* given_key = "given";  // of what a caller gave that is no object

// The caller's part of a whole environment, as text; "null" for none. One that an earlier version wrote is the caller's alone.
std::string given_part(ordered_json whole) {
  if (!whole.is_object() || !whole.contains(own_key)) return whole.dump();
  whole.erase(own_key);
  if (whole.empty()) return "null";
  const bool is_wrapped = whole.size() == 1 && whole.contains(given_key) && !whole[given_key].is_object();
  return is_wrapped ? whole[given_key].dump() : whole.dump();
}

// "" when the recorded environment does not say.
std::string own_text(const ordered_json& recorded, const char* key) {
  if (!recorded.is_object() || !recorded.contains(own_key) || !recorded[own_key].is_object()) return "";
  const ordered_json& own = recorded[own_key];
  return own.contains(key) && own[key].is_string() ? own[key].get<std::string>() : "";
}

}  // namespace

std::string whole_environment(const std::string& given, const std::string& blas) {
  auto whole = base::json_tree<ordered_json>(given);
  if (whole.is_null()) whole = ordered_json::object();
  if (!whole.is_object()) whole = ordered_json{{given_key, std::move(whole)}};
  whole.erase(own_key);
  whole[own_key] = {{"version", base::version_text()}};
  if (!blas.empty()) whole[own_key]["blas"] = blas;
  return whole.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string recorded_blas(const std::string& recorded) { return own_text(base::json_tree<ordered_json>(recorded), "blas"); }

std::string environment_difference(const std::string& recorded_text, const std::string* given, const std::string& blas) {
  const auto recorded = base::json_tree<ordered_json>(recorded_text);
  const std::string version = own_text(recorded, "version");
  const std::string there_blas = own_text(recorded, "blas");
  if (given != nullptr) {
    const std::string there = given_part(recorded);
    const bool is_whole = recorded.is_object() && recorded.contains(own_key);
    const std::string here = is_whole ? given_part(base::json_tree<ordered_json>(whole_environment(*given, ""))) : *given;
    if (there != here) return base::cat("was written in the environment ", there, "; this one is ", here);
  }
  if (!version.empty() && version != base::version_text())
    return base::cat("was written by libckpt ", version, "; this is ", base::version_text());
  if (!there_blas.empty() && !blas.empty() && there_blas != blas)
    return base::cat("was written with the BLAS ", there_blas, "; this process has ", blas);
  return "";
}

}  // namespace ckpt::state
