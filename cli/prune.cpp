#include "prune.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <vector>

#include <ckpt/ckpt.hpp>

#include "place.h"
#include "text.h"

namespace ckpt::cli {
namespace {

using ordered = nlohmann::ordered_json;

void print(const std::vector<CheckpointInfo>& old, std::size_t kept, bool dry_run) {
  std::int64_t bytes = 0;
  for (const CheckpointInfo& info : old) {
    bytes += info.bytes;
    std::printf("%s: step %lld, %s, %s\n", printable(info.name).c_str(), static_cast<long long>(info.step),
                bytes_text(info.bytes).c_str(), dry_run ? "would be removed" : "removed");
  }
  std::printf("%zu checkpoints %s, %s; %zu stay\n", old.size(), dry_run ? "would be removed" : "removed", bytes_text(bytes).c_str(),
              kept);
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

}  // namespace

void prune(const std::string& path, const std::string& rules, bool dry_run, bool as_json) {
  CheckpointManagerOptions options;
  options.read_only = dry_run;
  CheckpointManager checkpoints(open_place(path), options);
  const std::vector<CheckpointInfo> old = checkpoints.prune(rules, dry_run);
  const std::size_t left = checkpoints.list().size() - (dry_run ? old.size() : 0);
  (as_json ? print_json : print)(old, left, dry_run);
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
