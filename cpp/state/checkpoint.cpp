#include "state/checkpoint.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/clock.h"
#include "base/error.h"
#include "base/json_text.h"
#include "base/log.h"
#include "base/os/clocks.h"
#include "base/os/thread.h"
#include "state/environment.h"
#include "state/known_bad.h"
#include "state/name.h"
#include "state/object_catalog.h"
#include "state/pin.h"
#include "state/ranks/joint_load.h"
#include "state/ranks/opening.h"
#include "state/ranks/part.h"
#include "state/record_text.h"
#include "state/unreported.h"

namespace ckpt::state {

using base::Status;

// What every call does first. The messages go out last, when nothing of the call is held any more: a log callback may call this
// object.
struct Checkpoint::Call {
  explicit Call(const Checkpoint* checkpoint) : entered(checkpoint) {}

  base::HeldLog held;
  base::Entered entered;
};

namespace {

Retention retention_of(const CheckpointOptions& options) {
  base::require(options.keep_last >= 0, "keep_last is ", options.keep_last, "; at least 0 (all)");
  base::require(options.keep_every >= 0, "keep_every is ", options.keep_every, "; at least 0 (none)");
  base::require(options.keep_best >= 0, "keep_best is ", options.keep_best, "; at least 0 (none)");
  base::require(options.keep_last > 0 || (options.keep_every == 0 && options.keep_best == 0), "keep_last is 0, which keeps all; ",
                "keep_every and keep_best need at least 1");
  Retention retention{{}, options.keep};
  if (!options.keep_rules.empty()) retention.rules = parse_keep_rules(options.keep_rules, options.larger_is_better);
  if (options.keep_last > 0) retention.rules.push_back(keep_last(options.keep_last));
  if (options.keep_every > 0) retention.rules.push_back(keep_every(options.keep_every));
  if (options.keep_best > 0) retention.rules.push_back(keep_best(options.keep_best, options.larger_is_better));
  return retention;
}

// The one that was committed last; "" when there is none.
std::string committed_last(const std::vector<Found>& all) {
  std::string name;
  std::int64_t last = -1;
  for (const Found& found : all) {
    if (found.condition != Condition::complete || found.commit_sequence <= last) continue;
    last = found.commit_sequence;
    name = found.name;
  }
  return name;
}

// The save is durable, so an error while earlier failures are collected is only logged.
void add_unreported(SaveResult& result, const storage::Storage& storage) noexcept {
  log_error_of(
      [&] {
        Unreported left = take_unreported(storage);
        result.unreported_failures = left.failures;
        result.unreported_status = left.status;
        result.unreported_error = std::move(left.error);
      },
      "failures of earlier background tasks are not in the result: ");
}

}  // namespace

Checkpoint::Checkpoint(std::shared_ptr<storage::Storage> storage, const CheckpointOptions& options,
                       const std::optional<base::Error>& refused)
    : given_storage_(std::move(storage)),
      options_(options),
      clock_(utc_ns(), elapsed_ns()),
      fork_generation_(base::fork_generation()) {
  if (options_.coordinator == nullptr) options_.coordinator = make_single_process();
  open(refused ? refused : error_of([&] {
    base::require(given_storage_ != nullptr, "storage is NULL");
    base::require(options.timeout_ns >= 0, "timeout_ns is ", options.timeout_ns, "; at least 0 (ten minutes)");
    retention_ = retention_of(options);
    storage_ =
        options_.fault_handler == nullptr ? given_storage_ : storage::make_retrying_storage(given_storage_, options_.fault_handler);
  }));
}

void Checkpoint::open(const std::optional<base::Error>& refused) {
  const bool is_of_many = options_.coordinator->world_size() > 1;
  if (refused && is_of_many) refuse_to_open(*options_.coordinator, timeout_ns(), *refused);
  if (refused) throw base::Error(*refused);
  if (!is_of_many) {
    if (!options_.read_only) open_alone();
    return;
  }
  team_ = std::make_unique<Team>(storage_, options_.coordinator, options_.read_only, timeout_ns(), options_.sleep);
  const Call call(this);
  team_->open([this] { open_alone(); });
}

void Checkpoint::open_alone() {
  if (storage_->is_objects()) {
    committer_ = std::make_unique<Committer>(storage_, !retention_.keeps_all(), options_.sleep);
    return;
  }
  ownership_ = std::make_unique<Ownership>(*storage_);
  // A second writer may commit after the last check for one and before a removal.
  if (!ownership_->is_exclusive() && !retention_.keeps_all()) {
    retention_.keep = [this, keep = retention_.keep](const Found& found) {
      return !ownership_->may_remove(found.name) || (keep && keep(found));
    };
  }
  see_changes(*storage_, "");
  std::vector<Found> all = scan(*storage_);
  const auto is_unfinished = [](const Found& found) { return found.condition == Condition::unfinished; };
  if (std::ranges::any_of(all, is_unfinished)) {
    for (const Found& found : all) {
      if (is_unfinished(found)) see_changes(*storage_, found.name);
    }
    all = scan(*storage_);
  }
  latest_ = committed_last(all);
  lineage_->note_found(all, 0);
  for (const Found& found : all) {
    if (is_unfinished(found)) set_aside(*storage_, found.name, found.problem);
    next_sequence_ =
        std::max(next_sequence_, found.commit_sequence == std::numeric_limits<std::int64_t>::max() ? found.commit_sequence
                                                                                                   : found.commit_sequence + 1);
  }
  ownership_->note_found(all, next_sequence_);
  warn_of_those_aside(*storage_);
  // A process that was killed between the manifest's rename and the last sync has left one that is found and may still vanish:
  // it must not yet supersede what retention would remove for it.
  if (!latest_.empty()) {
    storage_->sync_directory(latest_);
    storage_->sync_directory("");
  }
}

std::int64_t Checkpoint::timeout_ns() const noexcept {
  constexpr std::int64_t ten_minutes = 600'000'000'000;
  return options_.timeout_ns > 0 ? options_.timeout_ns : ten_minutes;
}

void Checkpoint::require_leader() const {
  require_writer();
  if (team_ != nullptr && !team_->leads())
    base::fail(Status::invalid_state, "this is rank ", team_->rank(), "; rank 0 changes what was saved");
}

void Checkpoint::require_own() const {
  if (options_.read_only) base::fail(Status::invalid_state, "checkpoint is read-only");
  if (fork_generation_ != base::fork_generation()) {
    base::fail(Status::forked, "checkpoint was made before this process was forked: its parent is the writer");
  }
}

void Checkpoint::require_writer() const {
  require_own();
  if (committer_ != nullptr) committer_->refuse_fenced();
  if (ownership_ != nullptr) ownership_->require_held();
}

SaveOptions Checkpoint::checked(const SaveOptions& given) const {
  SaveOptions options = given;
  base::require(options.step >= 0, "step is ", options.step, "; at least 0");
  require_prefix(options.prefix);
  options.metadata_json = base::normalized_json("metadata", given.metadata_json);
  options.environment_json = whole_environment(base::normalized_json("environment", given.environment_json),
                                               options_.blas ? options_.blas() : std::string());
  require_writer();
  options.metric_ignored = options.metric && !std::isfinite(*options.metric);  // JSON has neither NaN nor infinity
  if (options.metric_ignored) {
    if (team_ == nullptr || team_->leads())
      base::warn("state", base::cat("step ", options.step, " is saved without its metric, which is ", *options.metric));
    options.metric.reset();
  }
  return options;
}

SaveResult Checkpoint::save(const ReadSave& read) {
  refuse_inside();
  base::Progress progress;
  SaveSource source;
  source.progress = &progress;
  if (team_ != nullptr) {
    TeamSave agreed = agree(read);
    return save_agreed(agreed, source, false);
  }
  const SaveArguments given = read();
  const SaveOptions options = checked(given.options);
  const Call call(this);
  SaveOptions accepted = options;
  const State whole = given.state->gathered().assembled();
  accepted.accepted = accept(options.step);
  return save_locked(whole, accepted, source);
}

// ---- Lines ----

bool Checkpoint::is_above_all(std::int64_t step) const { return committer_ != nullptr && committer_->is_above_all(step); }

void Checkpoint::look_at_line(std::int64_t step) {
  const Call call(this);
  if (lineage_->is_known()) return;
  if (!lineage_->has_tried() && is_above_all(step)) return;
  const std::int64_t doubts = lineage_->doubts();
  lineage_->note_found(scan(*storage_, {}, {true, {}, {}}), doubts);
}

// Another save may fail after the look, and leave the newest unknown again.
std::shared_ptr<AcceptedSave> Checkpoint::assign(std::int64_t step) {
  for (;;) {
    look_at_line(step);
    if (auto save = lineage_->accept(step, is_above_all(step))) return save;
  }
}

std::shared_ptr<AcceptedSave> Checkpoint::accept(std::int64_t step) {
  auto save = assign(step);
  if (save->rolled_back()) base::warn("state", save->warning());
  return save;
}

TeamSave Checkpoint::agree(const ReadSave& read, const std::function<void()>& lead) {
  refuse_inside();
  require_own();  // fails alike on all ranks, except in a forked process, which no rank waits for
  const Call call(this);
  TeamSave save = team_->agree(
      [&] {
        const SaveArguments given = read();
        Team::Wanted wanted{checked(given.options), given.state->gathered()};
        wanted.options.saved_utc_ns = utc_ns();
        return wanted;
      },
      [&](Team::Wanted& wanted) {
        if (lead) lead();
        wanted.options.accepted = assign(wanted.options.step);
      });
  if (ownership_ != nullptr) ownership_->note_own(save.attempt);
  if (team_->leads() && save.rolled_back) base::warn("state", save.options.accepted->warning());
  return save;
}

SaveResult Checkpoint::save_agreed(TeamSave& save, SaveSource& source, bool is_in_background) {
  refuse_inside();
  const Call call(this);
  const auto commit_first = [&](FileSaver& files, Manifest& manifest) {
    const std::lock_guard lock(saving_);
    if (next_sequence_ == std::numeric_limits<std::int64_t>::max()) base::fail(Status::out_of_range, "commit sequence is used up");
    manifest.commit_sequence = committer_ != nullptr ? committer_->next_sequence() : next_sequence_++;
    AcceptedSave& accepted = *save.options.accepted;
    manifest.line = accepted.line_at(manifest.commit_sequence);
    commit(*storage_, files, manifest, source, writer());
    accepted.note_committed(files.directory(), manifest.commit_sequence);
  };
  SaveResult result =
      team_->save(save, source, is_in_background, commit_first, [this](const std::string& attempt) { discard(attempt); });
  source.acknowledged();
  add_unreported(result, *given_storage_);
  const std::lock_guard lock(saving_);
  if (!team_->leads()) return result;
  latest_ = result.name;
  tidy(result, save.options.saved_utc_ns);
  return result;
}

void Checkpoint::tidy(const SaveResult& result, std::int64_t utc_ns) noexcept {
  log_error_of(
      [&] {
        if (ownership_ != nullptr) ownership_->require_held();
        Leftovers::Remove remove;
        if (committer_ != nullptr) remove = [&](const std::string& directory) { return committer_->remove_uncommitted(directory); };
        leftovers_.retry(*storage_, remove);
        if (retention_.keeps_all()) return;
        if (committer_ != nullptr) {
          committer_->retain(retention_, result.name, result.step, age_time(utc_ns), leftovers_);
        } else {
          retain(*storage_, retention_, result.name, result.step, age_time(utc_ns), leftovers_, known_);
        }
      },
      "no old checkpoint was removed: ");
}

// One that holds a manifest may have been acknowledged by a rank that has seen it.
void Checkpoint::discard(const std::string& attempt) noexcept {
  log_error_of([&] {
    const bool stays = committer_ == nullptr && has_manifest(*storage_, attempt);
    if (stays) return;
    if (committer_ != nullptr ? committer_->discard(attempt) : remove_checkpoint(*storage_, attempt)) return;
    leftovers_.note(attempt);
    base::fail(Status::io, "what the failed save wrote to ", base::quote(attempt), " could not be removed");
  });
}

SaveResult Checkpoint::save_gathered(const State& state, const SaveOptions& options, SaveSource& source) {
  refuse_inside();
  const Call call(this);
  return save_locked(state, options, source);
}

SaveResult Checkpoint::save_locked(const State& state, const SaveOptions& options, SaveSource& source) {
  const std::lock_guard lock(saving_);
  if (next_sequence_ == std::numeric_limits<std::int64_t>::max()) base::fail(Status::out_of_range, "commit sequence is used up");
  // A failed attempt keeps its number: should it come back complete after a crash, it is still older than the next.
  const bool may_link = options.incremental && !is_known_bad(*storage_, latest_);
  SaveOptions stamped = options;
  stamped.saved_utc_ns = utc_ns();
  const std::int64_t sequence = committer_ != nullptr ? committer_->next_sequence() : next_sequence_++;
  SaveResult result = write_checkpoint(*storage_, state, stamped, sequence, may_link ? latest_ : "", source, writer());
  source.acknowledged();
  add_unreported(result, *given_storage_);
  if (committer_ == nullptr) latest_ = result.name;
  tidy(result, stamped.saved_utc_ns);
  return result;
}

LoadOptions Checkpoint::checked(const LoadOptions& given) {
  require_one_choice(given);
  LoadOptions options = given;
  if (given.compare_environment) options.environment_json = base::normalized_json("environment", given.environment_json);
  return options;
}

LoadOptions Checkpoint::load_options(const State& state, const LoadOptions& given) const {
  LoadOptions options = checked(given);
  if (options_.blas) options.blas = options_.blas();
  if (given.rename) {
    options.rename = [rename = given.rename, &state](const std::string& group, const std::string& name) {
      const base::Entered entered(&state);
      return rename(group, name);
    };
  }
  return options;
}

LoadResult Checkpoint::load(const ReadLoad& read) {
  refuse_inside();
  if (team_ != nullptr) return load_of_many(read);
  const LoadArguments given = read();
  return load(*given.state, given.options, nullptr);
}

LoadResult Checkpoint::load(State& state, const LoadOptions& given, const StateLoan* loan, const Proposal* chosen) {
  refuse_inside();
  const Call call(this);
  const LoadOptions options = load_options(state, given);
  State whole = state.gathered(loan);
  LoadResult result = chosen == nullptr ? load_checkpoint(*storage_, whole, options)
                                        : load_chosen(*storage_, whole, options, *chosen, team_->rank(), team_->ranks());
  take_over(state, std::move(whole), result);
  return result;
}

void Checkpoint::take_over(State& state, State&& loaded, const LoadResult& result) {
  if (options_.expect_blas && !result.blas_to_come.empty())
    options_.expect_blas(base::cat("checkpoint ", base::quote(result.name)), result.blas_to_come);
  state.accept(std::move(loaded));
  const bool may_save = !options_.read_only && fork_generation_ == base::fork_generation();
  if (may_save) lineage_->note_load({result.name, result.step, result.commit_sequence}, result.line);
}

LoadResult Checkpoint::load_of_many(const ReadLoad& read) {
  const Call call(this);
  Meeting meeting = team_->meet();
  JointLoad joint(meeting, [this] { return team_->lateness("load", ""); });
  LoadArguments given;
  LoadOptions options;
  State whole;
  const auto mine = error_of([&] {
    given = read();
    options = load_options(*given.state, given.options);
    whole = given.state->gathered();
  });
  joint.open(whole, options, mine);
  LoadResult result = load_together(*storage_, whole, options, joint);
  take_over(*given.state, std::move(whole), result);
  return result;
}

Proposal Checkpoint::choose(const ReadLoad& read) {
  refuse_inside();
  const Call call(this);
  Meeting meeting = team_->meet();
  JointLoad joint(meeting, [this] { return team_->lateness("load", ""); });
  LoadArguments given;
  const State none;
  const auto mine = error_of([&] {
    given = read();
    given.options = checked(given.options);
  });
  joint.open(mine ? none : *given.state, given.options, mine);
  return choose_together(*storage_, given.options, joint);
}

VerifyResult Checkpoint::verify(const std::string& name) {
  refuse_inside();
  const Call call(this);
  return verify_checkpoint(*storage_, name);
}

Reader Checkpoint::open_reader(const std::string& name, Verify verify) {
  refuse_inside();
  const Call call(this);
  return {*storage_, name, verify, storage_};
}

std::vector<Found> Checkpoint::list() { return list(Wanted()); }

std::vector<Found> Checkpoint::list(const Wanted& wanted) {
  refuse_inside();
  const Call call(this);
  std::vector<Found> all = scan(*storage_, {}, wanted);
  note_pins(*storage_, all);
  return all;
}

std::vector<Found> Checkpoint::complete_ones(const Wanted& wanted) {
  std::vector<Found> all = list(wanted);
  std::erase_if(all, [](const Found& found) { return found.condition != Condition::complete; });
  return all;
}

Found Checkpoint::latest() {
  const std::vector<Found> all = complete_ones({true, {}, {}});
  if (all.empty() || all.front().abandoned) {
    const std::string message = base::cat("there is no complete checkpoint", abandoned_hint(all));
    if (!all.empty()) base::warn("state", message);  // bindings return nothing instead of this error
    throw base::Error(Status::not_found, message);
  }
  return all.front();
}

Found Checkpoint::best() {
  const auto is_worse = [larger = options_.larger_is_better](const Found& a, const Found& b) {
    return larger ? a.metric < b.metric : a.metric > b.metric;
  };
  std::vector<Found> all = complete_ones();
  std::erase_if(all, [](const Found& found) { return !found.metric; });
  const std::string hint = abandoned_hint(all);
  std::erase_if(all, [](const Found& found) { return found.abandoned; });
  if (all.empty()) base::fail(Status::not_found, "there is no complete checkpoint with a metric", hint);
  return *std::ranges::max_element(all, is_worse);  // the first of equal ones, which is the newest
}

Found Checkpoint::of_step(std::int64_t step) {
  const std::vector<Found> all = complete_ones({false, step, {}});
  const auto found = std::ranges::find(all, step, &Found::step);
  if (found == all.end()) base::fail(Status::not_found, "there is no complete checkpoint of step ", step);
  return *found;
}

std::int64_t Checkpoint::utc_ns() const { return options_.utc_ns ? options_.utc_ns() : base::utc_ns(); }

std::int64_t Checkpoint::elapsed_ns() const {
  if (options_.elapsed_ns) return options_.elapsed_ns();
  return options_.utc_ns ? options_.utc_ns() : base::since_boot_ns();
}

// from_utc_ns: ages are measured back from this time.
AgeTime Checkpoint::age_time(std::int64_t from_utc_ns) { return {from_utc_ns, clock_.look(utc_ns(), elapsed_ns())}; }

// Before it is removed: nothing is linked from it any more.
void Checkpoint::forget(const std::string& name, const std::vector<Found>& all) {
  lineage_->note_removed(name);
  if (latest_ != name) return;
  const auto is_other = [&](const Found& found) { return found.name != name && found.condition == Condition::complete; };
  const auto newest = std::ranges::find_if(all, is_other);
  latest_ = newest == all.end() ? "" : newest->name;
}

void Checkpoint::pin(std::int64_t step) {
  refuse_inside();
  require_leader();
  const Call call(this);
  const std::lock_guard lock(saving_);
  const std::vector<Found> all = scan(*storage_, {}, {false, step, {}});
  const auto is_wanted = [&](const Found& found) { return found.step == step && found.condition == Condition::complete; };
  const auto found = std::ranges::find_if(all, is_wanted);
  if (found == all.end()) base::fail(Status::not_found, "there is no complete checkpoint of step ", step);
  state::pin(*storage_, found->name);
}

void Checkpoint::unpin(std::int64_t step) {
  refuse_inside();
  require_leader();
  const Call call(this);
  const std::lock_guard lock(saving_);
  const std::vector<Found> all = scan(*storage_, {}, {false, step, {}});
  if (std::ranges::find(all, step, &Found::step) == all.end())
    base::fail(Status::not_found, "there is no checkpoint of step ", step);
  for (const Found& found : all) {
    if (found.step == step) state::unpin(*storage_, found.name);
  }
}

std::vector<Found> Checkpoint::prune(const std::string& rules, bool dry_run, std::int64_t room) {
  refuse_inside();
  const Retention retention = rules.empty() ? retention_ : Retention{parse_keep_rules(rules, options_.larger_is_better), {}};
  return remove_chosen(dry_run, room, [&](const std::vector<Found>& all) {
    const AgeTime now = age_time(utc_ns());
    const std::string last = committed_last(all);
    return superseded(*storage_, retention, all, is_known_bad(*storage_, last) ? "" : last, now);
  });
}

std::vector<Found> Checkpoint::prune_abandoned(bool dry_run, std::int64_t room) {
  refuse_inside();
  return remove_chosen(dry_run, room, [&](const std::vector<Found>& all) { return abandoned_ones(*storage_, all); });
}

// A dry run takes no lock, so it does not wait for a save.
std::vector<Found> Checkpoint::remove_chosen(bool dry_run, std::int64_t room, const Choose& choose) {
  if (!dry_run) require_leader();
  const Call call(this);
  std::unique_lock lock(saving_, std::defer_lock);
  if (!dry_run) lock.lock();
  const std::vector<Found> all = scan(*storage_);
  std::vector<Found> old = choose(all);
  if (dry_run || std::ssize(old) > room) return old;
  if (!storage_->is_objects()) std::erase_if(old, [&](const Found& found) { return is_pinned_by_now(*storage_, found.name); });
  const bool clean = remove_in_order(old, [&](const Found& found) {
    forget(found.name, all);
    if (remove_found(*storage_, found)) return true;
    leftovers_.note(found.name);
    return false;
  });
  storage_->sync_directory("");
  if (!clean) base::fail(Status::io, "some of ", old.size(), " old checkpoints could not be removed completely");
  return old;
}

void Checkpoint::remove(const std::string& name) {
  refuse_inside();
  require_checkpoint_name(name);
  require_leader();
  const Call call(this);
  const std::lock_guard lock(saving_);
  const auto names_it = [&](const Found& found) { return found.name == name; };
  const std::vector<Found> all = scan(*storage_, {}, {false, {}, name});
  const auto named = std::ranges::find_if(all, names_it);
  if (named == all.end()) base::fail(Status::not_found, "there is no checkpoint ", base::quote(name));
  if (is_pinned_by_now(*storage_, name))
    base::fail(Status::invalid_state, "checkpoint ", base::quote(name), " is pinned: it cannot be removed before it is unpinned");
  forget(name, all);
  if (!remove_found(*storage_, *named)) {
    leftovers_.note(name);
    base::fail(Status::io, "checkpoint ", base::quote(name), " could not be removed completely");
  }
  storage_->sync_directory("");
}

std::string Checkpoint::manifest(const std::string& name) {
  refuse_inside();
  const Call call(this);
  std::string text = manifest_text(*storage_, name);
  const Manifest manifest = parsed_manifest(name, text);
  if (storage_->is_objects()) {
    const FoundRecord record = require_committed(*storage_, name, text, manifest);
    if (!record.damage.empty()) base::warn("state", record.damage);
  }
  return text;
}

std::string Checkpoint::rank_values(const std::string& name, std::int64_t rank) {
  refuse_inside();
  const Call call(this);
  std::map<std::string, std::string> values;
  read_one(*storage_, name, [&](const std::string& directory, const Manifest& manifest) {
    if (rank < 0 || rank >= manifest.world_size)
      base::fail(Status::out_of_range, "rank is ", rank, "; the checkpoint has 0 .. ", manifest.world_size - 1);
    values = values_of_rank(*storage_, directory, manifest, rank);
  });
  return base::normalized_json("values", values_text(values));  // as State::json has each of them
}

}  // namespace ckpt::state
