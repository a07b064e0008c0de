#include "state/rank_names.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "base/error.h"

namespace ckpt::state {
namespace {

using base::cat;

std::string five_digits(std::int64_t number) {
  constexpr std::size_t fewest = 5;
  std::string text = cat(number);
  text.insert(0, fewest - std::min(fewest, text.size()), '0');
  return text;
}

std::string rank_text(std::int64_t rank, std::int64_t world_size) {
  return cat("rank", five_digits(rank), "-of-", five_digits(world_size));
}

// Returns the number of "rank00003" at the start of name.
std::optional<std::int64_t> leading_rank(std::string_view name) {
  constexpr std::string_view begin = "rank";
  if (!name.starts_with(begin)) return std::nullopt;
  std::int64_t rank = 0;
  const auto [end, error] = std::from_chars(name.data() + begin.size(), name.data() + name.size(), rank);
  if (error != std::errc() || rank < 0) return std::nullopt;
  return rank;
}

}  // namespace

std::string part_name(std::int64_t rank, std::int64_t world_size) { return rank_text(rank, world_size) + ".json"; }

std::optional<std::int64_t> rank_of_part(std::string_view name, std::int64_t world_size) {
  const auto rank = leading_rank(name);
  return rank && name == part_name(*rank, world_size) ? rank : std::nullopt;
}

std::string rank_file_name(const std::string& group_file, std::int64_t rank, std::int64_t world_size) {
  constexpr std::string_view ending = ".safetensors";
  return cat(std::string_view(group_file).substr(0, group_file.size() - ending.size()), '-', rank_text(rank, world_size), ending);
}

std::string failure_name(std::int64_t rank) { return cat("rank", five_digits(rank), ".failed.json"); }

std::optional<std::int64_t> rank_of_failure(std::string_view name) {
  const auto rank = leading_rank(name);
  return rank && name == failure_name(*rank) ? rank : std::nullopt;
}

}  // namespace ckpt::state
