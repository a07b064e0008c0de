// Sets of layer names, given as names or globs. Immutable after construction, so thread-safe.
//
// In a pattern, * matches any text (dots included), ? one character, and \ escapes the next character. A pattern without * and ?
// is a literal name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strategy/name_table.h"

namespace ckpt::strategy {

class Glob {
 public:
  // Fails with Error(invalid_argument) for text that is blank, not valid UTF-8, or ends with a single \. argument names it in the
  // message.
  Glob(std::string_view argument, std::string_view pattern);

  bool matches(std::string_view name) const noexcept;
  bool is_literal() const noexcept { return literal_; }
  // Returns the name of a literal pattern.
  const std::string& literal() const noexcept { return text_; }

 private:
  enum class Kind : char { byte, one_character, any_text };
  std::string text_;  // one byte for each element of the pattern; unused where the kind is not byte
  std::vector<Kind> kinds_;
  bool literal_ = true;
};

class PatternSet {
 public:
  PatternSet() = default;
  PatternSet(std::string_view argument, std::span<const std::string> patterns);

  bool contains(std::string_view name) const noexcept {
    if (names_.find(name) != NameTable::none) return true;
    for (const Glob& glob : globs_) {
      if (glob.matches(name)) return true;
    }
    return false;
  }
  // As given by the caller.
  const std::vector<std::string>& patterns() const noexcept { return patterns_; }
  // Literal names, without duplicates, in the order given.
  const std::vector<std::string>& literals() const noexcept { return literals_; }
  bool has_literal(std::string_view name) const noexcept { return names_.find(name) != NameTable::none; }

 private:
  std::vector<std::string> patterns_;
  NameTable names_;
  std::vector<std::string> literals_;
  std::vector<Glob> globs_;
};

}  // namespace ckpt::strategy
