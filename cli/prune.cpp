#include "prune.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <vector>

#include <ckpt/ckpt.hpp>

#include "load.h"
#include "place.h"
#include "text.h"

namespace ckpt::cli {
namespace {

using ordered = nlohmann::ordered_json;

constexpr std::int64_t second_ns = 1'000'000'000;

void print(const std::vector<CheckpointInfo>& old, std::size_t kept, bool dry_run) {
  std::int64_t bytes = 0;
  for (const CheckpointInfo& info : old) {
    bytes += info.bytes;
    std::printf("%s: step %lld, %s, %s\n", printable(info.name).c_str(), static_cast<long long>(info.step),
                bytes_text(info.bytes).c_str(), dry_run ? "would be removed" : "removed");
  }
  std::printf("%s %s, %s; %zu kept\n", counted(static_cast<std::int64_t>(old.size()), "checkpoint").c_str(),
              dry_run ? "would be removed" : "removed", bytes_text(bytes).c_str(), kept);
}

void print_json(const std::vector<CheckpointInfo>& old, std::size_t kept, bool dry_run) {
  ordered document = {{"dry_run", dry_run}, {"kept", kept}, {"removed", ordered::array()}};
  for (const CheckpointInfo& info : old) {
    ordered row = {{"name", info.name}, {"step", info.step}, {"bytes", info.bytes}};
    if (info.metric) row["metric"] = *info.metric;
    document["removed"].push_back(std::move(row));
  }
  std::printf("%s\n", document.dump(2, ' ', false, ordered::error_handler_t::replace).c_str());
}

bool is_of_s3(const std::string& place) {
  return is_uri(place) && place.size() > 3 && (place[0] == 's' || place[0] == 'S') && place[1] == '3' && place[2] == ':';
}

// Formats an age as "12 s", "5 min", "3 h" or "9 d", rounded down.
std::string age_text(std::int64_t seconds) {
  if (seconds < 60) return cat(seconds, " s");
  if (seconds < 3600) return cat(seconds / 60, " min");
  if (seconds < 2 * 86400) return cat(seconds / 3600, " h");
  return cat(seconds / 86400, " d");
}

void print_uploads(const std::vector<load::Upload>& uploads, bool dry_run) {
  const char* const what = dry_run ? "would be aborted" : "aborted";
  for (const load::Upload& upload : uploads)
    std::printf("%s: started %s ago, %s\n", printable(upload.path).c_str(), age_text(upload.age_ns / second_ns).c_str(), what);
  std::printf("%s %s\n", counted(static_cast<std::int64_t>(uploads.size()), "unfinished upload").c_str(), what);
}

void print_uploads_json(const std::vector<load::Upload>& uploads, bool dry_run) {
  ordered document = {{"dry_run", dry_run}, {"aborted", ordered::array()}};
  for (const load::Upload& upload : uploads) document["aborted"].push_back({{"file", upload.path}, {"age_ns", upload.age_ns}});
  std::printf("%s\n", document.dump(2, ' ', false, ordered::error_handler_t::replace).c_str());
}

}  // namespace

namespace {

template <class Prune>
void prune_by(const std::string& path, bool dry_run, bool as_json, Prune&& prune) {
  CheckpointManagerOptions options;
  options.read_only = dry_run;
  CheckpointManager checkpoints(open_place(path), options);
  const std::vector<CheckpointInfo> old = prune(checkpoints);
  const std::size_t left = checkpoints.list().size() - (dry_run ? old.size() : 0);
  (as_json ? print_json : print)(old, left, dry_run);
}

}  // namespace

void prune(const std::string& path, const std::string& rules, bool dry_run, bool as_json) {
  prune_by(path, dry_run, as_json, [&](CheckpointManager& checkpoints) { return checkpoints.prune(rules, dry_run); });
}

void prune_abandoned(const std::string& path, bool dry_run, bool as_json) {
  prune_by(path, dry_run, as_json, [&](CheckpointManager& checkpoints) { return checkpoints.prune_abandoned(dry_run); });
}

void prune_uploads(const std::string& place, std::int64_t older_than_seconds, bool dry_run, bool as_json) {
  if (!is_of_s3(place)) throw Error(Status::unsupported, place + ": expected a location in S3, which alone has unfinished uploads");
  const load::AbortedUploads aborted = load::abort_uploads(place, older_than_seconds * second_ns, dry_run);
  const bool is_well = aborted.status == CKPT_OK;
  if (is_well || !aborted.uploads.empty()) (as_json ? print_uploads_json : print_uploads)(aborted.uploads, dry_run);
  if (!is_well) throw Error(static_cast<Status>(aborted.status), aborted.reason);
}

void pin(const std::string& path, std::int64_t step, bool pinned) {
  CheckpointManager checkpoints(open_place(path));
  if (pinned) {
    checkpoints.pin(step);
  } else {
    checkpoints.unpin(step);
  }
}

}  // namespace ckpt::cli
