#include "state/ranks/rank_failure.h"

#include "base/json_tree.h"
#include "base/json_writer.h"
#include "state/caught.h"
#include "state/checkpoint_files.h"
#include "state/placement_text.h"
#include "state/protocol.h"
#include "state/rank_names.h"
#include "state/record_text.h"

namespace ckpt::state {
namespace {

using base::cat;

constexpr std::int64_t largest_failure_bytes = 65536;

}  // namespace

void write_failure(Protocol& protocol, const std::string& directory, std::int64_t rank, const RankFailure& failure) noexcept {
  log_error_of(
      [&] {
        const std::string text = with_checksum(cat("{\"format\":\"ckpt-failed\",\n\"rank\":", failure.rank,
                                                   ",\n\"status\":", static_cast<std::int32_t>(failure.status),
                                                   ",\n\"message\":", base::json_string(failure.message, base::NotUtf8::replaced)));
        protocol.place_text(path_in(directory, failure_name(rank)), text);
      },
      "cannot notify the other ranks of '", failure.message, "': ");
}

std::optional<RankFailure> read_failure(storage::Storage& storage, const std::string& directory, std::int64_t rank) {
  const std::string path = path_in(directory, failure_name(rank));
  try {
    const std::string text = read_text(*storage.open(path), largest_failure_bytes);
    const Node top{checked_view(text, "failure"), nullptr, "failure"};
    const base::Json status = top["status"].value.tree();
    if (!status.is_integer() || !base::is_error_status(status.integer())) top["status"].refuse("is not a status");
    return RankFailure{top["rank"].count(), static_cast<base::Status>(status.integer()), top["message"].text()};
  } catch (const base::Error& error) {
    if (error.status() == base::Status::not_found) return std::nullopt;
    return RankFailure{rank, base::Status::io, cat("the rank failed, and ", path, " cannot be read: ", error.message())};
  }
}

}  // namespace ckpt::state
