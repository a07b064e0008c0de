#include "state/catalog.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/log.h"
#include "state/known_bad.h"

namespace ckpt::state {

using base::Status;

Manifest checked_manifest(Protocol& protocol, const std::string& directory, const std::string& text, Found& scanned) {
  const std::shared_ptr<Manifest> read = std::exchange(scanned.manifest, nullptr);
  const bool is_same = read != nullptr && scanned.name == directory && scanned.manifest_digest == hash_of(text);
  Manifest manifest = is_same ? std::move(*read) : parsed_manifest(directory, text);
  protocol.require_whole(directory, text, manifest, is_same, scanned);
  return manifest;
}

Manifest read_manifest(Protocol& protocol, const std::string& directory) {
  Found none;
  return checked_manifest(protocol, directory, manifest_text(protocol.storage(), directory), none);
}

void fail_none(Protocol& protocol, const std::vector<Found>& all, std::optional<std::int64_t> step) {
  const std::string of_step = step ? base::cat(" of step ", *step) : std::string();
  const auto newest = std::ranges::find_if(all, [](const Found& found) { return found.condition != Condition::unfinished; });
  if (newest == all.end()) {
    base::fail(Status::not_found, base::quote(protocol.storage().name()), " contains no checkpoint", of_step,
               "; unfinished: ", all.size(), protocol.ignored_hint());
  }
  base::fail(newest->status, "no checkpoint", of_step, " in ", base::quote(protocol.storage().name()), " is usable; the newest of ",
             all.size(), ": ", newest->problem, step ? std::string() : abandoned_hint(all));
}

std::string read_one(Protocol& protocol, const std::string& name,
                     const std::function<void(const std::string& directory, Manifest& manifest)>& body) {
  for (int rounds = 1; rounds <= max_rounds; ++rounds) {
    std::string directory = name;
    Found problem;
    Found scanned;
    if (name.empty()) {
      const std::vector<Found> all = protocol.list({}, {true, {}, {}});
      const auto newest = std::ranges::find_if(all, [](const Found& found) { return found.condition != Condition::unfinished; });
      if (newest == all.end()) fail_none(protocol, all);
      directory = newest->name;
      problem = scanned = *newest;
    }
    std::string text;
    const Outcome outcome = try_reading(protocol.storage(), directory, text, problem, [&] {
      text = manifest_text(protocol.storage(), directory);
      Manifest manifest = checked_manifest(protocol, directory, text, problem);
      body(directory, manifest);
    });
    if (outcome == Outcome::done) {
      if (!problem.record_damage.empty()) base::warn("state", problem.record_damage);
      return problem.record_damage;
    }
    if (outcome == Outcome::failed) {
      if (problem.condition == Condition::unfinished && name.empty()) {
        if (scanned.condition == Condition::damaged) base::fail(scanned.status, scanned.problem);  // its manifest is missing
        continue;                                                                                  // removed in the meantime
      }
      if (problem.condition == Condition::damaged) note_bad(protocol.storage(), directory);
      base::fail(problem.status, problem.problem);
    }
    if (!name.empty()) base::fail(Status::not_found, base::quote(name), " was removed during the read");
  }
  fail_too_many_restarts(protocol.storage());
}

}  // namespace ckpt::state
