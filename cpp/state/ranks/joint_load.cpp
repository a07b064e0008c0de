#include "state/ranks/joint_load.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/status.h"
#include "state/ranks/announced.h"
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

// A line each, as listing.h has them. The text of a tree may be another one on each rank: the checkpoint's takes its place.
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

// What a rank says of its attempt, in the flags of a reply.
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
  // What is worse for all.
  int weight() const { return has_error ? 3 : outcome == Outcome::removed ? 2 : outcome == Outcome::failed ? 1 : 0; }
};

}  // namespace

void JointLoad::open(const State& state, const LoadOptions& options, const std::optional<base::Error>& mine) {
  meet([&] {
    std::optional<base::Error> error = mine;
    const std::string text = error ? "" : text_of(state, options);
    const std::string theirs = meeting_.announce(text);
    if (!error && !theirs.empty() && theirs != text)
      error = base::Error(Status::invalid_argument, difference(text, meeting_.rank(), theirs, 0));
    meeting_.agree(error);
  });
}

void JointLoad::propose(const Proposal& proposal) {
  meet([&] {
    meeting_.announce(to_text(proposal));
    meeting_.announce(proposal.manifest);
  });
}

Proposal JointLoad::next() {
  Proposal proposal;
  meet([&] {
    proposal = read_announced(meeting_.announce(""), proposal_of, [](const base::Error& error) { throw base::Error(error); });
    proposal.manifest = meeting_.announce("");
  });
  return proposal;
}

void JointLoad::end(const base::Error& error) {
  meet([&] { meeting_.announce(announced_text(error)); });
}

Outcome JointLoad::agree(Outcome mine, Found& problem, bool& has_begun, const std::optional<base::Error>& error) {
  struct Word {
    std::int64_t whose = -1;
    std::int32_t status = 0;
    std::int32_t flags = 0;
  } word;
  meet([&] {
    Reply reply;
    reply.status = static_cast<std::int32_t>(error ? error->status() : mine == Outcome::done ? Status::ok : problem.status);
    reply.flags = Attempt{mine, problem.condition, error.has_value(), has_begun}.flags();
    const std::vector<Reply> replies = meeting_.collect(reply);
    Attempt worst;
    for (std::size_t i = 0; i < replies.size(); ++i) {
      const Attempt each = Attempt::of(replies[i].flags);
      const bool has_begun_before = worst.has_begun;
      if (each.weight() > worst.weight()) {
        worst = each;
        word.whose = static_cast<std::int64_t>(i);
        word.status = replies[i].status;
      }
      worst.has_begun = has_begun_before || each.has_begun;
    }
    word.flags = worst.flags();
    meeting_.broadcast(std::as_writable_bytes(std::span(&word, 1)), 0);
    const Attempt all = Attempt::of(word.flags);
    has_begun = all.has_begun;
    if (word.whose < 0) return;
    const std::string message = meeting_.announce(error ? error->message() : problem.problem, word.whose);
    const RankError theirs(word.whose, sent_status(word.status), message);
    if (all.has_error) throw RankError(theirs);
    problem.condition = all.condition;
    problem.status = theirs.status();
    problem.problem = theirs.message();
  });
  return word.whose < 0 ? Outcome::done : Attempt::of(word.flags).outcome;
}

void JointLoad::close(const std::optional<base::Error>& mine) {
  meet([&] { meeting_.agree(mine); });
}

}  // namespace ckpt::state
