// The grammar of the strings that construct planners, layers, rules and strategies: "periodic:4", "any(size:1MiB,interval:8)".
//
//   form      = name | name ":" arguments | name "(" arguments ")"
//   arguments = argument { "," argument }
//
// An argument that begins with " ends with the next ", also after a leading !. Commas inside quotes and parentheses do not
// separate arguments, and \ escapes the next character. Blanks around arguments are ignored, except after a \. Some forms use
// another separator than a comma. Each module has a table with one entry for each of its forms.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace ckpt::base {

// An upper bound that is known only when a string is parsed.
struct FormLimit {
  const char* name = "";  // "layers"
  std::int64_t value = 0;
};
constexpr std::int64_t up_to_limit = -1;

// A parameter after the form's name.
struct FormParameter {
  enum class Unit {
    count,   // a whole number
    bytes,   // any finite number; the constructor checks its range
    number,  // a string; the constructor checks its meaning
    word     // text; its meaning is the maker's to check
  };
  const char* name = nullptr;  // "segments"
  Unit unit = Unit::count;
  std::int64_t min = 0;             // of a count or bytes
  std::int64_t max = 0;             // up_to_limit: the value of FormLimit
  const char* otherwise = nullptr;  // the default value; nullptr: required. Only trailing parameters may have one.
};

struct Form {
  const char* name;             // "periodic"
  const char* makes;            // description, one line
  FormParameter parameters[8];  // up to the first one without a name
  char between = ',';           // separator of the values
};

// A string split after its name. The members are views of it.
struct FormText {
  std::string_view name;    // "periodic" of "periodic:4"
  std::string_view inside;  // "4": the arguments, without parentheses around them
  bool has_arguments = false;
};
// Fails with Error(invalid_argument) for unbalanced parentheses and quotes.
FormText split_form(std::string_view text);
std::vector<std::string_view> split_arguments(std::string_view inside, char between = ',');
// Returns the first position of mark outside parentheses and quotes and not after a backslash; npos if there is none.
std::size_t find_outside(std::string_view text, char mark);
// Removes blanks around the argument, except one after a backslash.
std::string_view trim_argument(std::string_view text);
// Removes the quotes around the argument; its contents stay unchanged. Fails with Error(invalid_argument) for text after the
// closing quote.
std::string_view without_quotes(std::string_view argument);
// Returns a pattern of strategy/pattern.h as one argument, quoted where the grammar requires it.
std::string pattern_argument(std::string_view pattern);

// A value in the unit of its parameter.
struct FormValue {
  std::int64_t whole = 0;
  double number = 0;
  std::string_view word;
};

// "periodic:SEGMENTS", "linear:INPUTS,OUTPUTS[,DTYPE]"
std::string form_text(const Form& form);
// Returns a one-line description: the form, the constructed object, and the range of each value.
std::string form_line(const Form& form, const char* limit_name = "");
// Parses the values in a string of this form ("periodic:4") and checks their ranges. Positional values come first, named ones
// after them: "linear:4,8,dtype=F64". kind: of the object, for messages ("planner").
std::vector<FormValue> form_values(const Form& form, std::string_view kind, std::string_view text, const FormLimit& limit = {});
// The same for arguments that are already split.
std::vector<FormValue> form_values(const Form& form, std::string_view kind, const std::vector<std::string_view>& arguments,
                                   const FormLimit& limit = {});
// Returns the name in a string, "periodic" in "periodic:4".
std::string_view form_name(std::string_view text);

// Returns the entry that a string names. Error(not_found) lists the known ones.
template <class Entry>
const Entry& form_named(std::span<const Entry> table, std::string_view kind, std::string_view text) {
  std::string known;
  for (const Entry& entry : table) {
    if (entry.form.name == form_name(text)) return entry;
    known += (known.empty() ? "" : ", ") + form_text(entry.form);
  }
  fail(Status::not_found, "unknown ", kind, " ", quote(form_name(text)), "; known: ", known);
}

// Returns one line per entry.
template <class Entry>
std::string form_lines(std::span<const Entry> table, const char* limit_name = "") {
  std::string out;
  for (const Entry& entry : table) out += (out.empty() ? "" : "\n") + form_line(entry.form, limit_name);
  return out;
}

// Runs body and prefixes its errors with the string that it parses: "planner 'periodic:0': ...".
template <class Body>
auto reading_form(std::string_view kind, std::string_view text, Body&& body) {
  require(is_utf8(text), kind, " is not valid UTF-8: ", quote(text));
  try {
    return body();
  } catch (const Error& error) {
    fail(error.status(), kind, " ", quote(text), ": ", error.message());
  }
}

}  // namespace ckpt::base
