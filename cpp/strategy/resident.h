// What memory this process holds.
#pragma once

#include <cstdint>
#include <optional>

namespace ckpt::strategy {

// Memory of this process that is in RAM; nothing where the system does not say. Opens a file: not for every decision.
std::optional<std::int64_t> resident_bytes();

}  // namespace ckpt::strategy
