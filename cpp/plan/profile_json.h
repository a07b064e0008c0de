// The JSON form of a profile, which docs/reference/plan.md describes.
#pragma once

#include <string>
#include <string_view>

#include "plan/profile.h"

namespace ckpt::plan {

// Numbers read back to the same bits.
std::string to_json(const ChainProfile& profile);

// Error(corrupt) says what is wrong with the text, and where; Error(unsupported) for one of a later version.
ChainProfile profile_from_json(std::string_view text);

}  // namespace ckpt::plan
