#include "state/ranks/rank_group.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "base/log.h"
#include "state/caught.h"
#include "state/checkpoint_files.h"
#include "state/placement_text.h"
#include "state/rank_names.h"
#include "state/ranks/broadcast_text.h"
#include "state/ranks/merge.h"
#include "state/ranks/opening.h"
#include "state/ranks/part_reads.h"
#include "state/ranks/rank_failure.h"
#include "state/record_text.h"
#include "state/save.h"

namespace ckpt::state {
namespace {

using base::cat;
using base::Json;
using base::Status;

// The announcement of rank 0 at the start of a save that no rank has rejected.
struct Opening {
  std::string attempt;
  bool is_agreed = false;                      // the agreement of an earlier save is still valid; otherwise the ranks agree again
  bool exchanges_blocks = true;                // the ranks agree again on which ranks have which blocks
  std::map<std::string, std::string> digests;  // of its values, by key
  std::int64_t generation = 0;
  bool rolled_back = false;
  bool metric_ignored = false;
};

std::string to_text(const Opening& opening) {
  base::JsonWriter out(base::NotUtf8::replaced);
  out.begin_object()
      .member("attempt", opening.attempt)
      .member("agreed", opening.is_agreed)
      .member("blocks", opening.exchanges_blocks)
      .member("generation", opening.generation)
      .member("rolled_back", opening.rolled_back)
      .member("metric_ignored", opening.metric_ignored);
  out.key("keys").begin_object();
  for (const auto& [key, digest] : opening.digests) out.member(key, digest);
  return std::move(out.end_object().end_object()).text();
}

Opening opening_of(const Json& all) {
  Opening opening{member_of(all, "attempt").string(),        member_of(all, "agreed").boolean(),
                  member_of(all, "blocks").boolean(),        {},
                  member_of(all, "generation").integer(),    member_of(all, "rolled_back").boolean(),
                  member_of(all, "metric_ignored").boolean()};
  for (const auto& [key, digest] : member_of(all, "keys").members()) opening.digests.emplace(key, digest.string());
  return opening;
}

// The values that must be the same on all ranks.
struct Alike {
  std::string options;
  Listing tensors;
};

// Returns this rank's reply before rank 0 opens the save: its error, if any, and digests of the values that must be the same.
Reply reply_to_open(const std::optional<base::Error>& mine, const Alike& alike, const Agreement* agreement) {
  Reply reply = reply_of(mine);
  reply.digests = {hash_of(alike.options), alike.tensors.digest};
  if (agreement == nullptr) return reply;
  reply.flags = 1;
  std::memcpy(reply.numbers.data(), &agreement->digest, sizeof agreement->digest);
  return reply;
}

bool has_agreement(const Reply& reply, const Agreement& agreement) {
  return reply.flags == 1 && std::memcmp(reply.numbers.data(), &agreement.digest, sizeof agreement.digest) == 0;
}

// On rank 0: returns the announcement that aborts the save if a rank rejects it or has different tensors or options; otherwise "".
std::string refusal_of(const std::vector<Reply>& replies, const Alike& alike, const std::optional<base::Error>& mine) {
  if (mine) return error_text(*mine);
  for (const Reply& reply : replies) {
    if (reply.status == 0) continue;
    base::JsonWriter out;
    out.begin_object().member("refused_by", &reply - replies.data()).member("code", reply.status);
    return std::move(out.end_object()).text();
  }
  for (const Reply& reply : replies) {
    if (reply.digests == replies[0].digests) continue;
    base::JsonWriter out(base::NotUtf8::replaced);
    out.begin_object()
        .member("unlike", &reply - replies.data())
        .member("options", alike.options)
        .member("tensors", alike.tensors.text);
    return std::move(out.end_object()).text();
  }
  return "";
}

// Throws on all ranks the rejection that rank 0 announced instead of an opening. mine: the error of the rejecting rank.
void throw_refusal(Collective& collective, const Json& all, const Alike& alike, const std::optional<base::Error>& mine) {
  if (const Json* const refused_by = all.find("refused_by")) {
    const std::int64_t rank = refused_by->integer();
    const Status status = sent_status(member_of(all, "code").integer());
    throw RankError(rank, status, collective.broadcast_text(mine ? mine->message() : "", rank));
  }
  if (const Json* const unlike = all.find("unlike")) {
    const std::int64_t rank = unlike->integer();
    std::string message = difference(alike.options, rank, member_of(all, "options").string(), 0);
    if (message.empty()) message = difference(alike.tensors.text, rank, member_of(all, "tensors").string(), 0);
    throw RankError(rank, Status::invalid_argument, collective.broadcast_text(message, rank));
  }
  if (const Json* const out_of_step = all.find("out_of_step")) {
    throw RankError(out_of_step->integer(), Status::invalid_state,
                    "ranks called different collectives: this rank did not take part in the previous save");
  }
}

std::map<std::string, std::string> digests_of(const std::map<std::string, std::string>& values) {
  std::map<std::string, std::string> digests;
  for (const auto& [key, text] : values) digests.emplace(key, to_hex(hash_of(text)));
  return digests;
}

// Collects the values that differ from rank 0's.
void compare_values(GroupSave& save, const State& state, const std::map<std::string, std::string>& digests_of_first) {
  for (const auto& [key, text] : state.values()) {
    const auto of_first = digests_of_first.find(key);
    if (of_first == digests_of_first.end() || of_first->second != to_hex(hash_of(text))) save.values.emplace(key, text);
  }
  for (const auto& [key, digest] : digests_of_first) {
    if (!state.values().contains(key)) save.absent.push_back(key);
  }
}

// Returns whether the current exception is the time-out of ranks that did not arrive. An error that a rank reports itself is not
// one, even with the status timeout.
bool is_handling_timeout() {
  try {
    throw;
  } catch (const RankError&) {
    return false;
  } catch (const base::Error& error) {
    return error.status() == Status::timeout;
  } catch (...) {
    return false;
  }
}

}  // namespace

RankGroup::RankGroup(Protocol& protocol, std::shared_ptr<Coordinator> coordinator, bool read_only, std::int64_t timeout_ns,
                     storage::Sleep sleep)
    : protocol_(protocol),
      storage_(protocol.storage()),
      coordinator_(std::move(coordinator)),
      read_only_(read_only),
      timeout_ns_(timeout_ns),
      sleep_(sleep ? std::move(sleep) : storage::sleep_ns),
      arrivals_(protocol_, {rank(), ranks()}, !read_only, sleep_) {}

// Log callbacks run on arbitrary threads, so a collective started inside one would never match on the other ranks.
Collective RankGroup::begin_collective() {
  if (base::is_inside_log_sink()) base::fail(Status::invalid_state, "collective calls are not allowed in a log callback");
  arrivals_.withdraw();
  return {*coordinator_, collective_timeout_ns()};
}

// ---- Open ----

void RankGroup::open(const std::function<void()>& open_alone) {
  Collective collective = begin_collective();
  try {
    agree_to_open(collective, read_only_, std::nullopt);
    if (!read_only_) arrivals_.set_run(open_shared(collective, protocol_, open_alone));
  } catch (...) {
    if (is_handling_timeout()) throw timeout_error("open", "");
    throw;
  }
}

base::Error RankGroup::timeout_error(std::string_view call, std::string_view outcome) {
  const std::string error = base::current_error().message;
  const std::string missing = arrivals_.missing(call, timeout_ns_ - collective_timeout_ns());
  return {Status::timeout, cat(missing.empty() ? "a rank" : missing, " did not arrive within ", timeout_ns_, " ns",
                               outcome.empty() ? ": " + error : cat("; ", outcome))};
}

// ---- Agree ----

const Agreement* RankGroup::still_agreed(const Listing& listing, const SaveOptions& options) {
  const bool must_agree_again = must_agree_again_.exchange(false) || options.check_replicas || agreement_ == nullptr ||
                                agreement_->listing.digest != listing.digest;
  return must_agree_again ? nullptr : agreement_.get();
}

// Accepts a save that no rank has rejected, and returns the announcement. Blocks may differ although the list of tensors is the
// same; this is irrelevant if each rank writes all of its blocks.
std::string RankGroup::open_save(GroupSave& save, Wanted& wanted, const Listing& listing, const std::vector<Reply>& replies,
                                 const Lead& lead) {
  const Agreement* const agreed = still_agreed(listing, wanted.options);
  for (const Reply& reply : replies) {
    if (agreed == nullptr || has_agreement(reply, *agreed)) continue;
    base::JsonWriter out;
    return std::move(out.begin_object().member("out_of_step", &reply - replies.data()).end_object()).text();
  }
  lead(wanted);
  const AcceptedSave& accepted = *wanted.options.accepted;
  save.options = wanted.options;
  save.attempt = protocol_.begin_attempt(wanted.options.prefix, wanted.options.step, accepted.mark());
  return to_text(Opening{save.attempt, agreed != nullptr, agreed == nullptr || agreed->has_identical_blocks(),
                         digests_of(wanted.state.values()), accepted.generation(), accepted.rolled_back(),
                         wanted.options.metric_ignored});
}

GroupSave RankGroup::agree(const std::function<Wanted()>& gather, const Lead& lead) {
  Collective collective = begin_collective();
  Wanted wanted;
  OwnBlocks own;
  GroupSave save;
  Alike alike;
  std::optional<base::Error> mine = error_of([&] {
    wanted = gather();
    save.options = wanted.options;
    alike = {options_text(wanted.options), listing_of(wanted.state)};
  });
  Opening opening;
  try {
    const std::vector<Reply> replies = collective.gather(reply_to_open(mine, alike, agreement_.get()));
    std::string text;
    if (leads()) text = refusal_of(replies, alike, mine);
    if (leads() && text.empty()) {
      const auto problem = error_of([&] { text = open_save(save, wanted, alike.tensors, replies, lead); });
      if (problem) text = error_text(*problem);
    }
    opening = read_broadcast(
        collective.broadcast_text(text),
        [&](const Json& all) {
          throw_refusal(collective, all, alike, mine);
          return opening_of(all);
        },
        [](const base::Error& error) { throw RankError(0, error.status(), error.message()); });
    save.attempt = opening.attempt;
    save.generation = opening.generation;
    save.rolled_back = opening.rolled_back;
    save.options.metric_ignored = opening.metric_ignored;  // the metric is rank 0's
    if (opening.exchanges_blocks) {
      mine = error_of([&] { own = own_blocks(wanted.state); });
      Agreement agreement = agree_on_blocks(collective, std::move(alike.tensors), own, mine);
      // Keep the object if it has not changed: the cached placement refers to it.
      if (agreement_ == nullptr || agreement.digest != agreement_->digest)
        agreement_ = std::make_shared<Agreement>(std::move(agreement));
      if (wanted.options.check_replicas) compare_replicas(collective, wanted.state, own, *agreement_);
    }
  } catch (...) {
    must_agree_again_ = true;
    if (is_handling_timeout()) throw timeout_error("save", "nothing was saved");
    if (leads() && !save.attempt.empty()) error_of([&] { storage_.remove_directory(save.attempt); });
    throw;
  }
  save.agreement = agreement_;
  save.place = std::make_shared<SaveOrder::Place>(order_);
  save.refusal = error_of([&] {
    compare_values(save, wanted.state, opening.digests);
    save.state = assign_shares(wanted.state, own, *save.agreement, rank());
  });
  return save;
}

// ---- Save ----

SaveResult RankGroup::save(GroupSave& save, SaveSource& source, bool is_in_background, const Commit& commit) {
  try {
    return is_in_background ? save_in_background(save, source, commit) : save_in_foreground(save, source, commit);
  } catch (...) {
    must_agree_again_ = true;  // a rank may have failed before it had the agreement
    throw;
  }
}

RankGroup::Share RankGroup::write_share(GroupSave& save, SaveSource& source, FileSaver& files) {
  if (save.refusal) throw base::Error(*save.refusal);
  if (!save.place->wait(source.stop.get())) base::fail(Status::cancelled, "cancelled");
  const bool may_link = protocol_.has_links() && save.options.incremental && !save.state->rarely_changing().empty();
  const std::optional<Earlier> earlier = may_link ? earlier_ : std::nullopt;
  files.require_space(*save.state, save.options.step, earlier);
  Part part;
  part.rank = rank();
  part.world_size = ranks();
  part.attempt = save.attempt;
  part.values = save.values;
  part.absent = save.absent;
  part.groups = files.write(*save.state, earlier);
  for (const GroupRecord& group : part.groups) {
    part.summary.files += std::ssize(group.files);
    for (const FileRecord& file : group.files) part.summary.file_bytes += file.bytes;
  }
  part.summary.layout = layout_digest(part.groups);
  for (const auto& [key, text] : part.values) part.summary.unlike.push_back(key);
  part.summary.unlike.insert(part.summary.unlike.end(), part.absent.begin(), part.absent.end());
  // The files' names must be durable before the part that lists them.
  storage_.sync_directory(save.attempt);
  if (!leads()) source.commit_point();
  const std::string text = to_text(part);
  files.write_text(part_name(rank(), ranks()), text);
  storage_.sync_directory(save.attempt);
  // Only groups that the next save may link are needed later.
  if (save.state->rarely_changing().empty()) part.groups.clear();
  save.state = std::make_shared<State>(State::of({}, save.state->values(), {}));
  return {std::move(part.groups),
          {{std::ssize(text), checksum_of_tail(text).value_or(Digest())}, std::move(part.summary)},
          files.linked(),
          files.rewritten()};
}

SaveResult RankGroup::save_in_foreground(GroupSave& save, SaveSource& source, const Commit& commit) {
  Collective collective = begin_collective();
  FileSaver files(protocol_, save.attempt, source, [&](const std::string& name) { return rank_file_name(name, rank(), ranks()); });
  Share share;
  const auto mine = error_of([&] { share = write_share(save, source, files); });
  Reply reply = reply_of(mine);
  reply.numbers = {share.tail.record.bytes, share.tail.summary.files, share.tail.summary.file_bytes,
                   std::ssize(share.tail.summary.unlike)};
  reply.digests = {share.tail.record.digest, share.tail.summary.layout};
  Collective::Numbers committed{};  // commit sequence, files, bytes
  std::optional<base::Error> failure;
  try {
    const std::vector<Reply> replies = collective.gather(reply);
    std::optional<base::Error> of_all;
    if (leads() && std::ranges::all_of(replies, [](const Reply& each) { return each.status == 0; })) {
      of_all = error_of([&] {
        std::vector<PartTail> tails;
        for (std::size_t i = 0; i < replies.size(); ++i) {
          const Reply& each = replies[i];
          tails.push_back({{each.numbers[0], each.digests[0]}, {each.numbers[1], each.numbers[2], each.digests[1], {}}});
          if (each.numbers[3] > 0) tails.back() = read_part_tail(storage_, save.attempt, static_cast<std::int64_t>(i), ranks());
        }
        Manifest manifest = gather_parts(save, tails);
        commit(manifest);
        cache_placement(save, manifest);
        committed = {manifest.commit_sequence, file_count(manifest), total_bytes(manifest)};
      });
    }
    failure = collective.first_error(replies, of_all, mine, &committed);
  } catch (const base::Error& error) {
    if (error.status() != Status::timeout) throw;
    throw save_timeout_error(save, arrivals_.missing("save", timeout_ns_ - collective_timeout_ns()));
  }
  if (failure) {
    // All have replied: no rank writes any more.
    if (leads()) protocol_.discard(save.attempt, true);
    throw base::Error(*failure);
  }
  return finish(save, std::move(share), committed[0], committed[1], committed[2]);
}

SaveResult RankGroup::save_in_background(GroupSave& save, SaveSource& source, const Commit& commit) {
  FileSaver files(protocol_, save.attempt, source, [&](const std::string& name) { return rank_file_name(name, rank(), ranks()); });
  try {
    Share share = write_share(save, source, files);
    std::int64_t sequence = 0;
    std::int64_t file_number = 0;
    std::int64_t bytes = 0;
    if (leads()) {
      wait_for_parts(save, source);
      Manifest manifest = gather_parts(save, read_part_tails(storage_, save.attempt, share.tail, ranks()));
      commit(manifest);
      cache_placement(save, manifest);
      sequence = manifest.commit_sequence;
      file_number = file_count(manifest);
      bytes = total_bytes(manifest);
      // All parts of this save exist, so every rank has ended the earlier saves.
      for (const std::string& attempt : take_failed()) protocol_.discard(attempt, true);
    } else {
      sequence = wait_for_commit(save, source);
      const std::string text = manifest_text(storage_, save.attempt);
      const Manifest manifest = parsed_manifest(save.attempt, text);
      file_number = file_count(manifest);
      bytes = total_bytes(manifest);
    }
    return finish(save, std::move(share), sequence, file_number, bytes);
  } catch (const RankError& error) {
    abandon(save, error);
    throw;
  } catch (...) {
    const base::CurrentError error = base::current_error();
    const RankError mine(rank(), error.status, error.message);
    abandon(save, mine);
    throw RankError(mine);
  }
}

void RankGroup::abandon(const GroupSave& save, const base::Error& error) noexcept {
  const auto* const known = dynamic_cast<const RankError*>(&error);
  log_error_of([&] {
    const bool is_others = known != nullptr;
    write_failure(protocol_, save.attempt, rank(),
                  {is_others ? known->rank() : rank(), error.status(), is_others ? known->plain() : error.message()});
    const std::lock_guard lock(failing_);
    if (leads()) failed_.push_back(save.attempt);
  });
}

std::vector<std::string> RankGroup::take_failed() {
  const std::lock_guard lock(failing_);
  return std::exchange(failed_, {});
}

SaveResult RankGroup::finish(GroupSave& save, Share&& share, std::int64_t commit_sequence, std::int64_t files, std::int64_t bytes) {
  earlier_ = Earlier{save.attempt, std::move(share.groups)};
  return {save.attempt,
          save.options.step,
          commit_sequence,
          files,
          bytes,
          share.linked,
          share.rewritten,
          share.tail.summary.file_bytes,
          save.generation,
          save.rolled_back,
          save.options.metric_ignored};
}

// ---- Rank 0 ----

Manifest RankGroup::gather_parts(const GroupSave& save, const std::vector<PartTail>& tails) {
  Manifest manifest = manifest_of(*save.state, save.options, 0);
  manifest.format_version = format_of_many;
  manifest.world_size = ranks();
  std::set<std::string> by_rank;
  std::vector<Digest> layouts;
  for (const PartTail& tail : tails) {
    manifest.parts.push_back(tail.record);
    manifest.part_files += tail.summary.files;
    manifest.part_file_bytes += tail.summary.file_bytes;
    by_rank.insert(tail.summary.unlike.begin(), tail.summary.unlike.end());
    layouts.push_back(tail.summary.layout);
  }
  manifest.by_rank.assign(by_rank.begin(), by_rank.end());
  const bool is_known = placement_agreement_ == save.agreement && layouts_ == layouts;
  placement_agreement_ = nullptr;  // moved to the manifest (they can be large) until its commit has succeeded
  if (is_known) {
    manifest.groups = std::move(cached_groups_);
    return manifest;
  }
  Merge merge(save.agreement->listing);
  for_each_part(storage_, save.attempt, manifest, [&](const Part& part) { merge.add(part); });
  manifest.groups = merge.finish();
  layouts_ = std::move(layouts);
  return manifest;
}

void RankGroup::cache_placement(const GroupSave& save, Manifest& manifest) {
  cached_groups_ = std::move(manifest.groups);
  placement_agreement_ = save.agreement;
}

// ---- Background saves ----

// Sleeps with growing pauses; occasionally refreshes the directory, which network file systems may cache.
void RankGroup::pause(std::int64_t& pause_ns, const std::string& attempt) const {
  constexpr std::int64_t longest_ns = 500'000'000;
  sleep_(pause_ns);
  if (pause_ns >= longest_ns) protocol_.refresh(attempt);
  pause_ns = std::min(longest_ns, 2 * pause_ns);
}

namespace {

constexpr std::int64_t first_pause_ns = 1'000'000;

// Files of the ranks in the directory of an attempt.
struct Seen {
  std::set<std::int64_t> parts;
  std::set<std::int64_t> failures;
};

Seen look(storage::Storage& storage, const std::string& directory, std::int64_t ranks) {
  Seen seen;
  for (const storage::Entry& entry : storage.list(directory)) {
    if (const auto rank = rank_of_part(entry.name, ranks)) seen.parts.insert(*rank);
    if (const auto rank = rank_of_failure(entry.name)) seen.failures.insert(*rank);
  }
  return seen;
}

[[noreturn]] void fail_by(const RankFailure& failure) { throw RankError(failure.rank, failure.status, failure.message); }

}  // namespace

void RankGroup::wait_for_parts(const GroupSave& save, const SaveSource& source) const {
  const Deadline deadline(timeout_ns_);
  for (std::int64_t pause_ns = first_pause_ns;; pause(pause_ns, save.attempt)) {
    storage::require_running(source.stop.get());
    const Seen seen = look(storage_, save.attempt, ranks());
    for (const std::int64_t of : seen.failures) {
      if (const auto failure = read_failure(storage_, save.attempt, of)) fail_by(*failure);
    }
    if (std::ssize(seen.parts) == ranks()) return;
    if (deadline.is_over()) throw save_timeout_error(save, ranks_without_part(save));
  }
}

std::int64_t RankGroup::wait_for_commit(const GroupSave& save, const SaveSource& source) const {
  const Deadline deadline(timeout_ns_);
  for (std::int64_t pause_ns = first_pause_ns;; pause(pause_ns, save.attempt)) {
    storage::require_running(source.stop.get());
    if (const auto sequence = protocol_.committed_sequence(save.attempt)) return *sequence;
    if (const auto failure = read_failure(storage_, save.attempt, 0)) fail_by(*failure);
    if (deadline.is_over()) throw save_timeout_error(save, ranks_without_part(save));
  }
}

// ---- Time-outs ----

// For background saves: returns the ranks without a part; "" if they are not known.
std::string RankGroup::ranks_without_part(const GroupSave& save) const {
  std::string missing;
  const auto problem = error_of([&] {
    missing = missing_of(look(storage_, save.attempt, ranks()).parts, ranks());
    if (missing.empty() && !leads()) missing = "rank 0";
  });
  return problem ? "" : missing;
}

// missing: "" if not known. If rank 0 is missing, it may have been killed after its commit.
base::Error RankGroup::save_timeout_error(const GroupSave& save, const std::string& missing) const {
  const bool is_open = missing.empty() || missing == "rank 0" || missing.starts_with("rank 0,");
  return {Status::timeout, cat(missing.empty() ? "a rank" : missing, " did not arrive within ", timeout_ns_, " ns; ",
                               base::quote(save.attempt), is_open ? " may or may not be committed" : " is not committed")};
}

}  // namespace ckpt::state
