#include "state/manager/load.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>

#include "base/error.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "base/status.h"
#include "state/catalog.h"
#include "state/caught.h"
#include "state/environment.h"
#include "state/filling.h"
#include "state/known_bad.h"
#include "state/match.h"
#include "state/name_map.h"
#include "state/open_files.h"
#include "state/ranks/joint_load.h"
#include "state/ranks/part.h"
#include "state/ranks/part_checks.h"
#include "state/ranks/shard_filling.h"
#include "state/tensor_file.h"

namespace ckpt::state {
namespace {

using base::cat;
using base::Status;

// left_out: keys that have values of other ranks.
std::string report_of(const Differences& differences, const std::vector<Found>& skipped, const std::vector<std::string>& left_out) {
  base::JsonWriter out(base::NotUtf8::replaced);  // a problem may quote bytes that are not UTF-8
  const auto list = [&out](const char* key, const std::vector<GroupAndName>& names) {
    out.key(key).begin_list();
    for (const auto& [group, name] : names) out.begin_object().member("group", group).member("name", name).end_object();
    out.end_list();
  };
  out.begin_object();
  list("missing", differences.missing);
  list("unexpected", differences.unexpected);
  out.key("skipped").begin_list();
  for (const Found& bad : skipped) {
    out.begin_object()
        .member("name", bad.name)
        .member("status", base::status_name(bad.status))
        .member("problem", bad.problem)
        .end_object();
  }
  out.end_list();
  if (!left_out.empty()) out.member("by_rank", left_out);
  return std::move(out.end_object()).text();
}

// Skips a damaged commit record if the digest in it identifies the checkpoint, and reports it.
void skip_damaged_record(const Found& found, Proposal& proposal) {
  if (found.record_damage.empty()) return;
  base::warn("state", cat(found.record_damage, "; skipping the record, since its digest identifies ", base::quote(proposal.name)));
  Found record;
  record.name = found.record;
  record.condition = Condition::damaged;
  record.status = Status::corrupt;
  record.problem = found.record_damage;
  proposal.skipped.push_back(std::move(record));
}

// A checkpoint to try.
struct Candidate {
  Candidate(const Proposal& of, Manifest&& parsed) : proposal(of), manifest(std::move(parsed)) {}

  const Proposal& proposal;
  const Manifest manifest;
  std::set<std::string_view> trees;
  std::optional<NameMap> names;
  Differences differences;
  std::map<std::string, std::string> values;
  std::string report;
};

// One load: tries one checkpoint after another until one succeeds. A failed attempt leaves the state unchanged.
class Loading {
 public:
  struct Ranks {
    std::int64_t rank = 0;
    std::int64_t ranks = 1;
    JointLoad* joint = nullptr;  // for collective loads
  };

  Loading(Protocol& protocol, State& state, const LoadOptions& options, const Ranks& ranks_of_load)
      : protocol_(protocol), storage_(protocol.storage()), state_(state), options_(options), ranks_(ranks_of_load) {}

  // Runs body, which makes the attempts.
  template <class Body>
  LoadResult run(Body&& body) {
    try {
      body();
    } catch (...) {
      if (!result_.partly_filled) throw;
      const base::CurrentError error = base::current_error();
      throw PartlyFilled(error.status, cat(error.message, "; the tensors are partly filled"));
    }
    return result_;
  }

  // If it does not succeed, problem receives the reason and the condition of the checkpoint.
  Outcome try_load(const std::string& name, const std::vector<Found>& skipped, Found& problem) {
    Proposal proposal{name, "", skipped};
    Manifest manifest;
    const Outcome outcome = try_reading(storage_, name, proposal.manifest, problem, [&] {
      proposal.manifest = manifest_text(storage_, name);
      manifest = checked_manifest(protocol_, name, proposal.manifest, problem);
    });
    if (outcome != Outcome::done) return outcome;
    skip_damaged_record(problem, proposal);
    if (ranks_.joint == nullptr) return fill(proposal, std::move(manifest), problem);
    ranks_.joint->propose(proposal);
    return fill_together(proposal, std::move(manifest), problem);
  }

  void load_named() {
    Found problem;
    require_done(options_.name, try_load(options_.name, {}, problem), problem);
  }

  void load_chosen(const Proposal& chosen) {
    Found problem;
    Manifest manifest;
    Outcome outcome = try_reading(storage_, chosen.name, chosen.manifest, problem,
                                  [&] { manifest = parsed_manifest(chosen.name, chosen.manifest); });
    if (outcome == Outcome::done) outcome = fill(chosen, std::move(manifest), problem);
    require_done(chosen.name, outcome, problem);
  }

  // Tries the proposals of rank 0 until one can be loaded.
  void follow() {
    for (Outcome outcome = Outcome::failed; outcome != Outcome::done;) {
      const Proposal proposal = ranks_.joint->next();
      Found problem;
      outcome = fill_together(proposal, std::nullopt, problem);
    }
  }

 private:
  void require_done(const std::string& name, Outcome outcome, const Found& problem) const {
    if (outcome == Outcome::done) return;
    if (outcome == Outcome::removed) base::fail(Status::not_found, base::quote(name), " was removed during the read");
    if (problem.condition == Condition::damaged) note_bad(storage_, name);
    base::fail(problem.status, problem.problem);
  }

  // Determines the targets.
  void prepare(Candidate& candidate) {
    candidate.trees = prepare_trees(state_, candidate.manifest);
    candidate.names.emplace(candidate.manifest, options_, candidate.trees);
    candidate.differences = match(state_, candidate.manifest, *candidate.names, candidate.trees, options_);
  }

  // Reads the values that were equal on all ranks, and this rank's values if the number of ranks is the same.
  void read_values(Candidate& candidate) {
    const Manifest& manifest = candidate.manifest;
    std::vector<std::string> left_out;
    if (manifest.world_size == ranks_.ranks) {
      candidate.values = values_of_rank(storage_, candidate.proposal.name, manifest, ranks_.rank);
    } else {
      left_out = manifest.by_rank;
      candidate.values = manifest.values;
      for (const std::string& key : left_out) candidate.values.erase(key);
    }
    if (options_.partial) {
      for (const auto& [key, value] : state_.values())
        candidate.values.emplace(key, value);  // values missing in the checkpoint are kept
    }
    candidate.report = report_of(candidate.differences, candidate.proposal.skipped, left_out);
  }

  void note_result(const Candidate& candidate) {
    const Manifest& manifest = candidate.manifest;
    result_.name = candidate.proposal.name;
    result_.step = manifest.step;
    result_.commit_sequence = manifest.commit_sequence;
    result_.seed = manifest.seed;
    result_.world_size = manifest.world_size;
    result_.line = manifest.line;
    result_.bytes = total_bytes(manifest);
    result_.skipped = std::ssize(candidate.proposal.skipped);
    result_.missing = std::ssize(candidate.differences.missing);
    result_.unexpected = std::ssize(candidate.differences.unexpected);
    const std::string difference = environment_difference(
        manifest.environment, options_.compare_environment ? &options_.environment_json : nullptr, options_.blas);
    result_.environment_differs = !difference.empty();
    if (options_.blas.empty()) result_.blas_to_come = recorded_blas(manifest.environment);
    if (!result_.environment_differs) return;
    base::warn("state", cat("checkpoint ", base::quote(result_.name), ' ', difference, ": results may differ in their last bits"));
  }

  // A failure leaves some tensors written, so no other checkpoint is tried. If a file has changed since the check, it is damaged.
  void write(Filler& filler) {
    try {
      filler.write();
    } catch (const base::Error& error) {
      if (error.status() != Status::corrupt) throw;
      note_bad(storage_, result_.name);
      base::fail(Status::corrupt, error.message(), "; the file has changed since it was verified");
    }
    progress_.finish();
  }

  void finish(Candidate& candidate) noexcept {
    state_.replace_values(std::move(candidate.values));
    state_.set_load_report(std::move(candidate.report));
    result_.partly_filled = false;
    const bool all_read = !options_.partial && ranks_.ranks == 1 && !state_.has_sharded();
    if (options_.verify == Verify::full && all_read) note_good(storage_, result_.name);
  }

  Outcome fill(const Proposal& proposal, Manifest&& manifest, Found& problem) {
    Candidate candidate(proposal, std::move(manifest));
    prepare(candidate);
    std::unique_ptr<Filler> filler;
    if (candidate.manifest.is_of_many() || state_.has_sharded()) {
      filler = std::make_unique<ShardFilling>(storage_, proposal.name, options_, *candidate.names, progress_, result_.partly_filled,
                                              true);
    } else {
      filler = std::make_unique<Filling>(storage_, proposal.name, options_, *candidate.names, progress_, result_.partly_filled);
    }
    const Outcome outcome = try_reading(storage_, proposal.name, proposal.manifest, problem, [&] {
      filler->read(candidate.manifest, state_);
      read_values(candidate);
    });
    if (outcome != Outcome::done) return outcome;
    filler->require_fit();
    note_result(candidate);
    if (options_.before_filling) options_.before_filling();
    write(*filler);
    finish(candidate);
    return Outcome::done;
  }

  // manifest: nothing if only its text is known.
  Outcome fill_together(const Proposal& proposal, std::optional<Manifest> manifest, Found& problem) {
    JointLoad& joint = *ranks_.joint;
    std::optional<Candidate> candidate;
    std::optional<ShardFilling> filling;
    const auto unprepared = error_of([&] {
      if (!manifest) manifest = parsed_manifest(proposal.name, proposal.manifest);
      candidate.emplace(proposal, std::move(*manifest));
      prepare(*candidate);
      filling.emplace(storage_, proposal.name, options_, *candidate->names, progress_, result_.partly_filled, false);
      filling->plan(candidate->manifest, state_);
    });
    joint.run_collective([&] {
      joint.collective().agree(unprepared);
      filling->agree(joint.collective());
      filling->read_together(joint.collective());
    });
    Outcome outcome = Outcome::failed;
    const auto unfit = error_of([&] {
      filling->require_intact();  // not caused by the checkpoint: an older one must not be loaded instead
      outcome = try_reading(storage_, proposal.name, proposal.manifest, problem, [&] {
        filling->require_read();
        read_values(*candidate);
      });
      if (outcome != Outcome::done) return;
      filling->require_fit();
      note_result(*candidate);
    });
    outcome = joint.agree(outcome, problem, result_.partly_filled, unfit);
    if (outcome != Outcome::done) return outcome;
    joint.close(error_of([&] { write(*filling); }));
    finish(*candidate);
    return Outcome::done;
  }

  Protocol& protocol_;
  storage::Storage& storage_;
  State& state_;
  const LoadOptions& options_;
  const Ranks ranks_;
  base::Progress progress_{2};
  LoadResult result_;
};

// Finds the newest checkpoint that can be loaded while a writer may change the storage.
class Search {
 public:
  // See Loading::try_load.
  using Attempt = std::function<Outcome(const std::string& name, const std::vector<Found>& skipped, Found& problem)>;

  Search(Protocol& protocol, const LoadOptions& options, Attempt attempt)
      : protocol_(protocol), options_(options), attempt_(std::move(attempt)) {}

  void run() {
    for (int rounds = 1; rounds <= max_rounds; ++rounds) {
      const std::vector<Found> all = wanted_of(protocol_.list(bad_names(), {true, options_.step, {}}));
      again_ = false;
      if (load_first_usable(all)) return;
      if (!again_) fail_none(protocol_, all_with_problems(all), options_.step);
    }
    fail_too_many_restarts(protocol_.storage());
  }

 private:
  // A load by step also uses abandoned ones, after those of the line.
  std::vector<Found> wanted_of(std::vector<Found> all) const {
    if (options_.step) std::erase_if(all, [&](const Found& found) { return found.step != *options_.step; });
    return all;
  }
  bool may_load(const Found& found) const { return options_.step.has_value() || !found.abandoned; }

  // Checkpoints found to be bad in an earlier round need not be read again.
  std::set<std::string> bad_names() const {
    std::set<std::string> names;
    for (const auto& [name, found] : bad_) names.insert(name);
    return names;
  }

  bool load_first_usable(const std::vector<Found>& all) {
    std::vector<Found> skipped;
    for (const Found& found : all) {
      if (!may_load(found)) continue;
      if (found.condition == Condition::unfinished) continue;  // its save was not acknowledged
      const auto known = bad_.find(found.name);
      if (known != bad_.end()) {
        skipped.push_back(known->second);
      } else if (found.condition != Condition::complete) {
        skipped.push_back(found);
      } else {
        Found problem = found;
        const Outcome outcome = attempt_(found.name, skipped, problem);
        if (outcome == Outcome::done) {
          warn(found.name, skipped);
          return true;
        }
        again_ = true;
        // A newer checkpoint exists now. Do not load an older one.
        if (outcome == Outcome::removed || problem.condition == Condition::unfinished) return false;
        if (problem.condition == Condition::damaged) note_bad(protocol_.storage(), found.name);
        bad_.emplace(found.name, problem);
        skipped.push_back(std::move(problem));
      }
    }
    return false;
  }

  std::vector<Found> all_with_problems(std::vector<Found> all) const {
    for (Found& found : all) {
      if (const auto known = bad_.find(found.name); known != bad_.end()) found = known->second;
    }
    return all;
  }

  static void warn(const std::string& name, const std::vector<Found>& skipped) {
    for (const Found& bad : skipped) {
      base::warn("state",
                 cat("checkpoint ", base::quote(bad.name), " was skipped for the older ", base::quote(name), ": ", bad.problem));
    }
  }

  Protocol& protocol_;
  const LoadOptions& options_;
  const Attempt attempt_;
  std::map<std::string, Found> bad_;  // by name
  bool again_ = false;
};

// If an error ends the load on rank 0 alone, sends it to the other ranks.
template <class Body>
void run_as_leader(JointLoad& joint, Body&& body) {
  try {
    body();
  } catch (...) {
    const base::CurrentError current = base::current_error();
    const base::Error error(current.status, current.message);
    if (!joint.is_in_collective()) error_of([&] { joint.end(error); });
    throw;
  }
}

void load_any(Protocol& protocol, const LoadOptions& options, Loading& loading) {
  if (!options.name.empty()) return loading.load_named();
  Search(protocol, options, [&](const std::string& name, const std::vector<Found>& skipped, Found& problem) {
    return loading.try_load(name, skipped, problem);
  }).run();
}

}  // namespace

void require_one_choice(const LoadOptions& options) {
  base::require(options.name.empty() || !options.step, "name and step are both set; expected at most one of them");
}

LoadResult load_checkpoint(Protocol& protocol, State& state, const LoadOptions& options) {
  require_one_choice(options);
  Loading loading(protocol, state, options, {});
  return loading.run([&] { load_any(protocol, options, loading); });
}

LoadResult load_together(Protocol& protocol, State& state, const LoadOptions& options, JointLoad& joint) {
  Loading loading(protocol, state, options, {joint.collective().rank(), joint.collective().ranks(), &joint});
  return loading.run([&] {
    if (!joint.leads()) return loading.follow();
    run_as_leader(joint, [&] { load_any(protocol, options, loading); });
  });
}

Proposal choose_together(Protocol& protocol, const LoadOptions& options, JointLoad& joint) {
  if (!joint.leads()) return joint.next();
  Proposal chosen;
  const auto choose = [&](const std::string& name, const std::vector<Found>& skipped, Found& problem) {
    chosen = {name, "", skipped};
    const Outcome outcome = try_reading(protocol.storage(), name, chosen.manifest, problem, [&] {
      chosen.manifest = manifest_text(protocol.storage(), name);
      checked_manifest(protocol, name, chosen.manifest, problem);
    });
    if (outcome == Outcome::done) skip_damaged_record(problem, chosen);
    return outcome;
  };
  run_as_leader(joint, [&] {
    Found problem;
    if (options.name.empty()) {
      Search(protocol, options, choose).run();
    } else if (choose(options.name, {}, problem) != Outcome::done) {
      base::fail(problem.status, problem.problem);
    }
    joint.propose(chosen);
  });
  return chosen;
}

LoadResult load_chosen(Protocol& protocol, State& state, const LoadOptions& options, const Proposal& chosen, std::int64_t rank,
                       std::int64_t ranks) {
  Loading loading(protocol, state, options, {rank, ranks, nullptr});
  return loading.run([&] { loading.load_chosen(chosen); });
}

VerifyResult verify_checkpoint(Protocol& protocol, const std::string& name) {
  VerifyResult result;
  base::Progress progress;
  const std::string record_damage = read_one(protocol, name, [&](const std::string& directory, const Manifest& manifest) {
    result = {directory};
    progress.begin(total_bytes(manifest));
    if (manifest.is_of_many()) return verify_parts(protocol.storage(), directory, manifest, result, progress);
    OpenFiles files(protocol.storage(), result.name);
    for (const GroupRecord& group : manifest.groups) files.open_ahead(group);
    for (const GroupRecord& group : manifest.groups) {
      for (const FileRecord& record : group.files) {
        const auto file = files.take(record.name);
        reading(path_in(directory, record.name), [&] { verify_tensor_file(*file, record, tensors_of(group, record), &progress); });
        ++result.files;
        result.bytes += record.bytes;
      }
      result.tensors += static_cast<std::int64_t>(group.tensors.size());
    }
  });
  note_good(protocol.storage(), result.name);
  if (!record_damage.empty()) base::fail(Status::corrupt, record_damage, "; its files are intact");
  progress.finish();
  return result;
}

}  // namespace ckpt::state
