#include "report/scale.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "text.h"

namespace ckpt::cli::report {
namespace {

// Minimum distances between ticks as fractions of an axis: ticks shown at every width, and all ticks.
constexpr double distance = 0.24;
constexpr double roomy_distance = 0.1;

double identity(double value) { return value; }

// Returns 1, 2 or 5 times a power of ten, such that about `wanted` steps fit into range.
double round_step(double range, int wanted) {
  const double rough = range / wanted;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (rough <= factor * power * 1.0001) return factor * power;
  }
  return 10 * power;
}

int digits_for(double step) { return std::clamp(static_cast<int>(-std::floor(std::log10(step) + 1e-9)), 0, 9); }

struct Unit {
  const char* name;
  double size;
};

Unit unit_for(double max, const std::vector<Unit>& units) {
  Unit best = units.front();
  for (const Unit& unit : units) {
    if (max >= unit.size) best = unit;
  }
  return best;
}

constexpr double minute = 60;
constexpr double hour = 60 * minute;
constexpr double day = 24 * hour;
constexpr double year = 365 * day;

constexpr std::array<std::pair<double, const char*>, 30> known_durations = {{{1e-3, "1 ms"},
                                                                             {1e-2, "10 ms"},
                                                                             {0.1, "0.1 s"},
                                                                             {1, "1 s"},
                                                                             {2, "2 s"},
                                                                             {5, "5 s"},
                                                                             {10, "10 s"},
                                                                             {30, "30 s"},
                                                                             {minute, "1 min"},
                                                                             {2 * minute, "2 min"},
                                                                             {5 * minute, "5 min"},
                                                                             {10 * minute, "10 min"},
                                                                             {30 * minute, "30 min"},
                                                                             {hour, "1 h"},
                                                                             {2 * hour, "2 h"},
                                                                             {5 * hour, "5 h"},
                                                                             {10 * hour, "10 h"},
                                                                             {day, "1 d"},
                                                                             {2 * day, "2 d"},
                                                                             {5 * day, "5 d"},
                                                                             {10 * day, "10 d"},
                                                                             {30 * day, "30 d"},
                                                                             {100 * day, "100 d"},
                                                                             {year, "1 y"},
                                                                             {3 * year, "3 y"},
                                                                             {10 * year, "10 y"},
                                                                             {100 * year, "100 y"},
                                                                             {1e3 * year, "1000 y"},
                                                                             {1e4 * year, "1e4 y"},
                                                                             {1e5 * year, "1e5 y"}}};

}  // namespace

Scale::Scale(double low, double high, Map map) : map_(std::move(map)), low_(map_(low)), high_(map_(high)) {
  if (!(high_ > low_)) high_ = low_ + 1;
}

double Scale::share(double value) const { return std::clamp((map_(value) - low_) / (high_ - low_), 0.0, 1.0); }

Scale Scale::linear(double low, double high, int digits) {
  if (!(high > low)) high = low + 1;
  const double step = std::max(round_step(high - low, 4), digits == 0 ? 1.0 : 0.0);
  Scale scale(std::floor(low / step + 1e-9) * step, std::ceil(high / step - 1e-9) * step, identity);
  const auto steps = std::llround((scale.high_ - scale.low_) / step);
  for (std::int64_t i = 0; i <= steps; ++i) {
    const double at = scale.low_ + static_cast<double>(i) * step;
    scale.ticks_.push_back({at, fixed_text(at, digits < 0 ? digits_for(step) : digits)});
  }
  return scale;
}

Scale Scale::bytes(double max) {
  const Unit unit =
      unit_for(max, {{"bytes", 1}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}, {"PiB", 0x1p50}});
  Scale scale = linear(0, std::max(max, 1.0) / unit.size);
  scale.unit_ = unit.name;
  scale.map_ = [size = unit.size](double value) { return value / size; };
  for (Tick& tick : scale.ticks_) tick.at *= unit.size;
  return scale;
}

Scale Scale::seconds(double max, int marks) {
  const Unit unit =
      unit_for(max, {{"microseconds", 1e-6}, {"milliseconds", 1e-3}, {"seconds", 1}, {"minutes", minute}, {"hours", hour}});
  const double last = max > 0 ? max / unit.size : 1;
  Scale scale(0, last, identity);
  const double step = round_step(last, marks);
  for (int i = 0; i * step <= last * 1.0001; ++i)
    scale.ticks_.push_back({i * step * unit.size, fixed_text(i * step, digits_for(step)), i % 2 == 1});
  scale.unit_ = unit.name;
  scale.map_ = [size = unit.size](double value) { return value / size; };
  return scale;
}

Scale Scale::counts(double first, double last) {
  const auto map = [](double value) { return std::log10(std::max(value, 1.0)); };
  Scale scale(first, last, map);
  for (std::int64_t at = 1; static_cast<double>(at) <= last; at *= 10) {
    if (static_cast<double>(at) >= first) scale.ticks_.push_back({static_cast<double>(at), count_text(at)});
    if (at > std::numeric_limits<std::int64_t>::max() / 10) break;
  }
  return scale;
}

Scale Scale::durations(double first, double last) {
  Scale scale(first, std::max(last, first * 1.01), [](double value) { return std::log(std::max(value, 1e-9)); });
  double shown_to = -1;  // position of the last tick that is always shown
  double roomy_to = -1;
  for (const auto& [at, label] : known_durations) {
    if (at < first * 0.999 || at > last * 1.001) continue;
    const double share = scale.share(at);
    if (share - roomy_to < roomy_distance) continue;
    const bool roomy = share - shown_to < distance;
    scale.ticks_.push_back({at, label, roomy});
    roomy_to = share;
    if (!roomy) shown_to = share;
  }
  return scale;
}

Scale Scale::times(double low, double high) {
  Scale scale(low, std::max(high, low * 1.05), [](double value) { return std::log(std::max(value, 1e-3)); });
  double last = -1;
  for (const double at : {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0,  1.05, 1.1, 1.2,
                          1.3, 1.5, 1.7, 2.0, 2.5, 3.0, 4.0, 5.0, 7.0, 10.0, 15.0, 20.0}) {
    if (at < low * 0.999 || at > high * 1.001 || scale.share(at) - last < 0.1) continue;
    scale.ticks_.push_back({at, cat(at)});
    last = scale.share(at);
  }
  return scale;
}

Scale Scale::signed_shares(double low, double high, double min) {
  const auto map = [min](double value) {
    const double size = std::abs(value) / min;
    return std::copysign(size <= 1 ? size : 1 + std::log10(size), value);
  };
  Scale scale(low, high, map);
  const auto text = [](double share) {
    const int digits = std::max(0, static_cast<int>(-std::floor(std::log10(std::abs(share) * 100) + 1e-9)));
    return percent_text(share, digits, "+");
  };
  scale.ticks_.push_back({0, "0"});
  for (const double sign : {-1.0, 1.0}) {
    double shown_to = scale.share(0);
    double roomy_to = shown_to;
    double value = sign * min;
    for (; std::abs(value) <= std::max(std::abs(low), std::abs(high)) * 1.0001; value *= 10) {
      const double share = scale.share(value);
      if (value < low * 1.0001 || value > high * 1.0001 || std::abs(share - roomy_to) < roomy_distance) continue;
      const bool roomy = std::abs(share - shown_to) < distance;
      scale.ticks_.push_back({value, text(value), roomy});
      roomy_to = share;
      if (!roomy) shown_to = share;
    }
  }
  return scale;
}

Scale Scale::nines(double low, double high) {
  Scale scale(low, high, [](double value) { return -std::log10(std::max(1 - value, 1e-9)); });
  double last = -1;
  for (const double missing : {1.0,  0.8,  0.5,  0.3,  0.2,  0.1,  0.05, 0.03, 0.02, 0.01, 5e-3,
                               3e-3, 2e-3, 1e-3, 5e-4, 3e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5, 1e-6}) {
    const double at = 1 - missing;
    if (at < low || at > high || scale.share(at) - last < 0.09) continue;
    const int digits = std::max(0, static_cast<int>(-std::floor(std::log10(missing * 100) + 1e-9)));
    scale.ticks_.push_back({at, percent_text(at, digits)});
    last = scale.share(at);
  }
  return scale;
}

Scale Scale::lanes(std::size_t count) {
  const auto last = static_cast<double>(std::max<std::size_t>(count, 1));
  return Scale(last, 0, [last](double value) { return last - value; });
}

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  const auto text = [](double amount, int digits, const char* unit) {
    return fixed_text(amount, amount == std::floor(amount) ? 0 : digits) + unit;
  };
  if (seconds < 1e-3) return text(seconds * 1e6, 1, " \u00b5s");
  if (seconds < 1) return text(seconds * 1e3, 2, " ms");
  if (seconds < 2 * minute) return text(seconds, 2, " s");
  if (seconds < 2 * hour) return text(seconds / minute, 1, " min");
  if (seconds < 2 * day) return text(seconds / hour, 1, " h");
  return text(seconds / day, 1, " d");
}

std::string count_text(std::int64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3 + (count < 0 ? 1U : 0U);) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string percent_text(double share, int digits, const char* sign) {
  std::string text = fixed_text(100 * share, digits);
  if (text.find_first_not_of("-0.") == std::string::npos) return fixed_text(0, digits) + "%";  // avoids "-0"
  if (text.front() == '-') return "\u2212" + text.substr(1) + "%";
  return sign + text + "%";
}

}  // namespace ckpt::cli::report
