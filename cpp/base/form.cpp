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

std::string_view trim(std::string_view text) {
  constexpr const char* blanks = " \t\n\r";
  const std::size_t first = text.find_first_not_of(blanks);
  return first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// The pieces behind the colon.
std::vector<std::string_view> pieces_of(std::string_view text, char between) {
  std::vector<std::string_view> pieces;
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return pieces;
  text.remove_prefix(colon + 1);
  for (;;) {
    const std::size_t end = text.find(between);
    pieces.push_back(trim(text.substr(0, end)));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

FormValue value_of(const FormParameter& parameter, std::string_view text, const FormLimit& limit) {
  FormValue value;
  switch (parameter.unit) {
    case Unit::word: value.word = text; return value;
    case Unit::number:
      value.number = number_of<double>(parameter.name, text, "a number");
      require(std::isfinite(value.number), parameter.name, " is ", text, "; a finite number");
      return value;
    case Unit::bytes: value.whole = bytes_of(parameter.name, text); break;
    case Unit::count: value.whole = number_of<std::int64_t>(parameter.name, text, "a whole number"); break;
  }
  const bool limited = parameter.most == up_to_limit;
  const std::int64_t most = limited ? limit.value : parameter.most;
  require(value.whole >= parameter.least && value.whole <= most, parameter.name, " is ", value.whole, "; ", parameter.least, " .. ",
          most, limited ? " " : "", limited ? limit.name : "");
  return value;
}

// The parameter that a piece "name=value" names; none: the piece is a value in its place.
std::optional<std::size_t> named_by(std::span<const FormParameter> parameters, std::string_view piece) {
  const std::size_t sign = piece.find('=');
  if (sign == std::string_view::npos) return std::nullopt;
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const FormParameter& each) { return each.name == trim(piece.substr(0, sign)); });
  if (found == parameters.end()) return std::nullopt;
  return static_cast<std::size_t>(found - parameters.begin());
}

// The text of each parameter's value, where there is one.
std::vector<std::optional<std::string_view>> given_values(const Form& form, std::string_view what,
                                                          const std::vector<std::string_view>& pieces) {
  const auto parameters = parameters_of(form);
  std::vector<std::optional<std::string_view>> given(parameters.size());
  const auto is_named = [&](std::string_view piece) { return named_by(parameters, piece).has_value(); };
  const auto named = std::find_if(pieces.begin(), pieces.end(), is_named);
  bool enough = named - pieces.begin() <= std::ssize(parameters);
  if (enough) std::copy(pieces.begin(), named, given.begin());
  for (auto piece = named; enough && piece != pieces.end(); ++piece) {
    const auto parameter = named_by(parameters, *piece);
    require(parameter.has_value(), *piece, " stands behind a value that is given by its name");
    require(!given[*parameter].has_value(), parameters[*parameter].name, " is given twice");
    given[*parameter] = trim(piece->substr(piece->find('=') + 1));
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) enough = enough && (given[i] || parameters[i].otherwise != nullptr);
  require(enough, "the ", what, " is ", form_text(form), "; ", pieces.size(),
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
      out += cat("; ", upper(each.name), ": ", each.least, " .. ", each.most == up_to_limit ? limit_name : cat(each.most));
    }
  }
  return out;
}

std::string_view form_name(std::string_view text) { return trim(text.substr(0, text.find(':'))); }

std::vector<FormValue> form_values(const Form& form, std::string_view what, std::string_view text, const FormLimit& limit) {
  const auto parameters = parameters_of(form);
  const auto given = given_values(form, what, pieces_of(text, form.between));
  std::vector<FormValue> values;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    values.push_back(value_of(parameters[i], given[i] ? *given[i] : parameters[i].otherwise, limit));
  return values;
}

}  // namespace ckpt::base
