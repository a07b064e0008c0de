#include "base/json_writer.h"

#include <nlohmann/json.hpp>

#include "base/error.h"

namespace ckpt::base {

// The trees here hold a single scalar: their destructors allocate nothing.

std::string json_string(std::string_view text, NotUtf8 bytes) {
  using nlohmann::json;
  require(bytes == NotUtf8::replaced || is_utf8(text), quote(text), " is not valid UTF-8");
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string json_number(double value) { return nlohmann::json(value).dump(); }

}  // namespace ckpt::base
