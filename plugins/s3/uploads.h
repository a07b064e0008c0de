// Unfinished multipart uploads, left in a bucket by killed processes.
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

// One page of the list.
struct UploadsPage {
  std::vector<Unfinished> uploads;
  std::string next_key;  // continues the list, together with next_id; "": end of the list
  std::string next_id;
};

UploadsPage read_uploads(const Config& config, std::string_view xml);

// Parses "2026-11-23T04:05:06.789Z" to nanoseconds since 1970; returns nothing for any other string.
std::optional<std::int64_t> utc_ns(std::string_view text);

// Aborts the uploads that are at least older_than_ns old by the store's clock, and calls done for each with its age in nanoseconds.
// Returns their number. max_at_once: page size of the list.
std::int64_t abort_uploads(Client& client, std::int64_t older_than_ns, bool dry_run, int max_at_once,
                           const std::function<void(const Unfinished&, std::int64_t)>& done);

}  // namespace ckpt::s3
