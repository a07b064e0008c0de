#include "state/ranks/arrivals.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "state/caught.h"

namespace ckpt::state {

using base::cat;

Arrivals::Arrivals(Protocol& protocol, Place place, bool may_write, storage::Sleep sleep)
    : protocol_(protocol), place_(place), may_write_(may_write), sleep_(std::move(sleep)) {}

std::string Arrivals::marker_prefix(std::string_view call) const {
  return protocol_.marker_path(cat("waited-", run_, run_.empty() ? "" : "-", call, "-rank"));
}

std::set<std::int64_t> Arrivals::arrived(const std::string& prefix) const {
  std::set<std::int64_t> ranks;
  for (const std::string& path : protocol_.markers(prefix)) {
    std::int64_t rank = 0;
    const auto [end, error] = std::from_chars(path.data() + prefix.size(), path.data() + path.size(), rank);
    if (error == std::errc() && end == path.data() + path.size()) ranks.insert(rank);
  }
  return ranks;
}

void Arrivals::withdraw() {
  if (marker_.empty()) return;
  const auto problem = error_of([&] { protocol_.storage().remove(marker_); });
  marker_.clear();
  if (problem && problem->status() != base::Status::not_found)
    base::warn("state", cat("cannot remove the marker of a call that timed out: ", problem->message()));
}

std::string Arrivals::missing(std::string_view call, std::int64_t timeout_ns) {
  constexpr std::int64_t first_pause_ns = 1'000'000;
  constexpr std::int64_t longest_pause_ns = 500'000'000;
  std::string missing;
  if (!may_write_) return missing;
  const auto problem = error_of([&] {
    const std::int64_t begin_ns = base::monotonic_ns();
    const std::string prefix = marker_prefix(call);
    const std::string mine = cat(prefix, place_.rank);
    const std::string text = "waited\n";
    const auto file = protocol_.storage().create_stream(mine, {std::ssize(text), nullptr});
    file->write(0, std::as_bytes(std::span(text)));
    file->sync();
    marker_ = mine;
    std::set<std::int64_t> seen;
    for (std::int64_t pause_ns = first_pause_ns;; pause_ns = std::min(longest_pause_ns, 2 * pause_ns)) {
      seen = arrived(prefix);
      // At least one rank is missing, so at most ranks - 1 markers can appear.
      if (std::ssize(seen) + 1 >= place_.ranks || base::monotonic_ns() - begin_ns >= timeout_ns) break;
      sleep_(pause_ns);
      if (pause_ns >= longest_pause_ns) protocol_.refresh("");
    }
    missing = missing_of(seen, place_.ranks);
  });
  if (problem) base::warn("state", cat("cannot determine the missing ranks: ", problem->message()));
  return missing;
}

std::string missing_of(const std::set<std::int64_t>& arrived, std::int64_t ranks) {
  constexpr int max_named = 8;
  std::string out;
  int named = 0;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    if (arrived.contains(rank)) continue;
    if (++named > max_named) return out + ", ...";
    out += cat(out.empty() ? "rank " : ", ", rank);
  }
  return out;
}

}  // namespace ckpt::state
