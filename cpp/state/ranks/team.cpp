#include "state/ranks/team.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <set>
#include <utility>

#include "base/clock.h"
#include "base/json_tree.h"
#include "base/log.h"
#include "state/catalog.h"
#include "state/commit_record.h"
#include "state/name.h"
#include "state/ranks/merge.h"
#include "state/ranks/placement_text.h"
#include "state/ranks/split.h"
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
  bool is_fresh = true;                        // the ranks agree anew
  std::map<std::string, std::string> digests;  // of its values, by key
};

std::string to_text(const Opening& opening) {
  return json{{"attempt", opening.attempt},
              {"options", opening.options},
              {"listing", to_hex(opening.listing)},
              {"fresh", opening.is_fresh},
              {"keys", opening.digests}}
      .dump();
}

std::string error_text(const base::Error& error) {
  return json{{"status", static_cast<std::int32_t>(error.status())}, {"message", error.message()}}.dump(
      -1, ' ', false, json::error_handler_t::replace);
}

Opening read_opening(const std::string& text) {
  const json all = json::parse(text, nullptr, false);
  if (all.is_discarded()) base::fail(Status::invalid_state, "rank 0 did not announce a save: the ranks are out of step");
  if (all.contains("status"))
    throw RankError(0, static_cast<Status>(all["status"].get<std::int32_t>()), all["message"].get<std::string>());
  return {all.at("attempt").get<std::string>(), all.at("options").get<std::string>(),
          digest_from_hex(all.at("listing").get<std::string>()).value_or(Digest()), all.at("fresh").get<bool>(),
          all.at("keys").get<std::map<std::string, std::string>>()};
}

std::map<std::string, std::string> digests_of(const std::map<std::string, std::string>& values) {
  std::map<std::string, std::string> digests;
  for (const auto& [key, text] : values) digests.emplace(key, to_hex(hash_of(text)));
  return digests;
}

// A view of consecutive elements, which keeps the tensor alive.
std::shared_ptr<tensor::Tensor> view_of(const std::shared_ptr<tensor::Tensor>& whole, const Box& box) {
  const auto dimensions = whole->shape().dimensions();
  const std::int64_t position = position_in(whole_box({dimensions.begin(), dimensions.end()}), box.offsets);
  std::byte* const data = whole->byte_span().data() + position * tensor::dtype_bits(whole->dtype()) / 8;
  return tensor::Tensor::borrow(
      data, whole->dtype(), tensor::Shape(std::span(box.lengths)), [held = whole] { static_cast<void>(held); }, true);
}

// The blocks that one rank writes of one group.
class Shared {
 public:
  explicit Shared(const StateGroup& group) {
    out_.name = group.name;
    out_.bytes_of_chunk = shard_chunk_bytes;
    out_.tensors.reserve(group.tensors.size() + group.sharded.size());
    for (const StateTensor& item : group.tensors) taken_.insert(item.name);
    for (const ShardedTensor& item : group.sharded) taken_.insert(item.name);
  }

  void add(const std::string& name, const Lengths& shape, const Box& box, std::shared_ptr<tensor::Tensor> tensor,
           std::shared_ptr<tensor::Tensor> view_of = {}) {
    if (box.is_empty()) return;
    StateTensor item{name, std::move(tensor), {}, {}, std::move(view_of)};
    if (box != whole_box(shape)) {
      item.of = name;
      item.offsets = box.offsets;
    }
    // The first block has the tensor's name; no other one may have it.
    if (!begun_.insert(name).second) {
      for (std::int64_t copy = 2; !taken_.insert(item.name = cat(name, '~', copy)).second;) ++copy;
    }
    out_.tensors.push_back(std::move(item));
  }

  StateGroup take() { return std::move(out_); }

 private:
  StateGroup out_;
  std::set<std::string> taken_;
  std::set<std::string> begun_;
};

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
Meeting Team::meet() const {
  if (base::is_inside_log_sink())
    base::fail(Status::invalid_state, "a log callback cannot make a call that all ranks make together");
  return {*coordinator_, timeout_ns_};
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
      mine = base::Error(Status::invalid_argument, cat("storage ", base::quoted(storage_->name()),
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

TeamSave Team::agree(const std::function<Wanted()>& gather) {
  Meeting meeting = meet();
  Wanted wanted;
  Listing listing;
  std::string options;
  TeamSave save;
  std::optional<base::Error> mine = error_of([&] {
    wanted = gather();
    listing = listing_of(wanted.state);
    options = options_text(wanted.options);
    if (leads()) save.attempt = make_attempt(*storage_, wanted.options.prefix, wanted.options.step);
  });
  const bool is_fresh = agreement_ == nullptr || agreement_->listing.digest != listing.digest || wanted.options.check_replicas;
  const Opening opening = read_opening(
      meeting.announce(!leads() ? ""
                       : mine   ? error_text(*mine)
                                : to_text({save.attempt, options, listing.digest, is_fresh, digests_of(wanted.state.values())})));
  try {
    save.attempt = opening.attempt;
    if (!mine && options != opening.options)
      mine = base::Error(Status::invalid_argument, difference(options, rank(), opening.options, 0));
    if (opening.is_fresh) {
      const std::string theirs = meeting.announce(listing.text);
      if (!mine && theirs != listing.text)
        mine = base::Error(Status::invalid_argument, difference(listing.text, rank(), theirs, 0));
      auto bytes = own_bytes(meeting, wanted.state, mine);
      if (wanted.options.check_replicas) compare_replicas(meeting, wanted.state, listing);
      agreement_ = std::make_shared<Agreement>(Agreement{std::move(listing), std::move(bytes)});
    } else if (!mine && listing.digest != opening.listing) {
      mine = base::Error(Status::invalid_argument, agreement_ == nullptr
                                                       ? "the ranks are out of step"
                                                       : difference(listing.text, rank(), agreement_->listing.text, 0));
    }
  } catch (...) {
    if (leads()) error_of([&] { storage_->remove_directory(save.attempt); });
    throw;
  }
  save.agreement = agreement_;
  save.turn = std::make_shared<Turns::Turn>(turns_);
  if (mine) {
    save.refusal = std::move(mine);
    return save;
  }
  for (const auto& [key, text] : wanted.state.values()) {
    const auto of_first = opening.digests.find(key);
    if (of_first == opening.digests.end() || of_first->second != to_hex(hash_of(text))) save.values.emplace(key, text);
  }
  for (const auto& [key, digest] : opening.digests) {
    if (!wanted.state.values().contains(key)) save.absent.push_back(key);
  }
  save.options = std::move(wanted.options);
  share_out(save, wanted.state);
  return save;
}

// What each rank writes of sharded tensors; with that, the ranks' agreement so far.
std::vector<std::int64_t> Team::own_bytes(Meeting& meeting, const State& state, const std::optional<base::Error>& mine) const {
  Reply reply = reply_of(mine);
  for (const StateGroup& group : state.groups()) {
    for (const ShardedTensor& item : group.sharded) {
      for (const ShardedTensor::Block& block : item.blocks) reply.numbers[0] += block.tensor->bytes();
    }
  }
  const std::vector<Reply> replies = meeting.collect(reply);
  if (const auto error = meeting.verdict(replies, std::nullopt, mine)) throw base::Error(*error);
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(ranks()));
  for (std::size_t i = 0; i < replies.size(); ++i) bytes[i] = replies[i].numbers[0];
  meeting.broadcast(std::as_writable_bytes(std::span(bytes)), 0);
  return bytes;
}

void Team::compare_replicas(Meeting& meeting, const State& state, const Listing& listing) const {
  std::map<std::pair<std::string_view, std::string_view>, const tensor::Tensor*> tensors;
  for (const StateGroup& group : state.groups()) {
    for (const StateTensor& item : group.tensors)
      tensors.emplace(std::pair(std::string_view(group.name), std::string_view(item.name)), item.tensor.get());
  }
  std::vector<const ListedTensor*> listed;
  std::vector<Digest> mine;
  for (const ListedTensor& tensor : listing.tensors) {
    const auto found = tensors.find({tensor.group, tensor.name});
    if (found == tensors.end()) continue;
    const auto bytes = found->second->byte_span();
    mine.push_back(hash_of({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
    listed.push_back(&tensor);
  }
  std::vector<Digest> theirs = mine;
  meeting.broadcast(std::as_writable_bytes(std::span(theirs)), 0);
  Reply reply;
  const auto unlike = std::ranges::mismatch(mine, theirs).in1;
  reply.numbers[0] = unlike == mine.end() ? 0 : 1 + (unlike - mine.begin());
  const std::vector<Reply> replies = meeting.collect(reply);
  std::optional<base::Error> of_all;
  std::int64_t first = 0;
  std::string ranks;
  for (std::size_t i = 0; i < replies.size(); ++i) {
    const std::int64_t number = replies[i].numbers[0];
    if (number == 0 || (first != 0 && number != first)) continue;
    first = number;
    ranks += cat(ranks.empty() ? "" : ", ", i);
  }
  if (first != 0) {
    const ListedTensor& tensor = *listed[static_cast<std::size_t>(first - 1)];
    of_all =
        base::Error(Status::invalid_argument, cat("tensor ", base::quoted(tensor.name), " of group ", base::quoted(tensor.group),
                                                  " is another one on rank 0 than on rank ", ranks));
  }
  if (const auto error = meeting.verdict(replies, of_all, std::nullopt)) throw base::Error(*error);
}

// What this rank writes: its blocks, and its share of what all have.
void Team::share_out(TeamSave& save, const State& whole) const {
  const Listing& listing = save.agreement->listing;
  std::map<std::pair<std::string_view, std::string_view>, std::vector<RowShare>> shares;
  for (const RowShare& share : share_of(listing, save.agreement->own_bytes, rank())) {
    const ListedTensor& tensor = listing.tensors[share.tensor];
    shares[{tensor.group, tensor.name}].push_back(share);
  }
  std::vector<StateGroup> groups;
  for (const StateGroup& group : whole.groups()) {
    Shared shared(group);
    for (const StateTensor& item : group.tensors) {
      const auto dimensions = item.tensor->shape().dimensions();
      const Lengths shape(dimensions.begin(), dimensions.end());
      for (const RowShare& share : shares[{group.name, item.name}]) {
        if (share.axes == 0) {
          shared.add(item.name, shape, whole_box(shape), item.tensor);
        } else {
          for (const Box& box : boxes_of_rows(shape, share.axes, share.begin, share.end))
            shared.add(item.name, shape, box, view_of(item.tensor, box), item.tensor);
        }
      }
    }
    for (const ShardedTensor& item : group.sharded) {
      for (const ShardedTensor::Block& block : item.blocks) shared.add(item.name, item.shape, block.box, block.tensor);
    }
    StateGroup out = shared.take();
    if (!out.tensors.empty()) groups.push_back(std::move(out));
  }
  save.state = std::make_shared<State>(State::of(std::move(groups), whole.values(), whole.rarely_changing()));
}

// ---- Save ----

SaveResult Team::save(TeamSave& save, SaveSource& source, bool is_in_background, const Commit& commit, const Discard& discard) {
  return is_in_background ? save_apart(save, source, commit, discard) : save_together(save, source, commit, discard);
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
  // What is left of the time then serves to find out who has not come.
  Meeting meeting(*coordinator_, timeout_ns_ - timeout_ns_ / 5);
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
      Manifest manifest = gather_parts(save, read_tails(save, share.tail));
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
  return {save.attempt, save.options.step, commit_sequence, files,
          bytes,        share.linked,      share.rewritten, share.tail.summary.file_bytes};
}

// ---- Rank 0 ----

std::vector<PartTail> Team::read_tails(const TeamSave& save, const PartTail& own) const {
  std::vector<PartTail> tails{own};
  for (std::int64_t of = 1; of < ranks(); ++of) tails.push_back(read_part_tail(*storage_, save.attempt, of, ranks()));
  return tails;
}

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
  for (std::int64_t of = 0; of < ranks(); ++of) merge.add(read_part(*storage_, save.attempt, manifest, of));
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
void Team::pause(std::int64_t& pause_ns, const TeamSave& save) const {
  constexpr std::int64_t longest_ns = 500'000'000;
  sleep_(pause_ns);
  if (pause_ns >= longest_ns) see_changes(*storage_, save.attempt);
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

class Patience {
 public:
  explicit Patience(std::int64_t timeout_ns) : timeout_ns_(timeout_ns) {}
  bool is_over() const { return base::monotonic_ns() - begin_ns_ >= timeout_ns_; }

 private:
  std::int64_t begin_ns_ = base::monotonic_ns();
  std::int64_t timeout_ns_;
};

[[noreturn]] void fail_by(const Verdict& verdict) { throw RankError(verdict.rank, verdict.status, verdict.message); }

}  // namespace

void Team::wait_for_parts(const TeamSave& save, const SaveSource& source) const {
  const Patience patience(timeout_ns_);
  for (std::int64_t pause_ns = first_pause_ns;; pause(pause_ns, save)) {
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
        if (parse_commit_record(read_commit_text(*storage_, record)).attempt == save.attempt) return number;
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
  for (std::int64_t pause_ns = first_pause_ns;; pause(pause_ns, save)) {
    storage::require_running(source.stop.get());
    if (const auto sequence = committed_sequence(save)) return *sequence;
    if (const auto verdict = find_verdict(*storage_, save.attempt, 0)) fail_by(*verdict);
    if (patience.is_over()) throw lateness(save, true);
  }
}

// Who has not come. In the background it is who has left no part. In the foreground a rank may have gone behind its part: those who
// still wait leave a word of that, so that those who do not are known.
base::Error Team::lateness(const TeamSave& save, bool is_in_background) const {
  std::string who;
  const auto problem = error_of([&] {
    if (is_in_background) {
      const Seen seen = look(*storage_, save.attempt, ranks());
      who = missing_of(seen.parts, ranks());
      if (who.empty() && !leads()) who = "rank 0";
      return;
    }
    leave_verdict(*storage_, save.attempt, rank(), {rank(), Status::timeout, "has waited for the others in vain"});
    const Patience patience(timeout_ns_ / 5);
    Seen seen;
    for (std::int64_t pause_ns = first_pause_ns;; pause(pause_ns, save)) {
      seen = look(*storage_, save.attempt, ranks());
      if (std::ssize(seen.verdicts) + 1 >= ranks() || patience.is_over()) break;
    }
    who = missing_of(seen.verdicts, ranks());
  });
  // Rank 0 may have been killed behind its commit.
  const bool is_open = problem || who.empty() || who == "rank 0" || who.starts_with("rank 0,");
  if (problem || who.empty()) who = "a rank";
  return {Status::timeout, cat(who, " did not come within ", timeout_ns_, " ns; ", base::quoted(save.attempt),
                               is_open ? " may be a checkpoint or not" : " is no checkpoint")};
}

}  // namespace ckpt::state
