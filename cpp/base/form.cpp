#include "base/form.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "base/values.h"

namespace ckpt::base {
namespace {

using Unit = FormParameter::Unit;

std::span<const FormParameter> parameters_of(const Form& form) {
  const auto* const end = std::find_if(std::begin(form.parameters), std::end(form.parameters),
                                       [](const FormParameter& each) { return each.name == nullptr; });
  return {std::begin(form.parameters), end};
}

std::string upper(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

constexpr std::string_view blanks = " \t\n\r";
constexpr auto npos = std::string_view::npos;

bool is_blank(char c) { return blanks.find(c) != npos; }

// Returns the position of the closing quote for the quoted argument that opens at this quote.
std::size_t closing_quote(std::string_view text, std::size_t opening) {
  for (std::size_t i = opening + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i;
    }
  }
  fail(Status::invalid_argument, "a \" is not closed in ", quote(text));
}

// Returns true for characters that an argument can directly follow.
bool begins_argument(char c) { return std::string_view(",:(!=").find(c) != npos; }

FormValue value_of(const FormParameter& parameter, std::string_view text, const FormLimit& limit) {
  FormValue value;
  switch (parameter.unit) {
    case Unit::word: value.word = without_quotes(text); return value;
    case Unit::number:
      value.number = number_of<double>(parameter.name, text, "expected a number");
      require(std::isfinite(value.number), parameter.name, " is ", text, "; expected a finite number");
      return value;
    case Unit::bytes: value.whole = bytes_of(parameter.name, text); break;
    case Unit::count: value.whole = number_of<std::int64_t>(parameter.name, text, "expected a whole number"); break;
  }
  const bool limited = parameter.max == up_to_limit;
  const std::int64_t max = limited ? limit.value : parameter.max;
  require(value.whole >= parameter.min && value.whole <= max, parameter.name, " is ", value.whole, "; expected ", parameter.min,
          " .. ", max, limited ? " " : "", limited ? limit.name : "");
  return value;
}

// Returns the index of the parameter named in a piece "name=value"; none if the piece is a positional value.
std::optional<std::size_t> named_by(std::span<const FormParameter> parameters, std::string_view piece) {
  const std::size_t sign = piece.find('=');
  if (sign == std::string_view::npos) return std::nullopt;
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const FormParameter& each) { return each.name == trim_argument(piece.substr(0, sign)); });
  if (found == parameters.end()) return std::nullopt;
  return static_cast<std::size_t>(found - parameters.begin());
}

// Returns the text of each parameter's value, where one is given.
std::vector<std::optional<std::string_view>> given_values(const Form& form, std::string_view kind,
                                                          const std::vector<std::string_view>& pieces) {
  const auto parameters = parameters_of(form);
  std::vector<std::optional<std::string_view>> given(parameters.size());
  const auto is_named = [&](std::string_view piece) { return named_by(parameters, piece).has_value(); };
  const auto named = std::find_if(pieces.begin(), pieces.end(), is_named);
  bool enough = named - pieces.begin() <= std::ssize(parameters);
  if (enough) std::copy(pieces.begin(), named, given.begin());
  for (auto piece = named; enough && piece != pieces.end(); ++piece) {
    const auto parameter = named_by(parameters, *piece);
    require(parameter.has_value(), "positional value ", *piece, " follows a named value");
    require(!given[*parameter].has_value(), parameters[*parameter].name, " is given twice");
    given[*parameter] = trim_argument(piece->substr(piece->find('=') + 1));
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) enough = enough && (given[i] || parameters[i].otherwise != nullptr);
  require(enough, "the ", kind, " is ", form_text(form), "; ", pieces.size(),
          pieces.size() == 1 ? " value is given" : " values are given");
  return given;
}

}  // namespace

std::string form_text(const Form& form) {
  std::string out = form.name;
  char before = ':';
  for (const FormParameter& each : parameters_of(form)) {
    const std::string value = cat(before, upper(each.name));
    out += each.otherwise == nullptr ? value : "[" + value + "]";
    before = form.between;
  }
  return out;
}

std::string form_line(const Form& form, const char* limit_name) {
  std::string out = cat(form_text(form), " - ", form.makes);
  for (const FormParameter& each : parameters_of(form)) {
    if (each.unit == Unit::count || each.unit == Unit::bytes) {
      out += cat("; ", upper(each.name), ": ", each.min, " .. ", each.max == up_to_limit ? limit_name : cat(each.max));
    }
  }
  return out;
}

std::string_view form_name(std::string_view text) { return trim_argument(text.substr(0, text.find_first_of(":("))); }

std::size_t find_outside(std::string_view text, char mark) {
  int open = 0;
  bool at_start = true;  // of an argument: a quote here begins a quoted one
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (open == 0 && c == mark) return i;
    if (c == '"' && at_start) {
      i = closing_quote(text, i);
    } else if (c == '\\') {
      ++i;
    } else if (c == '(') {
      ++open;
    } else if (c == ')') {
      require(open-- > 0, "unmatched ) in ", quote(text));
    }
    at_start = begins_argument(c) || (at_start && is_blank(c));
  }
  require(open == 0, "a ( is not closed in ", quote(text));
  return npos;
}

std::string_view trim_argument(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == npos) return {};
  const std::size_t last = text.find_last_not_of(blanks);
  const bool is_protected = last + 1 < text.size() && text[last] == '\\';
  return text.substr(first, last - first + 1 + (is_protected ? 1 : 0));
}

std::vector<std::string_view> split_arguments(std::string_view inside, char between) {
  std::vector<std::string_view> arguments;
  for (;;) {
    const std::size_t end = find_outside(inside, between);
    arguments.push_back(trim_argument(inside.substr(0, end)));
    if (end == npos) return arguments;
    inside.remove_prefix(end + 1);
  }
}

FormText split_form(std::string_view text) {
  text = trim_argument(text);
  const std::size_t mark = text.find_first_of(":(");
  FormText split{trim_argument(text.substr(0, mark)), {}, mark != npos};
  if (!split.has_arguments) return split;
  split.inside = text.substr(mark + 1);
  if (text[mark] == '(') {
    const std::size_t end = find_outside(split.inside, ')');
    require(end != npos, "a ( is not closed in ", quote(text));
    require(end + 1 == split.inside.size(), "text after the ) in ", quote(text));
    split.inside.remove_suffix(1);
    split.has_arguments = !trim_argument(split.inside).empty();
  }
  split.inside = trim_argument(split.inside);
  return split;
}

std::string_view without_quotes(std::string_view argument) {
  if (!argument.starts_with('"')) return argument;
  const std::size_t end = closing_quote(argument, 0);
  require(end + 1 == argument.size(), "text after the closing \" in ", quote(argument));
  return argument.substr(1, end - 1);
}

std::string pattern_argument(std::string_view pattern) {
  const bool is_plain = !pattern.empty() && pattern.find_first_of(",()=\"") == npos && !is_blank(pattern.front()) &&
                        !is_blank(pattern.back()) && pattern.front() != '!' && pattern.front() != '$';
  if (is_plain) return std::string(pattern);
  std::string out = "\"";
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '"') out += '\\';
    out += pattern[i];
    if (pattern[i] == '\\' && i + 1 < pattern.size()) out += pattern[++i];
  }
  return out + '"';
}

std::vector<FormValue> form_values(const Form& form, std::string_view kind, std::string_view text, const FormLimit& limit) {
  const FormText split = split_form(text);
  if (!split.has_arguments) return form_values(form, kind, std::vector<std::string_view>(), limit);
  return form_values(form, kind, split_arguments(split.inside, form.between), limit);
}

std::vector<FormValue> form_values(const Form& form, std::string_view kind, const std::vector<std::string_view>& arguments,
                                   const FormLimit& limit) {
  const auto parameters = parameters_of(form);
  const auto given = given_values(form, kind, arguments);
  std::vector<FormValue> values;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    values.push_back(value_of(parameters[i], given[i] ? *given[i] : parameters[i].otherwise, limit));
  return values;
}

}  // namespace ckpt::base
