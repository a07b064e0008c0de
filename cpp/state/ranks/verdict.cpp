#include "state/ranks/verdict.h"

#include <charconv>
#include <span>

#include "base/json_tree.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "state/checkpoint_files.h"
#include "state/ranks/meeting.h"
#include "state/ranks/placement_text.h"
#include "state/record_text.h"

namespace ckpt::state {
namespace {

using base::cat;

constexpr std::string_view ending = ".failed.json";
constexpr std::int64_t largest_verdict_bytes = 65536;

std::string five_digits(std::int64_t number) {
  const std::string text = rank_of_text(number, 0);
  return text.substr(0, text.find('-'));
}

// The number in "rank00003", which text begins with.
std::optional<std::int64_t> leading_rank(std::string_view text) {
  constexpr std::string_view begin = "rank";
  if (!text.starts_with(begin)) return std::nullopt;
  std::int64_t rank = 0;
  const auto [end, error] = std::from_chars(text.data() + begin.size(), text.data() + text.size(), rank);
  if (error != std::errc() || rank < 0) return std::nullopt;
  return rank;
}

}  // namespace

std::string verdict_name(std::int64_t rank) { return five_digits(rank) + std::string(ending); }

std::optional<std::int64_t> rank_of_verdict(std::string_view name) {
  const auto rank = leading_rank(name);
  return rank && name == verdict_name(*rank) ? rank : std::nullopt;
}

std::optional<std::int64_t> rank_of_part(std::string_view name, std::int64_t world_size) {
  const auto rank = leading_rank(name);
  return rank && name == part_name(*rank, world_size) ? rank : std::nullopt;
}

void leave_verdict(storage::Storage& storage, const std::string& directory, std::int64_t rank, const Verdict& verdict) noexcept {
  log_error_of(
      [&] {
        const std::string text = with_checksum(cat("{\"format\":\"ckpt-failed\",\n\"rank\":", verdict.rank,
                                                   ",\n\"status\":", static_cast<std::int32_t>(verdict.status),
                                                   ",\n\"message\":", base::json_string(verdict.message, base::NotUtf8::replaced)));
        // Written under a temporary name first, so that a reader of the final name reads all of it.
        const std::string path = path_in(directory, verdict_name(rank));
        const std::string temporary = storage.is_objects() ? path : path + ".tmp";
        {
          const auto file = storage.create_stream(temporary, {std::ssize(text), nullptr});
          file->write(0, std::as_bytes(std::span(text)));
          file->sync();
        }
        if (!storage.is_objects()) storage.rename(temporary, path);
      },
      "the other ranks are not notified of '", verdict.message, "': ");
}

std::optional<Verdict> find_verdict(storage::Storage& storage, const std::string& directory, std::int64_t rank) {
  const std::string path = path_in(directory, verdict_name(rank));
  try {
    const std::string text = read_text(*storage.open(path), largest_verdict_bytes);
    const Node top{checked_view(text, "verdict"), nullptr, "verdict"};
    const base::Json status = top["status"].value.tree();
    if (!status.is_integer() || !base::is_error_status(status.integer())) top["status"].refuse("is no status");
    return Verdict{top["rank"].count(), static_cast<base::Status>(status.integer()), top["message"].text()};
  } catch (const base::Error& error) {
    if (error.status() == base::Status::not_found) return std::nullopt;
    return Verdict{rank, base::Status::io, cat("it failed, and ", path, " cannot be read: ", error.message())};
  }
}

}  // namespace ckpt::state
