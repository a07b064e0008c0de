#include "state/manager/checkpoint.h"

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "base/error.h"
#include "base/json_text.h"
#include "base/log.h"
#include "base/os/clocks.h"
#include "base/os/thread.h"
#include "state/catalog.h"
#include "state/caught.h"
#include "state/environment.h"
#include "state/known_bad.h"
#include "state/make_protocol.h"
#include "state/name.h"
#include "state/pin.h"
#include "state/ranks/joint_load.h"
#include "state/ranks/opening.h"
#include "state/ranks/part.h"
#include "state/record_text.h"
#include "state/save.h"
#include "state/unreported.h"

namespace ckpt::state {

using base::Status;

// The scope of every call. Log messages are delivered last, when the call holds no locks: a log callback may call this object.
struct Checkpoint::Call {
  explicit Call(const Checkpoint* checkpoint) : entered(checkpoint) {}

  base::HeldLog held;
  base::Entered entered;
};

namespace {

Retention retention_of(const CheckpointOptions& options) {
  base::require(options.keep_last >= 0, "keep_last is ", options.keep_last, "; expected at least 0 (all)");
  base::require(options.keep_every >= 0, "keep_every is ", options.keep_every, "; expected at least 0 (none)");
  base::require(options.keep_best >= 0, "keep_best is ", options.keep_best, "; expected at least 0 (none)");
  base::require(options.keep_last > 0 || (options.keep_every == 0 && options.keep_best == 0), "keep_last is 0, which keeps all; ",
                "keep_every and keep_best need at least 1");
  Retention retention{{}, options.keep};
  if (!options.keep_rules.empty()) retention.rules = parse_keep_rules(options.keep_rules, options.larger_is_better);
  if (options.keep_last > 0) retention.rules.push_back(keep_last(options.keep_last));
  if (options.keep_every > 0) retention.rules.push_back(keep_every(options.keep_every));
  if (options.keep_best > 0) retention.rules.push_back(keep_best(options.keep_best, options.larger_is_better));
  return retention;
}

// The save is durable, so an error in collecting earlier failures is only logged.
void add_unreported(SaveResult& result, const storage::Storage& storage) noexcept {
  log_error_of(
      [&] {
        Unreported left = take_unreported(storage);
        result.unreported_failures = left.failures;
        result.unreported_status = left.status;
        result.unreported_error = std::move(left.error);
      },
      "cannot report failures of earlier background tasks: ");
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
    base::require(options.timeout_ns >= 0, "timeout_ns is ", options.timeout_ns, "; expected at least 0 (ten minutes)");
    retention_ = retention_of(options);
    storage_ =
        options_.fault_handler == nullptr ? given_storage_ : storage::make_retrying_storage(given_storage_, options_.fault_handler);
    protocol_ = make_protocol(storage_, options.sleep);
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
  group_ = std::make_unique<RankGroup>(*protocol_, options_.coordinator, options_.read_only, timeout_ns(), options_.sleep);
  const Call call(this);
  group_->open([this] { open_alone(); });
}

void Checkpoint::open_alone() {
  const auto found = protocol_->open(!retention_.keeps_all());
  if (!found) return;  // an object store is read when the line is needed
  latest_ = committed_last(*found);
  lineage_->note_found(*found, 0);
}

std::int64_t Checkpoint::timeout_ns() const noexcept {
  constexpr std::int64_t ten_minutes = 600'000'000'000;
  return options_.timeout_ns > 0 ? options_.timeout_ns : ten_minutes;
}

void Checkpoint::require_leader() const {
  require_writer();
  if (group_ != nullptr && !group_->leads())
    base::fail(Status::invalid_state, "rank ", group_->rank(), " cannot change checkpoints: expected rank 0");
}

void Checkpoint::require_own() const {
  if (options_.read_only) base::fail(Status::invalid_state, "checkpoint is read-only");
  if (fork_generation_ != base::fork_generation()) {
    base::fail(Status::forked, "the checkpoint manager was created before a fork: the parent process is the writer");
  }
}

void Checkpoint::require_writer() const {
  require_own();
  protocol_->require_writer();
}

SaveOptions Checkpoint::checked(const SaveOptions& given) const {
  SaveOptions options = given;
  base::require(options.step >= 0, "step is ", options.step, "; expected at least 0");
  require_prefix(options.prefix);
  options.metadata_json = base::normalized_json("metadata", given.metadata_json);
  options.environment_json = whole_environment(base::normalized_json("environment", given.environment_json),
                                               options_.blas ? options_.blas() : std::string());
  require_writer();
  options.metric_ignored = options.metric && !std::isfinite(*options.metric);  // JSON has neither NaN nor infinity
  if (options.metric_ignored) {
    if (group_ == nullptr || group_->leads())
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
  if (group_ != nullptr) {
    GroupSave agreed = agree(read);
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

void Checkpoint::look_at_line(std::int64_t step) {
  const Call call(this);
  if (lineage_->is_known()) return;
  if (!lineage_->has_tried() && protocol_->is_above_all(step)) return;
  const std::int64_t unknown_count = lineage_->unknown_count();
  lineage_->note_found(protocol_->list({}, {true, {}, {}}), unknown_count);
}

// Another save can fail after the scan and make the newest unknown again.
std::shared_ptr<AcceptedSave> Checkpoint::assign(std::int64_t step) {
  for (;;) {
    look_at_line(step);
    if (auto save = lineage_->accept(step, protocol_->is_above_all(step))) return save;
  }
}

std::shared_ptr<AcceptedSave> Checkpoint::accept(std::int64_t step) {
  auto save = assign(step);
  if (save->rolled_back()) base::warn("state", save->warning());
  return save;
}

GroupSave Checkpoint::agree(const ReadSave& read, const std::function<void()>& lead) {
  refuse_inside();
  require_own();  // fails equally on all ranks, except in a forked process, for which no rank waits
  const Call call(this);
  GroupSave save = group_->agree(
      [&] {
        const SaveArguments given = read();
        RankGroup::Wanted wanted{checked(given.options), given.state->gathered()};
        wanted.options.saved_utc_ns = utc_ns();
        return wanted;
      },
      [&](RankGroup::Wanted& wanted) {
        if (lead) lead();
        wanted.options.accepted = assign(wanted.options.step);
      });
  if (group_->leads() && save.rolled_back) base::warn("state", save.options.accepted->warning());
  return save;
}

SaveResult Checkpoint::save_agreed(GroupSave& save, SaveSource& source, bool is_in_background) {
  refuse_inside();
  const Call call(this);
  const auto commit_first = [&](Manifest& manifest) {
    const std::lock_guard lock(saving_);
    manifest.commit_sequence = protocol_->next_sequence();
    AcceptedSave& accepted = *save.options.accepted;
    manifest.line = accepted.line_at(manifest.commit_sequence);
    protocol_->commit(save.attempt, manifest, source);
    accepted.note_committed(save.attempt, manifest.commit_sequence);
  };
  SaveResult result = group_->save(save, source, is_in_background, commit_first);
  source.acknowledged();
  add_unreported(result, *given_storage_);
  const std::lock_guard lock(saving_);
  if (!group_->leads()) return result;
  latest_ = result.name;
  clean_up(result, save.options.saved_utc_ns);
  return result;
}

void Checkpoint::clean_up(const SaveResult& result, std::int64_t utc_ns) noexcept {
  log_error_of(
      [&] {
        protocol_->require_writer();
        protocol_->retry_leftovers();
        if (!retention_.keeps_all()) retain(*protocol_, retention_, result.name, result.step, age_time(utc_ns));
      },
      "cannot remove old checkpoints: ");
}

SaveResult Checkpoint::save_gathered(const State& state, const SaveOptions& options, SaveSource& source) {
  refuse_inside();
  const Call call(this);
  return save_locked(state, options, source);
}

SaveResult Checkpoint::save_locked(const State& state, const SaveOptions& options, SaveSource& source) {
  const std::lock_guard lock(saving_);
  const bool may_link = options.incremental && !is_known_bad(*storage_, latest_);
  SaveOptions stamped = options;
  stamped.saved_utc_ns = utc_ns();
  SaveResult result = write_checkpoint(*protocol_, state, stamped, may_link ? latest_ : "", source);
  source.acknowledged();
  add_unreported(result, *given_storage_);
  latest_ = result.name;
  clean_up(result, stamped.saved_utc_ns);
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
  if (group_ != nullptr) return load_of_many(read);
  const LoadArguments given = read();
  return load(*given.state, given.options, nullptr);
}

LoadResult Checkpoint::load(State& state, const LoadOptions& given, const StateLoan* loan, const Proposal* chosen) {
  refuse_inside();
  const Call call(this);
  const LoadOptions options = load_options(state, given);
  State whole = state.gathered(loan);
  LoadResult result = chosen == nullptr ? load_checkpoint(*protocol_, whole, options)
                                        : load_chosen(*protocol_, whole, options, *chosen, group_->rank(), group_->ranks());
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
  Collective collective = group_->begin_collective();
  JointLoad joint(collective, [this] { return group_->timeout_error("load", ""); });
  LoadArguments given;
  LoadOptions options;
  State whole;
  const auto mine = error_of([&] {
    given = read();
    options = load_options(*given.state, given.options);
    whole = given.state->gathered();
  });
  joint.open(whole, options, mine);
  LoadResult result = load_together(*protocol_, whole, options, joint);
  take_over(*given.state, std::move(whole), result);
  return result;
}

Proposal Checkpoint::choose(const ReadLoad& read) {
  refuse_inside();
  const Call call(this);
  Collective collective = group_->begin_collective();
  JointLoad joint(collective, [this] { return group_->timeout_error("load", ""); });
  LoadArguments given;
  const State none;
  const auto mine = error_of([&] {
    given = read();
    given.options = checked(given.options);
  });
  joint.open(mine ? none : *given.state, given.options, mine);
  return choose_together(*protocol_, given.options, joint);
}

VerifyResult Checkpoint::verify(const std::string& name) {
  refuse_inside();
  const Call call(this);
  return verify_checkpoint(*protocol_, name);
}

Reader Checkpoint::open_reader(const std::string& name, Verify verify) {
  refuse_inside();
  const Call call(this);
  return {*protocol_, name, verify};
}

std::vector<Found> Checkpoint::list() { return list(Wanted()); }

std::vector<Found> Checkpoint::list(const Wanted& wanted) {
  refuse_inside();
  const Call call(this);
  std::vector<Found> all = protocol_->list({}, wanted);
  protocol_->note_pins(all);
  return all;
}

std::vector<Found> Checkpoint::complete_ones(const Wanted& wanted) {
  std::vector<Found> all = list(wanted);
  std::erase_if(all, [](const Found& found) { return found.condition != Condition::complete; });
  return all;
}

namespace {

// hint: names an abandoned checkpoint; logged as well, because bindings return nothing instead of this error. May be "".
[[noreturn]] void fail_not_found(const char* what, const std::string& hint) {
  const std::string message = base::cat("no complete checkpoint ", what, hint);
  if (!hint.empty()) base::warn("state", message);
  throw base::Error(Status::not_found, message);
}

}  // namespace

Found Checkpoint::latest() {
  const std::vector<Found> all = complete_ones({true, {}, {}});
  if (all.empty() || all.front().abandoned) fail_not_found("exists", abandoned_hint(all));
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
  if (all.empty()) fail_not_found("with a metric exists", hint);
  return *std::ranges::max_element(all, is_worse);  // the first of equal ones, which is the newest
}

Found Checkpoint::of_step(std::int64_t step) {
  const std::vector<Found> all = complete_ones({false, step, {}});
  const auto found = std::ranges::find(all, step, &Found::step);
  if (found == all.end()) base::fail(Status::not_found, "step ", step, ": no complete checkpoint");
  return *found;
}

std::int64_t Checkpoint::utc_ns() const { return options_.utc_ns ? options_.utc_ns() : base::utc_ns(); }

std::int64_t Checkpoint::elapsed_ns() const {
  if (options_.elapsed_ns) return options_.elapsed_ns();
  return options_.utc_ns ? options_.utc_ns() : base::since_boot_ns();
}

// from_utc_ns: the time from which ages are measured.
AgeTime Checkpoint::age_time(std::int64_t from_utc_ns) { return {from_utc_ns, clock_.look(utc_ns(), elapsed_ns())}; }

// Call before a removal: no file is linked from it any more.
void Checkpoint::note_removal(const std::string& name, const std::vector<Found>& all) {
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
  const std::vector<Found> all = protocol_->list({}, {false, step, {}});
  const auto is_wanted = [&](const Found& found) { return found.step == step && found.condition == Condition::complete; };
  const auto found = std::ranges::find_if(all, is_wanted);
  if (found == all.end()) base::fail(Status::not_found, "step ", step, ": no complete checkpoint");
  state::pin(*storage_, found->name);
}

void Checkpoint::unpin(std::int64_t step) {
  refuse_inside();
  require_leader();
  const Call call(this);
  const std::lock_guard lock(saving_);
  const std::vector<Found> all = protocol_->list({}, {false, step, {}});
  if (std::ranges::find(all, step, &Found::step) == all.end()) base::fail(Status::not_found, "step ", step, ": no checkpoint");
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
    return superseded(*protocol_, retention, all, is_known_bad(*storage_, last) ? "" : last, now);
  });
}

std::vector<Found> Checkpoint::prune_abandoned(bool dry_run, std::int64_t room) {
  refuse_inside();
  const auto is_valid = [&](const Found& found) {
    if (found.condition != Condition::complete || is_known_bad(*storage_, found.name)) return false;
    return !error_of([&] { verify_checkpoint(*protocol_, found.name); });
  };
  return remove_chosen(dry_run, room, [&](const std::vector<Found>& all) { return abandoned_ones(*protocol_, all, is_valid); });
}

// A dry run takes no lock, so it does not wait for a save.
std::vector<Found> Checkpoint::remove_chosen(bool dry_run, std::int64_t room, const Choose& choose) {
  if (!dry_run) require_leader();
  const Call call(this);
  std::unique_lock lock(saving_, std::defer_lock);
  if (!dry_run) lock.lock();
  const std::vector<Found> all = protocol_->list();
  std::vector<Found> old = choose(all);
  if (dry_run || std::ssize(old) > room) return old;
  std::erase_if(old, [&](const Found& found) { return protocol_->is_pinned_by_now(found.name); });
  std::optional<base::Error> reason;
  const bool clean = remove_in_order(old, [&](const Found& found) {
    note_removal(found.name, all);
    return protocol_->remove(found, &reason);
  });
  storage_->sync_directory("");
  if (!clean) {
    base::fail(reason ? reason->status() : Status::io, "cannot remove all files of ", old.size(), " old checkpoints",
               after_colon(reason));
  }
  return old;
}

void Checkpoint::remove(const std::string& name) {
  refuse_inside();
  require_checkpoint_name(name);
  require_leader();
  const Call call(this);
  const std::lock_guard lock(saving_);
  const auto is_named_one = [&](const Found& found) { return found.name == name; };
  const std::vector<Found> all = protocol_->list({}, {false, {}, name});
  const auto named = std::ranges::find_if(all, is_named_one);
  if (named == all.end()) base::fail(Status::not_found, "checkpoint ", base::quote(name), " does not exist");
  if (is_pinned(*storage_, name) || protocol_->is_pinned_by_now(name))
    base::fail(Status::invalid_state, "checkpoint ", base::quote(name), " is pinned: unpin it before removing it");
  note_removal(name, all);
  std::optional<base::Error> reason;
  if (!protocol_->remove(*named, &reason)) {
    base::fail(reason ? reason->status() : Status::io, "cannot remove all files of checkpoint ", base::quote(name),
               after_colon(reason));
  }
  storage_->sync_directory("");
}

std::string Checkpoint::manifest(const std::string& name) {
  refuse_inside();
  const Call call(this);
  std::string text = manifest_text(*storage_, name);
  const FoundRecord record = protocol_->require_committed(name, text, parsed_manifest(name, text));
  if (!record.damage.empty()) base::warn("state", record.damage);
  return text;
}

std::string Checkpoint::rank_values(const std::string& name, std::int64_t rank) {
  refuse_inside();
  const Call call(this);
  std::map<std::string, std::string> values;
  read_one(*protocol_, name, [&](const std::string& directory, const Manifest& manifest) {
    if (rank < 0 || rank >= manifest.world_size)
      base::fail(Status::out_of_range, "rank is ", rank, "; expected 0 .. ", manifest.world_size - 1);
    values = values_of_rank(*storage_, directory, manifest, rank);
  });
  return base::normalized_json("values", values_text(values));  // normalized like the results of State::json
}

}  // namespace ckpt::state
