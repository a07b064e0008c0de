#include "requested_budget.h"

#include <charconv>
#include <cmath>
#include <string_view>

namespace ckpt::cli {

std::string RequestedBudget::share(std::int64_t bytes) const {
  const double tenths = std::ceil(static_cast<double>(bytes) * 1000.0 / static_cast<double>(everything_bytes_));
  return fixed_text(tenths / 10, 1) + "%";
}

std::string RequestedBudget::amount(std::int64_t bytes) const {
  return cat(bytes, " bytes (", bytes_text(bytes), percent_ > 0 ? ", " + share(bytes) : "", ")");
}

std::string RequestedBudget::text() const {
  return cat(bytes_, " bytes (", bytes_text(bytes_), percent_ > 0 ? cat(", ", percent_, "%") : "", ")");
}

namespace {

// Finds the amount that would have been enough, in "...; the smallest that works for this chain is 71680" and "... reserves 71680".
// Returns the position of its first digit, or npos.
std::size_t figure_in(const std::string& message) {
  constexpr std::string_view is = " is ";
  constexpr std::string_view reserves = " reserves ";
  if (const std::size_t smallest = message.find("the smallest that works for "); smallest != std::string::npos) {
    const std::size_t at = message.find(is, smallest);
    return at == std::string::npos ? at : at + is.size();
  }
  const std::size_t at = message.rfind(reserves);
  return at == std::string::npos ? at : at + reserves.size();
}

}  // namespace

std::string RequestedBudget::with_percentages(const std::string& message) const {
  std::string out = message;
  std::int64_t figure = 0;
  if (const std::size_t begin = figure_in(message); begin != std::string::npos) {
    const auto [end, error] = std::from_chars(message.data() + begin, message.data() + message.size(), figure);
    if (error == std::errc()) out.insert(static_cast<std::size_t>(end - message.data()), cat(" (", share(figure), ")"));
  }
  return cat(option_, " ", percent_, "% is ", bytes_, " bytes of the ", everything_bytes_,
             " that storing everything reserves: ", out);
}

}  // namespace ckpt::cli
