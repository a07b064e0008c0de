// The JSON form of a profile, documented in docs/reference/plan.md.
#pragma once

#include <string>
#include <string_view>

#include "plan/profile.h"

namespace ckpt::plan {

// Numbers read back to the same bits.
std::string to_json(const ChainProfile& profile);

// Error(corrupt) names the problem and its location; Error(unsupported) for a later version.
ChainProfile profile_from_json(std::string_view text);

}  // namespace ckpt::plan
