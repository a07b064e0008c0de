// The first argument, when it should name a command and does not.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace ckpt::cli {

// What is wrong with it, and the nearest command or all of them; "" when nothing is wrong.
std::string unknown_command(const CLI::App& app, int argc, const char* const* argv);

}  // namespace ckpt::cli
