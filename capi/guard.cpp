#include "guard.h"

#include <atomic>
#include <exception>
#include <string>

#include "base/log.h"
#include "handle.h"

namespace ckpt::capi {

const char* kind_name(std::uint32_t tag) noexcept {
  switch (static_cast<Kind>(tag)) {
    case Kind::none: return "a released handle";
    case Kind::clock: return "clock";
    case Kind::thread_pool: return "thread pool";
    case Kind::memory_tracker: return "memory tracker";
    case Kind::tensor: return "tensor";
    case Kind::buffer_pool: return "buffer pool";
    case Kind::storage: return "storage";
    case Kind::strategy: return "strategy";
    case Kind::profile: return "profile";
    case Kind::schedule: return "schedule";
    case Kind::cursor: return "cursor";
    case Kind::layer: return "layer";
    case Kind::chain: return "chain";
    case Kind::executor: return "executor";
    case Kind::optimizer: return "optimizer";
    case Kind::state: return "state";
    case Kind::checkpoint: return "checkpoint";
    case Kind::fault_handler: return "fault handler";
    case Kind::coordinator: return "coordinator";
    case Kind::reader: return "reader";
    case Kind::threshold: return "threshold rule";
    case Kind::controller: return "controller";
    case Kind::simulation: return "simulation";
    case Kind::activation_manager: return "activation manager";
    case Kind::pipeline: return "pipeline";
    case Kind::async: return "async";
    case Kind::follower: return "follower";
    case Kind::tree: return "tree";
    case Kind::driver: return "driver";
    case Kind::program: return "program";
  }
  return "no handle";
}

void refuse_handle(const void* handle, Kind wanted, const char* argument) {
  if (handle == nullptr) refuse_null(argument);
  base::fail(base::Status::invalid_argument, argument, ": expected a handle of kind '",
             kind_name(static_cast<std::uint32_t>(wanted)), "', found ", kind_name(tag_of(handle)));
}

void refuse_null(const char* argument) { base::fail(base::Status::invalid_argument, argument, " is NULL"); }

ckpt_status status_of_current_exception() noexcept {
  const base::CurrentError error = base::current_error();
  base::set_last_error(error.message);
  return static_cast<ckpt_status>(error.status);
}

std::int32_t code_of_thrown() noexcept {
  const base::CurrentError error = base::current_error();
  try {
    base::set_callback_error(base::cat("it threw an exception: ", error.message).c_str());
  } catch (const std::exception&) {  // no memory for the message
  }
  return CKPT_E_CALLBACK;
}

void log_thrown(const char* function) noexcept {
  static std::atomic<bool> is_reported{false};  // a callback can throw at every call
  const base::CurrentError error = base::current_error();
  try {
    const std::string message = base::cat("the callback '", function, "' threw an exception, which is ignored: ", error.message);
    if (is_reported.exchange(true)) {
      base::write_log(base::LogLevel::error, "base", message);
    } else {
      base::report_unreceived("base", {&message, 1});
    }
  } catch (const std::exception&) {  // no memory for the log message
  }
}

void copy_bytes(std::span<const std::byte> bytes, void* buffer, std::int64_t capacity, std::int64_t* needed) {
  const auto length = static_cast<std::int64_t>(bytes.size());
  base::require(capacity >= 0, "capacity is ", capacity, "; expected at least 0");
  base::require(buffer != nullptr || capacity == 0, "buffer is NULL but capacity is ", capacity);
  base::require(buffer != nullptr || needed != nullptr, "buffer and needed are both NULL");
  if (needed != nullptr) *needed = length;
  if (buffer == nullptr) return;
  if (capacity < length) base::fail(base::Status::out_of_range, "capacity is ", capacity, "; ", length, " needed");
  if (length > 0) std::memcpy(buffer, bytes.data(), bytes.size());
}

void copy_text(std::string_view text, char* buffer, std::int64_t capacity, std::int64_t* needed) {
  const auto length = static_cast<std::int64_t>(text.size());
  if (buffer != nullptr && capacity >= 0 && capacity <= length) {
    if (needed != nullptr) *needed = length;
    base::fail(base::Status::out_of_range, "capacity is ", capacity, "; ", length + 1, " needed with the NUL");
  }
  copy_bytes(std::as_bytes(std::span(text)), buffer, capacity, needed);
  if (buffer != nullptr) buffer[length] = '\0';
}

}  // namespace ckpt::capi
