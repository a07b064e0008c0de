// Profiles of chains as JSON files: what planning must know of layers that run elsewhere.
#pragma once

#include <string>

#include <ckpt/ckpt.hpp>

namespace ckpt::cli {

// As ckpt_profile_get_json writes it. Throws std::runtime_error that names the file and the place in it.
Profile read_profile(const std::string& path);

}  // namespace ckpt::cli
