#include "state/ranks/team.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <set>
#include <utility>

#include "base/log.h"
#include "state/catalog.h"
#include "state/commit_record.h"
#include "state/name.h"
#include "state/ranks/announced.h"
#include "state/ranks/merge.h"
#include "state/ranks/part_reads.h"
#include "state/ranks/placement_text.h"
#include "state/ranks/verdict.h"
#include "state/record_text.h"

namespace ckpt::state {
namespace {

using base::cat;
using base::Status;
using nlohmann::json;

// What rank 0 says first in a save.
struct Opening {
  std::string attempt;
  std::string options;
  Digest listing;
  std::optional<Digest> agreed;                // what an earlier save's ranks agreed on; nothing: they agree anew
  bool asks_blocks = true;                     // on who has which blocks, they do
  std::map<std::string, std::string> digests;  // of its values, by key
  std::int64_t generation = 0;
  bool rolled_back = false;
};

std::string to_text(const Opening& opening) {
  return announced_text(json{{"attempt", opening.attempt},
                             {"options", opening.options},
                             {"listing", to_hex(opening.listing)},
                             {"agreed", opening.agreed ? to_hex(*opening.agreed) : ""},
                             {"blocks", opening.asks_blocks},
                             {"keys", opening.digests},
                             {"generation", opening.generation},
                             {"rolled_back", opening.rolled_back}});
}

Opening opening_of(const json& all) {
  return {all.at("attempt").get<std::string>(),
          all.at("options").get<std::string>(),
          digest_from_hex(all.at("listing").get<std::string>()).value_or(Digest()),
          digest_from_hex(all.at("agreed").get<std::string>()),
          all.at("blocks").get<bool>(),
          all.at("keys").get<std::map<std::string, std::string>>(),
          all.at("generation").get<std::int64_t>(),
          all.at("rolled_back").get<bool>()};
}

std::map<std::string, std::string> digests_of(const std::map<std::string, std::string>& values) {
  std::map<std::string, std::string> digests;
  for (const auto& [key, text] : values) digests.emplace(key, to_hex(hash_of(text)));
  return digests;
}

// What of this rank's values is not as rank 0's.
void compare_values(TeamSave& save, const State& state, const std::map<std::string, std::string>& digests_of_first) {
  for (const auto& [key, text] : state.values()) {
    const auto of_first = digests_of_first.find(key);
    if (of_first == digests_of_first.end() || of_first->second != to_hex(hash_of(text))) save.values.emplace(key, text);
  }
  for (const auto& [key, digest] : digests_of_first) {
    if (!state.values().contains(key)) save.absent.push_back(key);
  }
}

// Blocks may be others although the list of tensors is the same: that is of no matter to ranks that write all of theirs.
Opening make_opening(const std::string& attempt, const Listing& listing, const std::string& options, const State& state,
                     const Agreement* agreed) {
  Opening opening{attempt, options, listing.digest, {}, agreed == nullptr || agreed->has_alike(), digests_of(state.values())};
  if (agreed != nullptr) opening.agreed = agreed->digest;
  return opening;
}

void verify_token(storage::Storage& storage, const std::string& path, const std::string& text) {
  const std::string found = read_text(*storage.open(path), 4096);
  if (found != text) base::fail(Status::not_found, path, " has other bytes");
}

std::string random_hex() {
  std::random_device random;
  std::string out;
  for (int i = 0; i < 16; ++i) out += "0123456789abcdef"[random() & 15];
  return out;
}

// Of ranks that did not come; what one of them says of itself is no lateness, whatever its status.
bool is_handling_lateness() {
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

constexpr std::string_view token_prefix = ".shared-";

// What each rank takes itself for (number and world size), compared by rank 0 with the place where its word came from.
std::optional<base::Error> misplaced(const std::vector<Reply>& replies) {
  const std::int64_t ranks = std::ssize(replies);
  for (std::int64_t of = 0; of < ranks; ++of) {
    const auto& numbers = replies[static_cast<std::size_t>(of)].numbers;
    if (numbers[0] == of && numbers[1] == ranks) continue;
    return base::Error(Status::invalid_argument,
                       cat("coordinator: rank ", of, " of ", ranks, " takes itself for rank ", numbers[0], " of ", numbers[1]));
  }
  return std::nullopt;
}

}  // namespace

Team::Team(std::shared_ptr<storage::Storage> storage, std::shared_ptr<Coordinator> coordinator, std::int64_t timeout_ns,
           storage::Sleep sleep)
    : storage_(std::move(storage)),
      coordinator_(std::move(coordinator)),
      timeout_ns_(timeout_ns),
      sleep_(sleep ? std::move(sleep) : storage::sleep_ns) {}

// A log callback comes when it comes, on any thread: no other rank would meet this one there.
Meeting Team::meet(std::int64_t timeout_ns) const {
  if (base::is_inside_log_sink())
    base::fail(Status::invalid_state, "a log callback cannot make a call that all ranks make together");
  return {*coordinator_, timeout_ns};
}

// ---- Open ----

void Team::open(const std::function<void()>& open_alone) {
  Meeting meeting = meet();
  std::string path;
  const std::string text = leads() ? random_hex() : "";
  std::optional<base::Error> mine;
  if (leads()) {
    mine = error_of([&] {
      open_alone();
      if (!storage_->is_objects()) {  // of runs that were killed while they opened
        for (const storage::Entry& entry : storage_->list("")) {
          if (entry.name.starts_with(token_prefix)) storage_->remove(entry.name);
        }
      }
      const std::string token = storage_->is_objects() ? cat(probes_prefix, text) : cat(token_prefix, text);
      const auto file = storage_->create_stream(token, {std::ssize(text), nullptr});
      path = token;
      file->write(0, std::as_bytes(std::span(text)));
      file->sync();
    });
  }
  Reply reply = reply_of(mine);
  reply.numbers = {rank(), ranks(), 0, 0};
  const std::vector<Reply> replies = meeting.collect(reply);
  auto verdict = meeting.verdict(replies, misplaced(replies), mine);
  if (!verdict) {
    const std::string all_path = meeting.announce(path);
    const std::string all_text = meeting.announce(text);
    if (!leads()) mine = error_of([&] { verify_token(*storage_, all_path, all_text); });
    if (mine && mine->status() == Status::not_found) {
      mine = base::Error(Status::invalid_argument, cat("storage ", base::quote(storage_->name()),
                                                       " is not shared: it has not the file that rank 0 has made"));
    }
    verdict = meeting.verdict(mine);
  }
  if (!path.empty()) {
    const auto problem = error_of([&] { storage_->remove(path); });
    if (problem) base::warn("state", cat(path, " stays: ", problem->message()));
  }
  if (verdict) throw base::Error(*verdict);
}

// ---- Agree ----

const Agreement* Team::still_agreed(const Listing& listing, const SaveOptions& options) {
  const bool is_anew = agrees_anew_.exchange(false) || options.check_replicas || agreement_ == nullptr ||
                       agreement_->listing.digest != listing.digest;
  return is_anew ? nullptr : agreement_.get();
}

TeamSave Team::agree(const std::function<Wanted()>& gather) {
  Meeting meeting = meet(time_to_meet());
  Wanted wanted;
  Listing listing;
  OwnBlocks own;
  std::string options;
  TeamSave save;
  std::optional<base::Error> mine = error_of([&] {
    wanted = gather();
    save.options = wanted.options;
    listing = listing_of(wanted.state);
    options = options_text(wanted.options);
    if (!leads()) return;
    const AcceptedSave& accepted = *wanted.options.accepted;
    save.attempt = make_attempt(*storage_, wanted.options.prefix, wanted.options.step, accepted.mark());
    save.generation = accepted.generation();
    save.rolled_back = accepted.rolled_back();
  });
  Opening opening;
  try {
    if (leads() && !mine) {
      opening = make_opening(save.attempt, listing, options, wanted.state, still_agreed(listing, wanted.options));
      opening.generation = save.generation;
      opening.rolled_back = save.rolled_back;
    }
    const std::string text = meeting.announce(!leads() ? "" : mine ? announced_text(*mine) : to_text(opening));
    opening =
        read_announced(text, opening_of, [](const base::Error& error) { throw RankError(0, error.status(), error.message()); });
    save.attempt = opening.attempt;
    save.generation = opening.generation;
    save.rolled_back = opening.rolled_back;
    const auto refuse = [&](Status status, const std::string& why) {
      if (!mine) mine = base::Error(status, why);
    };
    if (options != opening.options) refuse(Status::invalid_argument, difference(options, rank(), opening.options, 0));
    if (!opening.agreed) {
      const std::string theirs = meeting.announce(listing.text);
      if (theirs != listing.text) refuse(Status::invalid_argument, difference(listing.text, rank(), theirs, 0));
    } else if (agreement_ == nullptr || agreement_->digest != *opening.agreed) {
      refuse(Status::invalid_state, "the ranks are out of step: this one has not taken part in the save before");
    } else if (listing.digest != opening.listing) {
      refuse(Status::invalid_argument, difference(listing.text, rank(), agreement_->listing.text, 0));
    }
    if (opening.asks_blocks) {
      if (!mine) mine = error_of([&] { own = own_blocks(wanted.state); });
      Agreement agreement = agree_on_blocks(meeting, std::move(listing), own, mine);
      // Where the blocks lie is known for as long as it is the same one.
      if (agreement_ == nullptr || agreement.digest != agreement_->digest)
        agreement_ = std::make_shared<Agreement>(std::move(agreement));
      if (wanted.options.check_replicas) compare_replicas(meeting, wanted.state, own, *agreement_);
    }
  } catch (...) {
    agrees_anew_ = true;
    if (is_handling_lateness()) throw lateness_of_agreement(save);
    if (leads() && !save.attempt.empty()) error_of([&] { storage_->remove_directory(save.attempt); });
    throw;
  }
  save.agreement = agreement_;
  save.turn = std::make_shared<Turns::Turn>(turns_);
  if (!mine) {
    mine = error_of([&] {
      compare_values(save, wanted.state, opening.digests);
      save.state = share_out(wanted.state, own, *save.agreement, rank());
    });
  }
  save.refusal = std::move(mine);
  return save;
}

// ---- Save ----

SaveResult Team::save(TeamSave& save, SaveSource& source, bool is_in_background, const Commit& commit, const Discard& discard) {
  try {
    return is_in_background ? save_apart(save, source, commit, discard) : save_together(save, source, commit, discard);
  } catch (...) {
    agrees_anew_ = true;  // a rank may have failed before it knew what was agreed on
    throw;
  }
}

Team::Share Team::write_share(TeamSave& save, SaveSource& source, FileSaver& files) {
  if (save.refusal) throw base::Error(*save.refusal);
  if (!save.turn->wait(source.stop.get())) base::fail(Status::cancelled, "cancelled");
  const bool may_link = save.options.incremental && !save.state->rarely_changing().empty();
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
  // The files' names are durable before the part that vouches for them can be.
  storage_->sync_directory(save.attempt);
  if (!leads()) source.commit_point();
  const std::string text = to_text(part);
  files.write_text(part_name(rank(), ranks()), text);
  storage_->sync_directory(save.attempt);
  // What was written is not looked at again, but for groups that may be linked next time.
  if (save.state->rarely_changing().empty()) part.groups.clear();
  save.state = std::make_shared<State>(State::of({}, save.state->values(), {}));
  return {std::move(part.groups),
          {{std::ssize(text), checksum_of_tail(text).value_or(Digest())}, std::move(part.summary)},
          files.linked(),
          files.rewritten()};
}

SaveResult Team::save_together(TeamSave& save, SaveSource& source, const Commit& commit, const Discard& discard) {
  Meeting meeting = meet(time_to_meet());
  FileSaver files(*storage_, save.attempt, source, [&](const std::string& name) { return rank_file_name(name, rank(), ranks()); });
  Share share;
  const auto mine = error_of([&] { share = write_share(save, source, files); });
  Reply reply = reply_of(mine);
  reply.numbers = {share.tail.record.bytes, share.tail.summary.files, share.tail.summary.file_bytes,
                   std::ssize(share.tail.summary.unlike)};
  reply.digests = {share.tail.record.digest, share.tail.summary.layout};
  struct Committed {
    std::int64_t commit_sequence = 0;
    std::int64_t files = 0;
    std::int64_t bytes = 0;
  } committed;
  std::optional<base::Error> verdict;
  try {
    const std::vector<Reply> replies = meeting.collect(reply);
    std::optional<base::Error> of_all;
    if (leads() && std::ranges::all_of(replies, [](const Reply& each) { return each.status == 0; })) {
      of_all = error_of([&] {
        std::vector<PartTail> tails;
        for (std::size_t i = 0; i < replies.size(); ++i) {
          const Reply& each = replies[i];
          tails.push_back({{each.numbers[0], each.digests[0]}, {each.numbers[1], each.numbers[2], each.digests[1], {}}});
          if (each.numbers[3] > 0) tails.back() = read_part_tail(*storage_, save.attempt, static_cast<std::int64_t>(i), ranks());
        }
        Manifest manifest = gather_parts(save, tails);
        commit(files, manifest);
        keep_placed(save, manifest);
        committed = {manifest.commit_sequence, file_count(manifest), total_bytes(manifest)};
      });
    }
    verdict = meeting.verdict(replies, of_all, mine);
    if (!verdict) meeting.broadcast(std::as_writable_bytes(std::span(&committed, 1)), 0);
  } catch (const base::Error& error) {
    if (error.status() != Status::timeout) throw;
    throw lateness(save, false);
  }
  if (verdict) {
    // All have replied: none of them writes any more.
    if (leads()) discard(save.attempt);
    throw base::Error(*verdict);
  }
  return finish(save, std::move(share), committed.commit_sequence, committed.files, committed.bytes);
}

SaveResult Team::save_apart(TeamSave& save, SaveSource& source, const Commit& commit, const Discard& discard) {
  FileSaver files(*storage_, save.attempt, source, [&](const std::string& name) { return rank_file_name(name, rank(), ranks()); });
  try {
    Share share = write_share(save, source, files);
    std::int64_t sequence = 0;
    std::int64_t file_number = 0;
    std::int64_t bytes = 0;
    if (leads()) {
      wait_for_parts(save, source);
      Manifest manifest = gather_parts(save, read_part_tails(*storage_, save.attempt, share.tail, ranks()));
      commit(files, manifest);
      keep_placed(save, manifest);
      sequence = manifest.commit_sequence;
      file_number = file_count(manifest);
      bytes = total_bytes(manifest);
      // All parts of this one are there, so every rank has ended those before it.
      for (const std::string& attempt : take_failed()) discard(attempt);
    } else {
      sequence = wait_for_commit(save, source);
      const std::string text = manifest_text(*storage_, save.attempt);
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

void Team::abandon(const TeamSave& save, const base::Error& error) noexcept {
  const auto* const known = dynamic_cast<const RankError*>(&error);
  const auto problem = error_of([&] {
    const bool is_others = known != nullptr;
    leave_verdict(*storage_, save.attempt, rank(),
                  {is_others ? known->rank() : rank(), error.status(), is_others ? known->plain() : error.message()});
    const std::lock_guard lock(failing_);
    if (leads()) failed_.push_back(save.attempt);
  });
  if (problem) base::warn("state", problem->message());
}

std::vector<std::string> Team::take_failed() {
  const std::lock_guard lock(failing_);
  return std::exchange(failed_, {});
}

SaveResult Team::finish(TeamSave& save, Share&& share, std::int64_t commit_sequence, std::int64_t files, std::int64_t bytes) {
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

Manifest Team::gather_parts(const TeamSave& save, const std::vector<PartTail>& tails) {
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
  const bool is_known = placed_for_ == save.agreement && layouts_ == layouts;
  placed_for_ = nullptr;  // until a commit has succeeded with them: they are lent to the manifest, for there may be many
  if (is_known) {
    manifest.groups = std::move(placed_);
    return manifest;
  }
  Merge merge(save.agreement->listing);
  for_each_part(*storage_, save.attempt, manifest, [&](const Part& part) { merge.add(part); });
  manifest.groups = merge.finish();
  layouts_ = std::move(layouts);
  return manifest;
}

void Team::keep_placed(const TeamSave& save, Manifest& manifest) {
  placed_ = std::move(manifest.groups);
  placed_for_ = save.agreement;
}

// ---- Waiting for others, in the background ----

// Pauses grow; machines that show directories late are made to look now and then.
void Team::pause(std::int64_t& pause_ns, const std::string& attempt) const {
  constexpr std::int64_t longest_ns = 500'000'000;
  sleep_(pause_ns);
  if (pause_ns >= longest_ns) see_changes(*storage_, attempt);
  pause_ns = std::min(longest_ns, 2 * pause_ns);
}

namespace {

constexpr std::int64_t first_pause_ns = 1'000'000;

// What the ranks have left in a directory.
struct Seen {
  std::set<std::int64_t> parts;
  std::set<std::int64_t> verdicts;
};

Seen look(storage::Storage& storage, const std::string& directory, std::int64_t ranks) {
  Seen seen;
  for (const storage::Entry& entry : storage.list(directory)) {
    if (const auto rank = rank_of_part(entry.name, ranks)) seen.parts.insert(*rank);
    if (const auto rank = rank_of_verdict(entry.name)) seen.verdicts.insert(*rank);
  }
  return seen;
}

std::string missing_of(const std::set<std::int64_t>& seen, std::int64_t ranks) {
  constexpr int most_named = 8;
  std::string out;
  int named = 0;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    if (seen.contains(rank)) continue;
    if (++named > most_named) return out + ", ...";
    out += cat(out.empty() ? "rank " : ", ", rank);
  }
  return out;
}

[[noreturn]] void fail_by(const Verdict& verdict) { throw RankError(verdict.rank, verdict.status, verdict.message); }

}  // namespace

void Team::wait_for_parts(const TeamSave& save, const SaveSource& source) const {
  const Patience patience(timeout_ns_);
  for (std::int64_t pause_ns = first_pause_ns;; pause(pause_ns, save.attempt)) {
    storage::require_running(source.stop.get());
    const Seen seen = look(*storage_, save.attempt, ranks());
    for (const std::int64_t of : seen.verdicts) {
      if (const auto verdict = find_verdict(*storage_, save.attempt, of)) fail_by(*verdict);
    }
    if (std::ssize(seen.parts) == ranks()) return;
    if (patience.is_over()) throw lateness(save, true);
  }
}

// Nothing until the manifest is there and, on an object store, its commit record. On disk it is made durable here, too: rank 0 may
// have been killed before it did.
std::optional<std::int64_t> Team::committed_sequence(const TeamSave& save) const {
  constexpr std::size_t beginning = 4096;  // the sequence is among the first members
  constexpr std::string_view member = "\"commit_sequence\":";
  const std::string path = path_in(save.attempt, manifest_name);
  try {
    const auto file = storage_->open(path);
    std::string text(beginning, '\0');
    text.resize(static_cast<std::size_t>(file->read(0, std::as_writable_bytes(std::span(text)))));
    const std::size_t begin = text.find(member);
    const auto sequence =
        begin == std::string::npos ? std::nullopt : JsonView(std::string_view(text).substr(begin + member.size())).count();
    if (!sequence) base::fail(Status::corrupt, path, " has no commit_sequence");
    const auto number = static_cast<std::int64_t>(*sequence);
    if (!storage_->is_objects()) {
      storage_->sync_directory(save.attempt);
      storage_->sync_directory("");
      return number;
    }
    for (const std::string& record : {commit_path(number), commit_path(number, save.attempt)}) {
      try {
        if (read_commit_record(*storage_, record).attempt == save.attempt) return number;
      } catch (const base::Error& error) {
        if (error.status() != Status::not_found) throw;
      }
    }
  } catch (const base::Error& error) {
    if (error.status() != Status::not_found) throw;
  }
  return std::nullopt;
}

std::int64_t Team::wait_for_commit(const TeamSave& save, const SaveSource& source) const {
  const Patience patience(timeout_ns_);
  for (std::int64_t pause_ns = first_pause_ns;; pause(pause_ns, save.attempt)) {
    storage::require_running(source.stop.get());
    if (const auto sequence = committed_sequence(save)) return *sequence;
    if (const auto verdict = find_verdict(*storage_, save.attempt, 0)) fail_by(*verdict);
    if (patience.is_over()) throw lateness(save, true);
  }
}

// ---- Who has not come ----

// Those who wait in vain leave a word of it in the directory of the attempt: who has left none has not come.
std::string Team::missing_ranks(const std::string& attempt, const Patience& patience) const {
  leave_verdict(*storage_, attempt, rank(), {rank(), Status::timeout, "has waited for the others in vain"});
  Seen seen;
  for (std::int64_t pause_ns = first_pause_ns;; pause(pause_ns, attempt)) {
    seen = look(*storage_, attempt, ranks());
    if (std::ssize(seen.verdicts) + 1 >= ranks() || patience.is_over()) break;
  }
  return missing_of(seen.verdicts, ranks());
}

// The one that rank 0 has begun, for a rank that its word has not reached; "" when that is not known.
std::string Team::begun_attempt(const SaveOptions& options) const {
  std::string found;
  const std::string name = attempt_name(options.prefix, options.step, 0);
  const std::string_view beginning = std::string_view(name).substr(0, name.rfind('-') + 1);
  for (const storage::Entry& entry : storage_->list("")) {
    if (!entry.name.starts_with(beginning) || has_manifest(*storage_, entry.name)) continue;
    if (!found.empty()) return "";
    found = entry.name;
  }
  return found;
}

// While the error is handled.
base::Error Team::lateness_of_agreement(const TeamSave& save) const {
  std::string who;
  error_of([&] {
    const Patience patience(timeout_ns_ - time_to_meet());
    std::string attempt = save.attempt;
    // On an object store there is something in its directory when rank 0 waits in vain itself.
    for (std::int64_t pause_ns = first_pause_ns; attempt.empty() && !patience.is_over(); pause(pause_ns, ""))
      attempt = begun_attempt(save.options);
    if (!attempt.empty()) who = missing_ranks(attempt, patience);
  });
  if (who.empty()) return {Status::timeout, base::current_error().message};
  return {Status::timeout, cat(who, " did not come within ", timeout_ns_, " ns; nothing was saved")};
}

// In the background it is who has left no part. In the foreground a rank may have gone behind its part.
base::Error Team::lateness(const TeamSave& save, bool is_in_background) const {
  std::string who;
  const auto problem = error_of([&] {
    if (!is_in_background) {
      who = missing_ranks(save.attempt, Patience(timeout_ns_ - time_to_meet()));
      return;
    }
    who = missing_of(look(*storage_, save.attempt, ranks()).parts, ranks());
    if (who.empty() && !leads()) who = "rank 0";
  });
  // Rank 0 may have been killed behind its commit.
  const bool is_open = problem || who.empty() || who == "rank 0" || who.starts_with("rank 0,");
  if (problem || who.empty()) who = "a rank";
  return {Status::timeout, cat(who, " did not come within ", timeout_ns_, " ns; ", base::quote(save.attempt),
                               is_open ? " may be a checkpoint or not" : " is no checkpoint")};
}

}  // namespace ckpt::state
