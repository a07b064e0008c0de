// The exception with which the system cancels a thread: it must be thrown on.
#pragma once

#include <cxxabi.h>

namespace ckpt::base {

using ForcedUnwind = abi::__forced_unwind;

}  // namespace ckpt::base
