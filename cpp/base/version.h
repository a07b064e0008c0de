// Version and build information.
#pragma once

#include <cstdint>
#include <string_view>

namespace ckpt::base {

std::int32_t version_number() noexcept;    // major * 1000000 + minor * 1000 + patch
const char* version_text() noexcept;       // "major.minor.patch"
const char* build_description() noexcept;  // compiler, build type, sanitizers
bool has_feature(std::string_view name) noexcept;

}  // namespace ckpt::base
