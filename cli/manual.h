// The manual page, from the same description as --help.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace ckpt::cli {

// Returns the manual page ckpt(1) in roff.
std::string manual_page(const CLI::App& app, const std::string& version);

}  // namespace ckpt::cli
