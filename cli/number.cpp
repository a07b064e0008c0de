#include "number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <system_error>
#include <type_traits>
#include <utility>

#include "text.h"

namespace ckpt::cli {
namespace {

template <class T>
std::string text_of(T value) {
  char text[64];
  return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

template <class T>
T parse(const std::string& name, const std::string& text, Range<T> range) {
  const auto refuse = [&](const std::string& why) { throw CLI::ValidationError(name, "'" + printable(text) + "': " + why); };
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const bool is_number = error != std::errc::invalid_argument && stop == end;
  // A minus sign and digits are a number, although unsigned types cannot represent it.
  const bool is_negative =
      std::is_unsigned_v<T> && text.size() > 1 && text[0] == '-' && text.find_first_not_of("0123456789", 1) == std::string::npos;
  if (!is_number && !is_negative) refuse(std::is_floating_point_v<T> ? "expected a number" : "expected an integer");
  // A NaN fails both comparisons.
  if (is_negative || error != std::errc() || !(value >= range.min && value <= range.max)) {
    refuse("expected " + text_of(range.min) + " .. " + text_of(range.max));
  }
  return value;
}

template <class T>
CLI::Option* add(CLI::App& app, const std::string& name, T& target, Range<T> range, const std::string& meaning) {
  return app
      .add_option_function<std::string>(
          name, [name, range, &target](const std::string& text) { target = parse(name, text, range); }, meaning)
      ->type_name(std::is_floating_point_v<T> ? "X" : "N")
      ->default_str(text_of(target));
}

}  // namespace

CLI::Option* add_number(CLI::App& app, const std::string& name, std::int32_t& target, Range<std::int32_t> range,
                        const std::string& meaning) {
  return add(app, name, target, range, meaning);
}

CLI::Option* add_number(CLI::App& app, const std::string& name, std::int64_t& target, Range<std::int64_t> range,
                        const std::string& meaning) {
  return add(app, name, target, range, meaning);
}

CLI::Option* add_number(CLI::App& app, const std::string& name, std::uint64_t& target, Range<std::uint64_t> range,
                        const std::string& meaning) {
  return add(app, name, target, range, meaning);
}

CLI::Option* add_number(CLI::App& app, const std::string& name, double& target, Range<double> range, const std::string& meaning) {
  return add(app, name, target, range, meaning);
}

CLI::Option* add_duration(CLI::App& app, const std::string& name, std::int64_t& seconds, const std::string& meaning) {
  const auto read = [name, &seconds](const std::string& text) {
    constexpr std::pair<char, std::int64_t> units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 604800}};
    const auto* const found = std::find_if(std::begin(units), std::end(units),
                                           [&](const auto& each) { return !text.empty() && each.first == text.back(); });
    const bool has_unit = found != std::end(units);
    const std::int64_t unit = has_unit ? found->second : 1;
    constexpr std::int64_t max = std::int64_t{100} * 366 * 86400;
    seconds = unit * parse(name, text.substr(0, text.size() - (has_unit ? 1 : 0)), Range<std::int64_t>{0, max / unit});
  };
  return app.add_option_function<std::string>(name, read, meaning)->type_name("DURATION");
}

}  // namespace ckpt::cli
