#include "state/ranks/announced.h"

namespace ckpt::state {

using nlohmann::json;

std::string announced_text(const json& all) { return all.dump(-1, ' ', false, json::error_handler_t::replace); }

std::string announced_text(const base::Error& error) {
  return announced_text(json{{"status", static_cast<std::int32_t>(error.status())}, {"message", error.message()}});
}

}  // namespace ckpt::state
