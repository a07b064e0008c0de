// Uploads that nobody has completed or aborted: what a process that was killed has left in a bucket.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "client.h"

namespace ckpt::s3 {

struct Unfinished {
  std::string path;  // below the storage's prefix
  std::string id;
  std::int64_t begun_ns = 0;  // since 1970, UTC
};

// One page of a list of them.
struct UploadsPage {
  std::vector<Unfinished> uploads;
  std::string next_key;  // continues the list, with next_id; "": it is at its end
  std::string next_id;
};

UploadsPage read_uploads(const Config& config, std::string_view xml);

// "2026-11-23T04:05:06.789Z" in nanoseconds since 1970; nothing for anything else.
std::optional<std::int64_t> utc_ns(std::string_view text);

// Aborts those that were begun at least so long ago, by the store's clock, and calls done for each, with its age in nanoseconds.
// Returns how many they are. most_at_once: in a page of the list.
std::int64_t abort_uploads(Client& client, std::int64_t older_than_ns, bool dry_run, int most_at_once,
                           const std::function<void(const Unfinished&, std::int64_t)>& done);

}  // namespace ckpt::s3
