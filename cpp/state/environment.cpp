#include "state/environment.h"

#include <vector>

#include "base/error.h"
#include "base/json_tree.h"
#include "base/json_writer.h"
#include "base/version.h"

namespace ckpt::state {
namespace {

using base::Json;

constexpr const char* own_key = "libckpt";
constexpr const char* given_key = "given";  // holds a caller's value that is not an object

void erase(Json& object, std::string_view name) {
  std::erase_if(object.members(), [&](const Json::Member& member) { return member.name == name; });
}

// Returns the caller's part of an environment as JSON; "null" if there is none. Earlier versions recorded only the caller's part.
std::string given_part(Json whole) {
  if (whole.find(own_key) == nullptr) return whole.text();
  erase(whole, own_key);
  if (whole.members().empty()) return "null";
  const Json* const given = whole.find(given_key);
  const bool is_wrapped = whole.members().size() == 1 && given != nullptr && !given->is_object();
  return (is_wrapped ? *given : whole).text();
}

// Returns "" if the recorded environment lacks the key.
std::string own_text(const Json& recorded, const char* key) {
  const Json* const own = recorded.find(own_key);
  const Json* const found = own == nullptr ? nullptr : own->find(key);
  return found != nullptr && found->is_string() ? found->string() : "";
}

}  // namespace

std::string whole_environment(const std::string& given, const std::string& blas) {
  Json whole = base::json_tree(given);
  base::JsonWriter out(base::NotUtf8::replaced);
  out.begin_object();
  if (whole.is_object()) {
    erase(whole, own_key);
    for (const Json::Member& member : whole.members()) {
      out.key(member.name);
      member.value.write(out);
    }
  } else if (!whole.is_null()) {
    out.key(given_key);
    whole.write(out);
  }
  out.key(own_key).begin_object().member("version", base::version_text());
  if (!blas.empty()) out.member("blas", blas);
  return std::move(out.end_object().end_object()).text();
}

std::string recorded_blas(const std::string& recorded) { return own_text(base::json_tree(recorded), "blas"); }

std::string environment_difference(const std::string& recorded_text, const std::string* given, const std::string& blas) {
  const Json recorded = base::json_tree(recorded_text);
  const std::string version = own_text(recorded, "version");
  const std::string there_blas = own_text(recorded, "blas");
  if (given != nullptr) {
    const std::string there = given_part(recorded);
    const bool is_whole = recorded.find(own_key) != nullptr;
    const std::string here = is_whole ? given_part(base::json_tree(whole_environment(*given, ""))) : *given;
    if (there != here) return base::cat("was written in the environment ", there, "; this one is ", here);
  }
  if (!version.empty() && version != base::version_text())
    return base::cat("was written by libckpt ", version, "; this is ", base::version_text());
  if (!there_blas.empty() && !blas.empty() && there_blas != blas)
    return base::cat("was written with the BLAS ", there_blas, "; this process has ", blas);
  return "";
}

}  // namespace ckpt::state
