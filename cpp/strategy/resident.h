// The resident memory of this process.
#pragma once

#include <cstdint>
#include <optional>

namespace ckpt::strategy {

// Returns the bytes of this process that are in RAM; nothing if the system does not report them. Opens a file, so it is too slow
// for every decision.
std::optional<std::int64_t> resident_bytes();

}  // namespace ckpt::strategy
