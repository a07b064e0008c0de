// Calls of the user's functions. A C++ program may pass functions that throw.
#pragma once

#include <cxxabi.h>

#include <exception>

#include "common/error.h"

namespace ckpt::plugin {

// Calls a function that cannot report an error. An exception becomes Error(CALLBACK) with the exception's text. function: its name.
template <class Call>
void user_call(const char* function, Call&& call) {
  try {
    call();
  } catch (const abi::__forced_unwind&) {  // the thread is being cancelled
    throw;
  } catch (const std::exception& error) {
    fail(CKPT_E_CALLBACK, function, ": it threw an exception: ", error.what());
  } catch (...) {
    fail(CKPT_E_CALLBACK, function, ": it threw an exception: an exception of unknown type");
  }
}

}  // namespace ckpt::plugin
