#include "number.h"

#include <charconv>
#include <cmath>
#include <system_error>
#include <type_traits>

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
  const auto refuse = [&](const std::string& why) { throw CLI::ValidationError(name, "'" + printable(text) + "' " + why); };
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const bool is_number = error != std::errc::invalid_argument && stop == end;
  // Digits with a minus are a number too, of no unsigned type.
  const bool is_negative =
      std::is_unsigned_v<T> && text.size() > 1 && text[0] == '-' && text.find_first_not_of("0123456789", 1) == std::string::npos;
  if (!is_number && !is_negative) refuse(std::is_floating_point_v<T> ? "is not a number" : "is not a whole number");
  // Comparisons that a NaN fails.
  if (is_negative || error != std::errc() || !(value >= range.least && value <= range.most)) {
    refuse("is out of range; " + text_of(range.least) + " .. " + text_of(range.most));
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

}  // namespace ckpt::cli
