#include <tuple>

#include "base/error.h"
#include "scenario.h"
#include "state/checkpoint_files.h"
#include "state/hash.h"
#include "state/make_protocol.h"
#include "state/pin.h"

namespace ckpt::tests {
namespace {

std::int64_t step_of(const Scenario& scenario, int save) {
  return save == 0 ? -1 : scenario.steps[static_cast<std::size_t>(save) - 1];
}

// Returns the order in which a load tries saves: by generation, by step, then by the order of the commits.
std::tuple<std::int64_t, std::int64_t, int> rank(const Scenario& scenario, int save) {
  const std::int64_t generation = save == 0 ? -1 : scenario.generations[static_cast<std::size_t>(save) - 1];
  return {generation, step_of(scenario, save), save};
}

std::uint64_t key_of(const Image& image) {
  std::string all;
  for (const auto& [path, bytes] : image) {
    all += path;
    all += bytes ? base::cat('\0', bytes->size(), '\0') : "/";
    if (bytes) all += *bytes;
  }
  return state::hash_of(all).low;
}

// After recovery, a later save must succeed and be found from then on.
Finding continues(const Scenario& scenario, state::Checkpoint& checkpoint) {
  constexpr int save = 77;
  NumberedState state(scenario.contents);
  state.fill(save);
  state::SaveOptions options;
  options.step = 1000;
  checkpoint.save(state.state, options);
  state.fill(0);
  const std::int64_t step = checkpoint.load(state.state, {}).step;
  if (step == options.step && state.save() == save) return {};
  return {Violation::no_next, base::cat("after a save of step 1000 step ", step, " was loaded")};
}

// Opening and loading must not rename or remove a manifest.
std::vector<std::string> manifests_in(storage::Storage& disk) {
  std::vector<std::string> paths;
  for (const storage::Entry& entry : disk.list("")) {
    if (entry.is_directory && state::has_manifest(disk, entry.name)) paths.push_back(entry.name);
  }
  return paths;
}

// Returns whether the save with that number exists, bit for bit, with its pin.
bool is_pinned_save(const Scenario& scenario, state::Checkpoint& checkpoint, int save) {
  state::LoadOptions options;
  options.step = step_of(scenario, save);
  NumberedState state(scenario.contents);
  return checkpoint.of_step(*options.step).pinned && checkpoint.load(state.state, options).skipped == 0 && state.save() == save;
}

// best: the acknowledged save that must be found, or a newer one; 0: none. pinned: likewise for a save that must remain.
Finding examine(const Scenario& scenario, const Image& image, int best, int pinned, state::Verify verify, bool thorough,
                bool& loaded) {
  const auto disk = disk_of(image);
  for (const state::Found& found : state::make_protocol(disk)->list()) {
    // An interrupted save or removal has no manifest; no crash leaves anything that looks like damage.
    if (found.condition == state::Condition::complete || found.condition == state::Condition::unfinished) continue;
    return {Violation::damaged, base::cat(found.name, ": ", found.problem)};
  }
  const std::vector<std::string> before = manifests_in(*disk);
  state::Checkpoint checkpoint(disk, {false, 1});
  NumberedState state(scenario.contents);
  try {
    state::LoadOptions options;
    options.verify = verify;
    const state::LoadResult result = checkpoint.load(state.state, options);
    const int save = state.save();
    loaded = true;
    if (manifests_in(*disk) != before) return {Violation::lost, "opening and loading changed what holds a manifest"};
    if (save < 1 || save > static_cast<int>(scenario.steps.size()) || step_of(scenario, save) != result.step) {
      return {Violation::wrong_bytes, base::cat("step ", result.step, " has values that were never saved")};
    }
    if (rank(scenario, save) < rank(scenario, best)) {
      return {Violation::lost, base::cat("save ", save, " of step ", result.step, " was found")};
    }
    if (pinned != 0 && !is_pinned_save(scenario, checkpoint, pinned)) return {Violation::unpinned, base::cat("save ", pinned)};
    // A checkpoint that was found and has the right sizes, but was skipped, has wrong bytes.
    if (result.skipped > 0) return {Violation::damaged, "a newer one was skipped"};
  } catch (const base::Error& error) {
    // Nothing to load means that nothing was acknowledged; NOT_FOUND is the only permitted error then.
    if (error.status() == base::Status::not_found && best == 0) return thorough ? continues(scenario, checkpoint) : Finding{};
    return {Violation::lost, error.message()};
  }
  return thorough ? continues(scenario, checkpoint) : Finding{};
}

}  // namespace

void Enumerator::look(const Scenario& scenario, const Image& image, int best, int pinned, std::size_t moment) {
  ++count_.images;
  const std::uint64_t key = key_of(image);
  const bool is_new = images_.insert(key).second;
  count_.distinct += is_new ? 1 : 0;
  const std::int64_t step = step_of(scenario, best);
  if (!cases_.insert(key ^ (static_cast<std::uint64_t>((step * 64 + best + 1) * 64 + pinned) * 0x9E3779B97F4A7C15ULL)).second)
    return;
  ++count_.examined;
  bool loaded = false;
  Finding finding = examine(scenario, image, best, pinned, options_.verify, count_.examined % 16 == 0, loaded);
  count_.loaded += loaded ? 1 : 0;
  if (finding.violation == Violation::none) return;
  ++count_.violations[static_cast<int>(finding.violation)];
  if (count_.first.empty()) {
    count_.first =
        base::cat("scenario '", scenario.name, "', crash after operation ", moment, ": ", to_text(scenario.log[moment]),
                  "; acknowledged: save ", best, " of step ", step, "; ", finding.text, "\nthe disk:\n", describe(image));
  }
}

void Enumerator::run(const Scenario& scenario) {
  DiskModel model(scenario.base);
  bool watched = false;
  int best = 0;
  int pinned = 0;
  for (std::size_t moment = 0; moment < scenario.log.size(); ++moment) {
    const Operation& operation = scenario.log[moment];
    watched = watched || operation.kind == Kind::watch;
    if (operation.kind == Kind::acknowledge && rank(scenario, best) < rank(scenario, operation.save)) best = operation.save;
    if (operation.kind == Kind::pin) pinned = operation.save;
    model.apply(operation);
    if (!watched) continue;
    model.crash(options_.max_images * static_cast<std::uint64_t>(scenario.weight), 1 + moment, [&](const Image& image) {
      if (options_.stop_at_first && count_.bad() > 0) return;
      look(scenario, image, best, pinned, moment);
    });
  }
}

}  // namespace ckpt::tests
