#include "base/error.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string_view>

namespace ckpt::base {
namespace {

// No strings: a thread's objects with destructors need memory, see thread_end.h.
using Text = std::array<char, 1024>;
constinit thread_local Text last_error_text{};
constinit thread_local Text callback_error_text{};

// In one line of UTF-8, cut off at a character.
void copy_line(std::string_view rest, Text& text) noexcept {
  std::size_t written = 0;
  while (!rest.empty()) {
    const std::size_t length = utf8_length(rest);
    const std::size_t used = length == 0 ? 1 : length;
    if (written + used >= text.size()) break;
    if (length == 0) {
      text[written] = '?';
    } else if (rest[0] == '\n' || rest[0] == '\r') {
      text[written] = ' ';
    } else {
      std::memmove(&text[written], rest.data(), length);
    }
    written += used;
    rest.remove_prefix(used);
  }
  text[written] = '\0';
}

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

CurrentError current_error() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return {error.status(), error.what()};
  } catch (const std::bad_alloc&) {
    return {Status::out_of_memory, "out of memory"};
  } catch (const std::length_error&) {
    return {Status::out_of_memory, "out of memory: a container would be larger than the address space"};
  } catch (const std::exception& error) {
    return {Status::internal, error.what()};
  } catch (...) {
    return {Status::internal, "an exception of unknown type"};
  }
}

void set_last_error(const char* message) noexcept { copy_line(message, last_error_text); }

const char* last_error() noexcept { return last_error_text.data(); }

void set_callback_error(const char* text) noexcept { copy_line(text != nullptr ? text : "", callback_error_text); }

// Around every callback, and nearly always there is none.
std::string take_callback_error() {
  if (callback_error_text[0] == '\0') return {};
  std::string text = callback_error_text.data();
  callback_error_text[0] = '\0';
  return text;
}

void fail_callback(std::string_view who, std::int32_t code) {
  const std::string reason = take_callback_error();
  if (reason.empty()) fail(Status::callback, who, ": the callback returned ", code);
  fail(Status::callback, who, ": ", reason);
}

}  // namespace ckpt::base
