// Axes: where a value stands between the ends, and which values have marks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ckpt::cli::report {

struct Tick {
  double at;
  std::string label;
  bool roomy = false;  // shown only where there is room
};

class Scale {
 public:
  // Marks at round numbers; at whole ones when there are no digits behind the point.
  static Scale linear(double low, double high, int digits = -1);
  // From 0 to at least most, in the unit of bytes that suits it; unit() names it.
  static Scale bytes(double most);
  // From 0 to most seconds, with so many marks at most; unit() names the unit.
  static Scale seconds(double most, int marks = 8);
  // Marks at powers of ten.
  static Scale counts(double first, double last);
  // Logarithmic, with marks at durations that people use.
  static Scale durations(double first, double last);
  // Logarithmic, with marks at so many times as much: "1.2".
  static Scale times(double low, double high);
  // Shares of one: linear between -least and least, logarithmic beyond, with marks at powers of ten per cent.
  static Scale signed_shares(double low, double high, double least);
  // Shares of one near one: each tenth of what is missing takes as much room as the one before.
  static Scale nines(double low, double high);
  // Numbered lanes without marks, the first at the top.
  static Scale lanes(std::size_t count);

  // 0 at the low end, 1 at the high end; values beyond are at the ends.
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

// "85 \u00b5s", "12.34 ms", "7.50 s", "25.1 min", "5.6 h", "12 d".
std::string duration_text(double seconds);
// With commas between thousands.
std::string count_text(std::int64_t count);
// A share as per cent. sign: "+" for what is above 0.
std::string percent_text(double share, int digits, const char* sign = "");

}  // namespace ckpt::cli::report
