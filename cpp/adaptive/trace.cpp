#include "adaptive/trace.h"

#include <charconv>
#include <cmath>
#include <functional>
#include <queue>

#include "base/error.h"
#include "base/philox.h"

namespace ckpt::adaptive {
namespace {

using base::require;

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// Returns NaN if text is not a number.
double number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : std::nan("");
}

double positive_of(std::string_view argument, std::string_view text) {
  const double value = number_of(text);
  require(std::isfinite(value) && value > 0, argument, " is ", base::quote(text), "; expected a number above 0");
  return value;
}

// Returns one node's next lifetime.
double life(const FailureLaw& law, double uniform_value) {
  const double scale = law.mtbf_seconds / std::tgamma(1 + 1 / law.shape);
  return scale * std::pow(-std::log(uniform_value), 1 / law.shape);
}

}  // namespace

Trace parse_trace(std::string_view csv) {
  Trace trace;
  for (std::int64_t line = 1; !csv.empty(); ++line) {
    const std::size_t end = csv.find('\n');
    const std::string_view text = trim(csv.substr(0, end));
    csv.remove_prefix(end == std::string_view::npos ? csv.size() : end + 1);
    if (text.empty() || text.front() == '#') continue;
    const double seconds = number_of(text);
    require(std::isfinite(seconds) && seconds >= 0, "trace, line ", line, ": ", base::quote(text),
            ": expected a number of seconds between two failures");
    trace.push_back(seconds);
  }
  require(!trace.empty(), "trace: expected at least one line with a number");
  return trace;
}

FailureLaw parse_law(std::string_view text) {
  constexpr std::string_view exponential = "exponential:";
  constexpr std::string_view weibull = "weibull:";
  FailureLaw law;
  if (text.starts_with(exponential)) {
    law.mtbf_seconds = positive_of("MTBF", text.substr(exponential.size()));
    return law;
  }
  const std::size_t colon = text.starts_with(weibull) ? text.find(':', weibull.size()) : std::string_view::npos;
  require(colon != std::string_view::npos, "law is ", base::quote(text), "; expected exponential:MTBF or weibull:SHAPE:MTBF");
  law.shape = positive_of("SHAPE", text.substr(weibull.size(), colon - weibull.size()));
  require(law.shape >= 0.1 && law.shape <= 100, "SHAPE is ", law.shape, "; expected 0.1 .. 100");
  law.mtbf_seconds = positive_of("MTBF", text.substr(colon + 1));
  return law;
}

double uniform(std::uint64_t seed, std::uint64_t replica, std::uint64_t stream, std::uint64_t index) {
  const base::PhiloxKey key = base::philox_derive_key(seed, replica, stream);
  const base::PhiloxCounter block = base::philox4x32({base::low_word(index), base::high_word(index), 0, 0}, key);
  const std::uint64_t bits = (std::uint64_t{block[0]} << 21) ^ (block[1] >> 11);
  return (static_cast<double>(bits & ((std::uint64_t{1} << 53) - 1)) + 0.5) * 0x1.0p-53;
}

Trace draw_trace(const FailureLaw& law, std::int64_t nodes, std::int64_t count, std::uint64_t seed, std::uint64_t replica) {
  struct Next {
    double time;
    std::uint64_t node;
    std::uint64_t lives;
    bool operator>(const Next& other) const { return time > other.time; }
  };
  std::priority_queue<Next, std::vector<Next>, std::greater<>> queue;
  for (std::uint64_t node = 0; node < static_cast<std::uint64_t>(nodes); ++node) {
    queue.push({life(law, uniform(seed, replica, node, 0)), node, 1});
  }
  Trace trace;
  double before = 0;
  while (static_cast<std::int64_t>(trace.size()) < count) {
    const Next next = queue.top();
    queue.pop();
    if (!std::isfinite(next.time)) {
      base::fail(base::Status::out_of_range, "MTBF is ", law.mtbf_seconds, ": ", count,
                 " failures span more seconds than a double can represent");
    }
    trace.push_back(next.time - before);
    before = next.time;
    queue.push({next.time + life(law, uniform(seed, replica, next.node, next.lives)), next.node, next.lives + 1});
  }
  return trace;
}

}  // namespace ckpt::adaptive
