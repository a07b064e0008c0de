// The exception with which the system cancels a thread: a handler must rethrow it.
#pragma once

#include <cxxabi.h>

namespace ckpt::base {

using ForcedUnwind = abi::__forced_unwind;

}  // namespace ckpt::base
