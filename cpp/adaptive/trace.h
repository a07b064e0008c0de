// Times between failures: parsed from text, or drawn from a law with Philox, identical on every machine.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ckpt::adaptive {

using Trace = std::vector<double>;  // seconds between failures, in order

// Parses one number per line; ignores empty lines and lines that begin with #. Error(invalid_argument) names the line.
Trace parse_trace(std::string_view csv);

// A failure law: "exponential:MTBF" or "weibull:SHAPE:MTBF", seconds.
struct FailureLaw {
  double shape = 1;
  double mtbf_seconds = 3600;
};
FailureLaw parse_law(std::string_view text);

// Returns the first `count` gaps of a machine of `nodes` nodes that fail independently, each according to the law and renewed
// after its own failure.
Trace draw_trace(const FailureLaw& law, std::int64_t nodes, std::int64_t count, std::uint64_t seed, std::uint64_t replica);

// Uniform in (0, 1), 53 bits.
double uniform(std::uint64_t seed, std::uint64_t replica, std::uint64_t stream, std::uint64_t index);

}  // namespace ckpt::adaptive
