#include "generated_text.h"

#include <array>
#include <string_view>

namespace ckpt::cli {
namespace {

// The 64-bit linear congruential generator of Numerical Recipes; uses the high bits.
class Draws {
 public:
  std::size_t below(std::size_t count) {
    value_ = value_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>(value_ >> 33) % count;
  }
  template <std::size_t count>
  std::string_view of(const std::array<std::string_view, count>& words) {
    return words[below(count)];
  }

 private:
  std::uint64_t value_ = 2026;
};

constexpr std::array<std::string_view, 12> nouns = {"sailor", "river",   "teacher", "machine", "garden", "letter",
                                                    "winter", "village", "doctor",  "bird",    "window", "road"};
constexpr std::array<std::string_view, 12> adjectives = {"old",  "quiet", "small", "bright", "heavy",   "green",
                                                         "cold", "young", "long",  "early",  "strange", "gentle"};
constexpr std::array<std::string_view, 12> verbs = {"sees",   "follows", "remembers", "carries", "finds",  "leaves",
                                                    "paints", "hears",   "counts",    "repairs", "visits", "forgets"};
constexpr std::array<std::string_view, 8> adverbials = {"in the morning", "before the storm", "every year", "without a word",
                                                        "at the harbour", "after the rain",   "by night",   "for a while"};

std::string noun_phrase(Draws& draws) {
  std::string text = draws.below(2) == 0 ? "the " : "a ";
  if (draws.below(3) == 0) text.append(draws.of(adjectives)) += ' ';
  return text.append(draws.of(nouns));
}

std::string sentence(Draws& draws) {
  std::string text = noun_phrase(draws) + ' ';
  text.append(draws.of(verbs)) += ' ' + noun_phrase(draws);
  if (draws.below(2) == 0) text.append(" ").append(draws.of(adverbials));
  if (draws.below(4) == 0) text += ", and " + noun_phrase(draws) + " waits";
  text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text + (draws.below(8) == 0 ? ".\n" : ". ");
}

}  // namespace

std::string generated_text(std::int64_t bytes) {
  Draws draws;
  std::string text;
  while (static_cast<std::int64_t>(text.size()) < bytes) text += sentence(draws);
  text.resize(static_cast<std::size_t>(bytes));
  return text;
}

}  // namespace ckpt::cli
