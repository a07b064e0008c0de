#include "state/ranks/joint_load.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/status.h"
#include "state/ranks/broadcast_text.h"
#include "state/ranks/listing.h"
#include "state/record_text.h"
#include "state/tree.h"

namespace ckpt::state {
namespace {

using base::cat;
using base::Json;
using base::Status;

std::string to_text(const Proposal& proposal) {
  base::JsonWriter out(base::NotUtf8::replaced);
  out.begin_object().member("name", proposal.name).key("skipped").begin_list();
  for (const Found& bad : proposal.skipped) {
    out.begin_object()
        .member("name", bad.name)
        .member("status", static_cast<std::int32_t>(bad.status))
        .member("problem", bad.problem)
        .end_object();
  }
  return std::move(out.end_list().end_object()).text();
}

Proposal proposal_of(const Json& all) {
  Proposal proposal;
  proposal.name = member_of(all, "name").string();
  for (const Json& bad : member_of(all, "skipped").items()) {
    Found& found = proposal.skipped.emplace_back();
    found.name = member_of(bad, "name").string();
    found.status = sent_status(member_of(bad, "status").integer());
    found.problem = member_of(bad, "problem").string();
  }
  return proposal;
}

// One line per entry, as in listing.h. The text of a tree may differ between ranks: it is replaced by the checkpoint's.
std::string text_of(const State& state, const LoadOptions& options) {
  std::string text =
      cat("name\t", base::quote(options.name), "\nstep\t", options.step ? cat(*options.step) : "any", "\nverify\t",
          static_cast<int>(options.verify), "\npartial\t", options.partial, "\nin_place\t", options.in_place, "\nstrip_prefix\t",
          base::quote(options.strip_prefix), "\nadd_prefix\t", base::quote(options.add_prefix), "\nrename\t",
          options.rename ? "given" : "not given", "\nconvert\t", static_cast<int>(options.convert), '\n');
  std::vector<ListedTensor> tensors = listed_tensors(state);
  for (ListedTensor& tensor : tensors) {
    if (tensor.name == tree_tensor) tensor.shape.clear();
    text += tensor_line(tensor);
  }
  return text;
}

// The result of a rank's attempt, encoded in the flags of a reply.
struct Attempt {
  Outcome outcome = Outcome::done;
  Condition condition = Condition::complete;
  bool has_error = false;
  bool has_begun = false;

  std::int32_t flags() const {
    return static_cast<std::int32_t>(outcome) | static_cast<std::int32_t>(condition) << 4 | (has_error ? 1 << 8 : 0) |
           (has_begun ? 1 << 9 : 0);
  }
  static Attempt of(std::int32_t flags) {
    return {static_cast<Outcome>(flags & 15), static_cast<Condition>(flags >> 4 & 15), (flags >> 8 & 1) != 0,
            (flags >> 9 & 1) != 0};
  }
  // Higher values take precedence when results of ranks are combined.
  int weight() const { return has_error ? 3 : outcome == Outcome::removed ? 2 : outcome == Outcome::failed ? 1 : 0; }
};

}  // namespace

void JointLoad::open(const State& state, const LoadOptions& options, const std::optional<base::Error>& mine) {
  run_collective([&] {
    std::optional<base::Error> error = mine;
    const std::string text = error ? "" : text_of(state, options);
    const std::string theirs = collective_.broadcast_text(text);
    if (!error && !theirs.empty() && theirs != text)
      error = base::Error(Status::invalid_argument, difference(text, collective_.rank(), theirs, 0));
    collective_.agree(error);
  });
}

void JointLoad::propose(const Proposal& proposal) {
  run_collective([&] {
    collective_.broadcast_text(to_text(proposal));
    collective_.broadcast_text(proposal.manifest);
  });
}

Proposal JointLoad::next() {
  Proposal proposal;
  run_collective([&] {
    proposal =
        read_broadcast(collective_.broadcast_text(""), proposal_of, [](const base::Error& error) { throw base::Error(error); });
    proposal.manifest = collective_.broadcast_text("");
  });
  return proposal;
}

void JointLoad::end(const base::Error& error) {
  run_collective([&] { collective_.broadcast_text(error_text(error)); });
}

Outcome JointLoad::agree(Outcome mine, Found& problem, bool& has_begun, const std::optional<base::Error>& error) {
  struct {
    std::int64_t rank = -1;
    std::int32_t status = 0;
    std::int32_t flags = 0;
  } result;
  run_collective([&] {
    Reply reply;
    reply.status = static_cast<std::int32_t>(error ? error->status() : mine == Outcome::done ? Status::ok : problem.status);
    reply.flags = Attempt{mine, problem.condition, error.has_value(), has_begun}.flags();
    const std::vector<Reply> replies = collective_.gather(reply);
    Attempt worst;
    for (std::size_t i = 0; i < replies.size(); ++i) {
      const Attempt each = Attempt::of(replies[i].flags);
      const bool has_begun_before = worst.has_begun;
      if (each.weight() > worst.weight()) {
        worst = each;
        result.rank = static_cast<std::int64_t>(i);
        result.status = replies[i].status;
      }
      worst.has_begun = has_begun_before || each.has_begun;
    }
    result.flags = worst.flags();
    collective_.broadcast(std::as_writable_bytes(std::span(&result, 1)), 0);
    const Attempt all = Attempt::of(result.flags);
    has_begun = all.has_begun;
    if (result.rank < 0) return;
    const std::string message = collective_.broadcast_text(error ? error->message() : problem.problem, result.rank);
    const RankError theirs(result.rank, sent_status(result.status), message);
    if (all.has_error) throw RankError(theirs);
    problem.condition = all.condition;
    problem.status = theirs.status();
    problem.problem = theirs.message();
  });
  return result.rank < 0 ? Outcome::done : Attempt::of(result.flags).outcome;
}

void JointLoad::close(const std::optional<base::Error>& mine) {
  run_collective([&] { collective_.agree(mine); });
}

}  // namespace ckpt::state
