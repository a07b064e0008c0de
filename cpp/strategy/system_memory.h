// What memory the system has and this process holds.
#pragma once

#include <cstdint>
#include <optional>

namespace ckpt::strategy {

// Physical memory; nothing where the system does not say.
std::optional<std::int64_t> usable_memory_bytes();
// Memory of this process that is in RAM; nothing where the system does not say.
std::optional<std::int64_t> resident_bytes();

}  // namespace ckpt::strategy
