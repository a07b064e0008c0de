// Calls of the user's functions. A C++ program may pass functions that throw: no exception propagates from here, because the frames
// up to the C boundary belong to the library's threads, to destructors, or to other languages.
#pragma once

#include <cstdint>

#include "base/os/forced_unwind.h"

namespace ckpt::capi {

// Called in a catch block: sets the message of the exception as the callback's error, and returns CKPT_E_CALLBACK.
std::int32_t code_of_thrown() noexcept;
// Called in a catch block: logs an ERROR message with the name of the function and the exception's message. The first one in a
// process is a failure that no caller can receive (base/log.h).
void log_thrown(const char* function) noexcept;

// Calls a function that returns 0 or an error, and returns its result; an exception is an error with the exception's message.
template <class Call>
std::int32_t user_call(Call&& call) {
  try {
    return call();
  } catch (const base::ForcedUnwind&) {  // the thread is being cancelled
    throw;
  } catch (...) {
    return code_of_thrown();
  }
}

// Calls a function that cannot report an error.
template <class Call>
void user_notice(const char* function, Call&& call) {
  try {
    call();
  } catch (const base::ForcedUnwind&) {
    throw;
  } catch (...) {
    log_thrown(function);
  }
}

}  // namespace ckpt::capi
