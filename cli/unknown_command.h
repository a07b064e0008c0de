// Detects a first argument that is not a command.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace ckpt::cli {

// Returns a message with the most similar command, or with all commands; "" if the command exists.
std::string unknown_command(const CLI::App& app, int argc, const char* const* argv);

}  // namespace ckpt::cli
