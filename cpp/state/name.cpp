#include "state/name.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/error.h"
#include "base/text.h"

namespace ckpt::state {
namespace {

constexpr std::string_view upper_hex = "0123456789ABCDEF";
constexpr std::size_t step_digits = 12;
constexpr std::size_t attempt_digits = 8;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lowered(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), lower);
  return out;
}

// Returns whether it is a DOS device name, which Windows reserves with any extension.
bool is_reserved(std::string_view name) {
  const std::string stem = lowered(name.substr(0, name.find('.')));
  constexpr std::array<std::string_view, 4> devices = {"con", "prn", "aux", "nul"};
  if (std::ranges::find(devices, stem) != devices.end()) return true;
  return stem.size() == 4 && (stem.starts_with("com") || stem.starts_with("lpt")) && is_digit(stem[3]);
}

// Returns whether the name ends in "-00001-of-00003", which denotes a part of a split group.
bool looks_like_part(std::string_view name) {
  const auto digits_at = [&](std::size_t from_end) {
    const std::string_view digits = name.substr(name.size() - from_end, 5);
    return std::ranges::all_of(digits, is_digit);
  };
  constexpr std::size_t length = 15;  // -00001-of-00003
  return name.size() > length && name[name.size() - length] == '-' && digits_at(14) && name.substr(name.size() - 9, 4) == "-of-" &&
         digits_at(5);
}

void append_escaped(std::string& out, char c) {
  const auto byte = static_cast<std::uint8_t>(c);
  out += '%';
  out += upper_hex[byte >> 4];
  out += upper_hex[byte & 15];
}

}  // namespace

void require_plain_name(std::string_view argument, std::string_view name) {
  base::require_name(argument, name);
  base::require(name.find('\0') == std::string_view::npos, argument, " contains a NUL: ", base::quote(name));
}

std::string group_file_name(std::string_view group, std::set<std::string>& used) {
  const bool escape_first = is_reserved(group) || looks_like_part(group);
  std::string stem;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const char c = group[i];
    const bool plain = is_letter(c) || is_digit(c) || c == '_' || c == '-' || (c == '.' && i > 0);
    if (plain && !(i == 0 && escape_first)) {
      stem += c;
    } else {
      append_escaped(stem, c);
    }
  }
  for (std::int64_t copy = 1;; ++copy) {
    std::string name = copy == 1 ? base::cat(stem, ".safetensors") : base::cat(stem, '~', copy, ".safetensors");
    if (used.insert(lowered(name)).second) return name;
  }
}

bool is_safe_file_name(std::string_view name) {
  constexpr std::size_t longest = 255;
  const auto harmless = [](char c) {
    return static_cast<std::uint8_t>(c) >= 0x20 && c != 0x7F && c != '/' && c != '\\' && c != ':';
  };
  return !name.empty() && name.size() <= longest && name.front() != '.' && std::ranges::all_of(name, harmless);
}

namespace {

bool is_prefix(std::string_view text) {
  return !text.empty() && text.size() <= longest_prefix && text != "step" && text != "torn" &&
         std::ranges::all_of(text, [](char c) { return (c >= 'a' && c <= 'z') || is_digit(c) || c == '_'; });
}

}  // namespace

void require_prefix(std::string_view prefix) {
  base::require(prefix.empty() || is_prefix(prefix), "prefix is ", base::quote(prefix), "; expected 1 .. ", longest_prefix,
                " characters a-z, 0-9 or '_', other than 'step' and 'torn'");
}

// ---- Lines ----

std::string mark_text(const LineMark& mark) {
  if (mark.generation == 0) return "";
  return base::cat(".g", mark.generation, '.', mark.parent_step ? base::cat(*mark.parent_step) : "new");
}

std::string mark_file_name(const LineMark& mark) { return base::cat("line", mark_text(mark)); }

namespace {

// Parses a number that base::cat has written; returns nothing for any other string.
std::optional<std::int64_t> plain_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_plain = error == std::errc() && end == text.data() + text.size() && number >= 0 && base::cat(number) == text;
  return is_plain ? std::optional(number) : std::nullopt;
}

// Parses the mark_text of a generation from 1; returns nothing for any other string.
std::optional<LineMark> parse_mark(std::string_view text) {
  constexpr std::string_view begin = ".g";
  if (!text.starts_with(begin)) return std::nullopt;
  text.remove_prefix(begin.size());
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto generation = plain_number(text.substr(0, dot));
  if (!generation || *generation < 1 || *generation > max_generations) return std::nullopt;
  if (text.substr(dot + 1) == "new") return LineMark{*generation, {}};
  const auto step = plain_number(text.substr(dot + 1));
  return step ? std::optional(LineMark{*generation, step}) : std::nullopt;
}

}  // namespace

std::optional<LineMark> mark_of_file(std::string_view name) {
  constexpr std::string_view begin = "line";
  return name.starts_with(begin) ? parse_mark(name.substr(begin.size())) : std::nullopt;
}

// ---- Attempts ----

std::string attempt_name(std::string_view prefix, std::int64_t step, std::uint32_t attempt, const LineMark& mark) {
  if (mark.generation > max_generations)
    base::fail(base::Status::out_of_range, "the storage has reached the limit of ", max_generations, " rollbacks");
  std::string digits = base::cat(step);
  digits.insert(0, step_digits - std::min(step_digits, digits.size()), '0');
  std::string hex;
  for (int shift = 28; shift >= 0; shift -= 4) hex += "0123456789abcdef"[(attempt >> shift) & 15];
  const std::string rest = base::cat("step-", digits, '-', hex, mark_text(mark));
  prefix = prefix.substr(0, longest_attempt_name - std::min(longest_attempt_name, rest.size() + 1));
  return base::cat(prefix, prefix.empty() ? "" : "-", rest);
}

std::optional<std::int64_t> step_of_attempt(std::string_view name) {
  const auto parsed = parse_attempt(name);
  return parsed ? std::optional(parsed->step) : std::nullopt;
}

std::optional<AttemptName> parse_attempt(std::string_view name) {
  LineMark mark;
  if (const std::size_t dot = name.find('.'); dot != std::string_view::npos) {
    const auto parsed = parse_mark(name.substr(dot));
    if (!parsed) return std::nullopt;
    mark = *parsed;
    name = name.substr(0, dot);
  }
  constexpr std::string_view prefix = "step-";
  if (!name.starts_with(prefix)) {
    const std::size_t dash = name.find('-');
    if (dash == std::string_view::npos || !is_prefix(name.substr(0, dash))) return std::nullopt;
    name.remove_prefix(dash + 1);
  }
  if (!name.starts_with(prefix) || name.size() < prefix.size() + step_digits + 1 + attempt_digits) return std::nullopt;
  const std::string_view digits = name.substr(prefix.size(), name.size() - prefix.size() - attempt_digits - 1);
  const std::string_view hex = name.substr(name.size() - attempt_digits);
  std::int64_t step = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), step);
  if (error != std::errc() || end != digits.data() + digits.size() || step < 0) return std::nullopt;
  if (name[name.size() - attempt_digits - 1] != '-' || hex.find_first_not_of("0123456789abcdef") != std::string_view::npos) {
    return std::nullopt;
  }
  return AttemptName{step, mark};
}

}  // namespace ckpt::state
