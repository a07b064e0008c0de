// The grammar of the strings that make planners, layers, rules and strategies: "periodic:4", "any(size:1MiB,interval:8)".
//
//   form      = name | name ":" arguments | name "(" arguments ")"
//   arguments = argument { "," argument }
//
// An argument that begins with " ends with the next ", also after a leading !. Inside quotes and parentheses a comma does not end
// an argument, and a \ takes the next character as it is. Blanks around arguments are ignored, except after a \. Some forms
// separate their arguments by another character than a comma. Each part has a table with one entry for each of its forms.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace ckpt::base {

// A range's end that is known when a text is read only.
struct FormLimit {
  const char* name = "";  // "layers"
  std::int64_t value = 0;
};
constexpr std::int64_t up_to_limit = -1;

// A value behind the name.
struct FormParameter {
  enum class Unit {
    count,   // a whole number
    bytes,   // a whole number, also with KiB, MiB, ...
    number,  // any finite number; its range is the maker's to check
    word     // text; its meaning is the maker's to check
  };
  const char* name = nullptr;  // "segments"
  Unit unit = Unit::count;
  std::int64_t least = 0;           // of a count or bytes
  std::int64_t most = 0;            // up_to_limit: what FormLimit says
  const char* otherwise = nullptr;  // the value when none is given; nullptr: must be given. Only the last ones may have it.
};

struct Form {
  const char* name;             // "periodic"
  const char* makes;            // one line for people
  FormParameter parameters[8];  // those that have a name
  char between = ',';           // its values
};

// A string split at its name. Views of the string.
struct FormText {
  std::string_view name;    // "periodic" of "periodic:4"
  std::string_view inside;  // "4": the arguments, without parentheses around them
  bool has_arguments = false;
};
// Error(invalid_argument) for parentheses and quotes that are not closed.
FormText split_form(std::string_view text);
std::vector<std::string_view> split_arguments(std::string_view inside, char between = ',');
// The first position of mark outside parentheses and quotes and not after a backslash; npos if there is none.
std::size_t find_outside(std::string_view text, char mark);
// Without blanks around it, except one after a backslash.
std::string_view trim_argument(std::string_view text);
// Without quotes around it; what is inside stays as it is. Error(invalid_argument) for text after the closing quote.
std::string_view without_quotes(std::string_view argument);
// A pattern of strategy/pattern.h as one argument, quoted where the grammar requires it.
std::string pattern_argument(std::string_view pattern);

// A value with the unit of its parameter.
struct FormValue {
  std::int64_t whole = 0;
  double number = 0;
  std::string_view word;
};

// "periodic:SEGMENTS", "linear:INPUTS,OUTPUTS[,DTYPE]"
std::string form_text(const Form& form);
// One line for people: the form, what it makes, and the range of each value.
std::string form_line(const Form& form, const char* limit_name = "");
// The values in a string of this form, "periodic:4", each within its range; after those in their places others by name,
// "linear:4,8,dtype=F64". what: "planner".
std::vector<FormValue> form_values(const Form& form, std::string_view what, std::string_view text, const FormLimit& limit = {});
// The values of arguments that were split before.
std::vector<FormValue> form_values(const Form& form, std::string_view what, const std::vector<std::string_view>& arguments,
                                   const FormLimit& limit = {});
// The name in a text, "periodic" in "periodic:4".
std::string_view form_name(std::string_view text);

// The entry that a text names. Error(not_found) lists the known ones.
template <class Entry>
const Entry& form_named(std::span<const Entry> table, std::string_view what, std::string_view text) {
  std::string known;
  for (const Entry& entry : table) {
    if (entry.form.name == form_name(text)) return entry;
    known += (known.empty() ? "" : ", ") + form_text(entry.form);
  }
  fail(Status::not_found, "unknown ", what, " ", quote(form_name(text)), "; known: ", known);
}

// One entry a line.
template <class Entry>
std::string form_lines(std::span<const Entry> table, const char* limit_name = "") {
  std::string out;
  for (const Entry& entry : table) out += (out.empty() ? "" : "\n") + form_line(entry.form, limit_name);
  return out;
}

// Runs body; its errors begin with the text that it reads: "planner 'periodic:0': ...".
template <class Body>
auto reading_form(std::string_view what, std::string_view text, Body&& body) {
  require(is_utf8(text), what, " is not valid UTF-8: ", quote(text));
  try {
    return body();
  } catch (const Error& error) {
    fail(error.status(), what, " ", quote(text), ": ", error.message());
  }
}

}  // namespace ckpt::base
