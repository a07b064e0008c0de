// Calls user-defined functions. Those of C++ programs can throw.
#pragma once

#include <cxxabi.h>

#include <exception>

#include "common/error.h"

namespace ckpt::plugin {

// Calls a function that cannot return an error. An exception becomes Error(CALLBACK) with its text. function: name for the message.
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
