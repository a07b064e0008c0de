// Options whose value is one number: what is out of range, or not wholly a number, is refused with the option's name and the value.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace ckpt::cli {

// Both ends belong to it.
template <class T>
struct Range {
  T least;
  T most;
};

// What --name says, in decimal digits whatever the locale. target keeps its value as the default.
CLI::Option* add_number(CLI::App& app, const std::string& name, std::int32_t& target, Range<std::int32_t> range,
                        const std::string& meaning);
CLI::Option* add_number(CLI::App& app, const std::string& name, std::int64_t& target, Range<std::int64_t> range,
                        const std::string& meaning);
CLI::Option* add_number(CLI::App& app, const std::string& name, std::uint64_t& target, Range<std::uint64_t> range,
                        const std::string& meaning);
// A finite one.
CLI::Option* add_number(CLI::App& app, const std::string& name, double& target, Range<double> range, const std::string& meaning);

// A span of time in seconds: "90", "15m", "24h", "7d", "2w"; at most 100 years.
CLI::Option* add_duration(CLI::App& app, const std::string& name, std::int64_t& seconds, const std::string& meaning);

}  // namespace ckpt::cli
