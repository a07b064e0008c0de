#include "strategy/pattern.h"

#include "base/error.h"

namespace ckpt::strategy {
namespace {

constexpr bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// Returns the position after the character at i.
std::size_t next_character(std::string_view text, std::size_t i) noexcept {
  do {
    ++i;
  } while (i < text.size() && is_continuation(text[i]));
  return i;
}

}  // namespace

Glob::Glob(std::string_view argument, std::string_view pattern) {
  base::require_name(argument, pattern);
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    Kind kind = Kind::byte;
    if (pattern[i] == '*') {
      kind = Kind::any_text;
    } else if (pattern[i] == '?') {
      kind = Kind::one_character;
    } else if (pattern[i] == '\\') {
      base::require(++i < pattern.size(), argument, " ends with a single \\: ", base::quote(pattern));
    }
    literal_ = literal_ && kind == Kind::byte;
    text_ += pattern[i];
    kinds_.push_back(kind);
  }
}

// Greedy matching with backtracking to the last * only: earlier ones already matched the shortest possible text.
bool Glob::matches(std::string_view name) const noexcept {
  constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
  std::size_t at = 0;
  std::size_t step = 0;
  std::size_t star_step = nowhere;
  std::size_t star_end = 0;  // end of the text matched by the last *
  while (at < name.size()) {
    if (step < kinds_.size() && kinds_[step] == Kind::any_text) {
      star_step = step++;
      star_end = at;
    } else if (step < kinds_.size() && kinds_[step] == Kind::one_character) {
      at = next_character(name, at);
      ++step;
    } else if (step < kinds_.size() && text_[step] == name[at]) {
      ++at;
      ++step;
    } else if (star_step != nowhere) {
      at = star_end = next_character(name, star_end);
      step = star_step + 1;
    } else {
      return false;
    }
  }
  while (step < kinds_.size() && kinds_[step] == Kind::any_text) ++step;
  return step == kinds_.size();
}

PatternSet::PatternSet(std::string_view argument, std::span<const std::string> patterns)
    : patterns_(patterns.begin(), patterns.end()) {
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    Glob glob(base::cat(argument, "[", i, "]"), patterns[i]);
    if (!glob.is_literal()) {
      globs_.push_back(std::move(glob));
    } else if (const std::int32_t known = names_.size(); names_.add(glob.literal()) == known) {
      literals_.push_back(glob.literal());
    }
  }
}

}  // namespace ckpt::strategy
