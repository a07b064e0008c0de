#include "base/error.h"

#include <array>
#include <cstring>

namespace ckpt::base {
namespace {

thread_local std::array<char, 1024> last_error_text{};
thread_local std::string callback_error_text;

bool continues_utf8(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

}  // namespace

const char* status_name(Status status) noexcept {
  switch (status) {
    case Status::ok: return "OK";
    case Status::invalid_argument: return "INVALID_ARGUMENT";
    case Status::out_of_memory: return "OUT_OF_MEMORY";
    case Status::out_of_range: return "OUT_OF_RANGE";
    case Status::invalid_state: return "INVALID_STATE";
    case Status::not_found: return "NOT_FOUND";
    case Status::already_exists: return "ALREADY_EXISTS";
    case Status::busy: return "BUSY";
    case Status::timeout: return "TIMEOUT";
    case Status::cancelled: return "CANCELLED";
    case Status::callback: return "CALLBACK";
    case Status::forked: return "FORKED";
    case Status::queue_full: return "QUEUE_FULL";
    case Status::closed: return "CLOSED";
    case Status::io: return "IO";
    case Status::no_space: return "NO_SPACE";
    case Status::permission: return "PERMISSION";
    case Status::corrupt: return "CORRUPT";
    case Status::unsupported: return "UNSUPPORTED";
    case Status::over_budget: return "OVER_BUDGET";
    case Status::invalid_schedule: return "INVALID_SCHEDULE";
    case Status::internal: return "INTERNAL";
  }
  return "UNKNOWN";
}

void set_last_error(const char* message) noexcept {
  std::size_t length = std::strlen(message);
  if (length >= last_error_text.size()) {
    length = last_error_text.size() - 1;
    while (length > 0 && continues_utf8(message[length])) --length;
  }
  for (std::size_t i = 0; i < length; ++i) {
    const char c = message[i];
    last_error_text[i] = (c == '\n' || c == '\r') ? ' ' : c;
  }
  last_error_text[length] = '\0';
}

const char* last_error() noexcept { return last_error_text.data(); }

void set_callback_error(const char* text) { callback_error_text = text == nullptr ? "" : text; }

std::string take_callback_error() { return std::exchange(callback_error_text, std::string()); }

void fail_callback(std::string_view who, std::int32_t code) {
  const std::string reason = take_callback_error();
  if (reason.empty()) fail(Status::callback, who, ": the callback returned ", code);
  fail(Status::callback, who, ": ", reason);
}

}  // namespace ckpt::base
