// Profiles of chains as JSON files: the planner's input for layers that run elsewhere.
#pragma once

#include <string>

#include <ckpt/ckpt.hpp>

namespace ckpt::cli {

// Reads a profile as ckpt_profile_get_json writes it. Throws std::runtime_error that names the file and the position of the error.
Profile read_profile(const std::string& path);

}  // namespace ckpt::cli
