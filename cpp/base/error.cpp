#include "base/error.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string_view>

#include "base/os/thread_end.h"

namespace ckpt::base {
namespace {

constinit thread_local std::array<char, 1024> last_error_text{};

// A pointer: see thread_end.h. Allocated when a callback of the thread sets its first message. Not a fixed array: thread-local
// data must fit into the small space that is left for libraries loaded later.
constinit thread_local std::string* callback_error_text = nullptr;
ThreadEnd callback_error_ends([](void* text) {
  callback_error_text = nullptr;
  delete static_cast<std::string*>(text);
});

std::string* callback_error_place() {
  if (callback_error_text == nullptr) {
    auto place = std::make_unique<std::string>();
    if (callback_error_ends.arrange(place.get())) callback_error_text = place.release();
  }
  return callback_error_text;
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

void set_last_error(const char* message) noexcept {
  std::string_view rest = message;
  std::size_t written = 0;
  while (!rest.empty()) {
    const std::size_t length = utf8_length(rest);
    const std::size_t used = length == 0 ? 1 : length;
    if (written + used >= last_error_text.size()) break;
    if (length == 0) {
      last_error_text[written] = '?';
    } else if (rest[0] == '\n' || rest[0] == '\r') {
      last_error_text[written] = ' ';
    } else {
      std::memmove(&last_error_text[written], rest.data(), length);
    }
    written += used;
    rest.remove_prefix(used);
  }
  last_error_text[written] = '\0';
}

const char* last_error() noexcept { return last_error_text.data(); }

void set_callback_error(const char* text) noexcept {
  if (callback_error_text != nullptr) callback_error_text->clear();
  if (text == nullptr || *text == '\0') return;
  try {
    if (std::string* const place = callback_error_place()) *place = text;
  } catch (const std::bad_alloc&) {
    // The message is lost; the callback's return code is still reported.
  }
}

// Called around every callback; usually none is set.
std::string take_callback_error() {
  std::string* const text = callback_error_text;
  return text == nullptr || text->empty() ? std::string() : std::exchange(*text, std::string());
}

void fail_callback(std::string_view name, std::int32_t code) {
  const std::string reason = take_callback_error();
  if (reason.empty()) fail(Status::callback, name, ": the callback returned ", code);
  fail(Status::callback, name, ": ", reason);
}

}  // namespace ckpt::base
