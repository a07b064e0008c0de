// Options with one number as value. A value out of range or not entirely a number is rejected with the option's name.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace ckpt::cli {

// Inclusive bounds.
template <class T>
struct Range {
  T min;
  T max;
};

// Adds the option --name, in decimal digits whatever the locale. The default is the value of target.
CLI::Option* add_number(CLI::App& app, const std::string& name, std::int32_t& target, Range<std::int32_t> range,
                        const std::string& meaning);
CLI::Option* add_number(CLI::App& app, const std::string& name, std::int64_t& target, Range<std::int64_t> range,
                        const std::string& meaning);
CLI::Option* add_number(CLI::App& app, const std::string& name, std::uint64_t& target, Range<std::uint64_t> range,
                        const std::string& meaning);
// Requires a finite value.
CLI::Option* add_number(CLI::App& app, const std::string& name, double& target, Range<double> range, const std::string& meaning);

// Adds an option for a duration in seconds: "90", "15m", "24h", "7d", "2w"; at most 100 years.
CLI::Option* add_duration(CLI::App& app, const std::string& name, std::int64_t& seconds, const std::string& meaning);

}  // namespace ckpt::cli
