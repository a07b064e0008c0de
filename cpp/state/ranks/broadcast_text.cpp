#include "state/ranks/broadcast_text.h"

#include "base/json_writer.h"

namespace ckpt::state {

std::string error_text(const base::Error& error) {
  base::JsonWriter out(base::NotUtf8::replaced);
  out.begin_object().member("status", static_cast<std::int32_t>(error.status())).member("message", error.message());
  return std::move(out.end_object()).text();
}

base::Json announced(const std::string& text) {
  if (!base::json_problem(text, base::deepest_json).empty()) throw Unreadable();
  return base::json_tree(text);
}

const base::Json& member_of(const base::Json& all, const char* name) {
  const base::Json* const found = all.find(name);
  if (found == nullptr) throw Unreadable();
  return *found;
}

}  // namespace ckpt::state
