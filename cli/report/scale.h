// Axes: map a value to a position between the ends, and choose the tick marks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ckpt::cli::report {

struct Tick {
  double at;
  std::string label;
  bool roomy = false;  // only shown if the page is wide
};

class Scale {
 public:
  // Ticks at round numbers; at integers if digits is 0.
  static Scale linear(double low, double high, int digits = -1);
  // From 0 to at least most, in a suitable unit of bytes; unit() names it.
  static Scale bytes(double max);
  // From 0 to most seconds, with at most `marks` ticks; unit() names the unit.
  static Scale seconds(double max, int marks = 8);
  // Ticks at powers of ten.
  static Scale counts(double first, double last);
  // Logarithmic, with ticks at common durations.
  static Scale durations(double first, double last);
  // Logarithmic, with ticks at ratios: "1.2".
  static Scale times(double low, double high);
  // Fractions: linear between -least and least, logarithmic beyond, with ticks at powers of ten percent.
  static Scale signed_shares(double low, double high, double min);
  // Fractions near 1: each tenth of the remaining distance to 1 takes the same space.
  static Scale nines(double low, double high);
  // Numbered lanes without ticks, the first at the top.
  static Scale lanes(std::size_t count);

  // Returns 0 at the low end, 1 at the high end; clamps values beyond the ends.
  double share(double value) const;
  const std::vector<Tick>& ticks() const { return ticks_; }
  const std::string& unit() const { return unit_; }

 private:
  using Map = std::function<double(double)>;
  Scale(double low, double high, Map map);

  Map map_;
  double low_;
  double high_;
  std::vector<Tick> ticks_;
  std::string unit_;
};

// Returns "85 \u00b5s", "12.34 ms", "7.50 s", "25.1 min", "5.6 h", "12 d".
std::string duration_text(double seconds);
// Formats with commas between thousands.
std::string count_text(std::int64_t count);
// Formats a fraction as a percentage. sign: "+" prefixes positive values.
std::string percent_text(double share, int digits, const char* sign = "");

}  // namespace ckpt::cli::report
