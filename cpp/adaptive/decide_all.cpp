// One decision for all processes, and gathering their records of the last saves.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adaptive/bounds.h"
#include "adaptive/controller.h"
#include "base/error.h"
#include "state/caught.h"

namespace ckpt::adaptive {
namespace {

using base::fail;
using base::Status;

constexpr std::int64_t max_saves = std::int64_t{1} << 62;

// A decision, or the reason why there is none, as broadcast.
struct Message {
  std::int32_t status = 0;
  std::int32_t checkpoint = 0;
  std::int32_t reason = 0;
  std::int32_t policy = 0;
  std::int64_t asks_ranks = 0;  // 1: no decision yet, rank 0 gathers stalls first
  std::int64_t save_number = 0;
  std::array<double, 5> seconds_and_risk{};
};

Message message_of(const Decision& decision) {
  return {0,
          decision.checkpoint ? 1 : 0,
          static_cast<std::int32_t>(decision.reason),
          static_cast<std::int32_t>(decision.policy),
          0,
          0,
          {decision.interval_seconds, decision.risk, decision.cost_seconds, decision.since_last_seconds, decision.due_seconds}};
}

[[noreturn]] void refuse_message() { fail(Status::corrupt, "broadcast of rank 0: expected a decision, found other data"); }

// The coordinator is user-defined, so its data is validated like a file's.
void check(const Message& message) {
  const auto within = [](auto value, auto last) { return value >= 0 && value <= static_cast<decltype(value)>(last); };
  const bool is_decision = within(message.checkpoint, 1) && within(message.reason, Reason::preemption_saved) &&
                           within(message.policy, Policy::fixed) && within(message.asks_ranks, 1) &&
                           within(message.save_number, max_saves) &&
                           std::ranges::none_of(message.seconds_and_risk, [](double value) { return std::isnan(value); });
  if (!is_decision) refuse_message();
}

Decision decision_of(const Message& message) {
  const auto& [interval, risk, cost, since_last, due] = message.seconds_and_risk;
  return {message.checkpoint == 1,
          static_cast<Reason>(message.reason),
          static_cast<Policy>(message.policy),
          interval,
          risk,
          cost,
          since_last,
          due};
}

// The collectives of one call, which share its timeout.
class Collectives {
 public:
  Collectives(state::Coordinator& coordinator, state::Coordinator::Timeout timeout)
      : coordinator_(coordinator), timeout_(timeout) {}

  bool is_root() const { return coordinator_.rank() == 0; }

  // Returns rank 0's message on all ranks, or throws the first error of a rank on all. make: called on rank 0. refused: the error
  // in this rank's arguments. One collective carries the message and the errors, so errors cost no extra collective until one
  // occurs.
  template <class Make>
  Message open(const std::optional<base::Error>& refused, Make&& make) {
    const auto rank = static_cast<std::size_t>(coordinator_.rank());
    std::vector<Message> all(static_cast<std::size_t>(coordinator_.world_size()));
    std::optional<base::Error> mine = refused;
    Message message;
    if (!mine && is_root()) mine = state::error_of([&] { message = make(); });
    if (mine) message.status = static_cast<std::int32_t>(mine->status());
    coordinator_.all_gather(std::as_bytes(std::span(&message, 1)), std::as_writable_bytes(std::span(all)), left());
    for (std::size_t of = 0; of < all.size(); ++of) {
      if (all[of].status == 0) continue;
      if (!base::is_error_status(all[of].status)) refuse_message();
      fail_on_all(static_cast<std::int64_t>(of), static_cast<Status>(all[of].status), of == rank && mine ? mine->message() : "");
    }
    if (mine) throw base::Error(*mine);  // the coordinator's data lacks this rank's error
    if (is_root()) return message;
    return check(all[0]), all[0];
  }

  // The same if only rank 0 can fail.
  template <class Make>
  Message from_root(Make&& make) {
    Message message;
    std::optional<base::Error> mine;
    if (is_root()) mine = state::error_of([&] { message = make(); });
    if (mine) message.status = static_cast<std::int32_t>(mine->status());
    coordinator_.broadcast(std::as_writable_bytes(std::span(&message, 1)), 0, left());
    if (message.status == 0) return check(message), message;
    if (!base::is_error_status(message.status)) refuse_message();
    fail_on_all(0, static_cast<Status>(message.status), mine ? mine->message() : "");
  }

  // received: of all ranks, on rank 0; empty elsewhere.
  template <class Item>
  void to_root(const Item& sent, std::span<Item> received) {
    coordinator_.gather(std::as_bytes(std::span(&sent, 1)), std::as_writable_bytes(received), 0, left());
  }

 private:
  using Clock = std::chrono::steady_clock;
  state::Coordinator::Timeout left() const {
    return std::max(state::Coordinator::Timeout::zero(), timeout_ - std::chrono::nanoseconds(Clock::now() - began_));
  }

  // message: read on the failed rank only; truncated if it is too long for the broadcast.
  [[noreturn]] void fail_on_all(std::int64_t rank, Status status, const std::string& message) {
    if (coordinator_.world_size() == 1) throw base::Error(status, message);
    std::array<char, 504> text{};
    message.copy(text.data(), text.size() - 1);
    coordinator_.broadcast(std::as_writable_bytes(std::span(text)), rank, left());
    text.back() = '\0';
    fail(status, "rank ", rank, ": ", std::string_view(text.data()));
  }

  state::Coordinator& coordinator_;
  const state::Coordinator::Timeout timeout_;
  const Clock::time_point began_ = Clock::now();
};

}  // namespace

Decision Controller::decide_all(state::Coordinator& coordinator, state::Coordinator::Timeout timeout,
                                const std::function<DecideArguments()>& read) {
  constexpr std::chrono::minutes unless_valid{10};
  const bool is_valid = timeout.count() >= 0;
  DecideArguments given;
  std::optional<base::Error> refused;
  try {
    base::require(is_valid, "timeout_ns is ", timeout.count(), "; expected at least 0");
    given = read();
  } catch (...) {
    const base::CurrentError error = base::current_error();
    refused.emplace(error.status, error.message);
  }
  Collectives all(coordinator, is_valid ? timeout : unless_valid);
  std::vector<Stalls> of_ranks;
  const auto decided = [&] {
    Message message = message_of(given.controller->decide(given.now));
    message.asks_ranks = of_ranks.empty() ? 0 : 1;
    message.save_number = given.controller->last_save_number();
    return message;
  };
  Message message = all.open(refused, [&] {
    if (coordinator.world_size() > 1 && given.controller->asks_ranks())
      of_ranks.resize(static_cast<std::size_t>(coordinator.world_size()));
    return decided();
  });
  if (message.asks_ranks == 1) {
    all.to_root(given.controller->stalls(), std::span(of_ranks));
    message = all.from_root([&] {
      given.controller->note_longest(of_ranks);
      of_ranks.clear();
      return decided();
    });
    if (message.asks_ranks == 1) refuse_message();
  }
  if (!all.is_root()) given.controller->count_saves_like(message.save_number);
  return decision_of(message);
}

bool Controller::asks_ranks() const {
  const std::lock_guard lock(mutex_);
  return memory_.running && memory_.asks_ranks;
}

Controller::Stalls Controller::stalls() const {
  const std::lock_guard lock(mutex_);
  return {memory_.in_flight ? save_number() : 0, memory_.stall_saves, memory_.stalls.values};
}

void Controller::check_stalls(const Stalls& stalls) {
  const auto is_number = [](std::int64_t number) { return number >= 0 && number <= max_saves; };
  const auto is_stall = [](double seconds) { return std::isfinite(seconds) && seconds >= 0; };
  if (!is_number(stalls.in_flight) || !std::ranges::all_of(stalls.saves, is_number) ||
      !std::ranges::all_of(stalls.seconds, is_stall))
    fail(Status::corrupt, "gathered data: expected stalls of saves, found other data");
}

void Controller::note_longest(std::span<const Stalls> of_ranks) {
  for (const Stalls& rank : of_ranks) check_stalls(rank);
  const std::lock_guard lock(mutex_);
  bool is_in_one = false;
  for (std::size_t i = 0; i < measured_saves; ++i) {
    const std::int64_t save = memory_.stall_saves[i];
    if (save == 0) continue;
    double longest = memory_.stalls.values[i];
    for (const Stalls& rank : of_ranks) {
      is_in_one = is_in_one || rank.in_flight == save;
      for (std::size_t k = 0; k < measured_saves; ++k) {
        if (rank.saves[k] == save) longest = std::max(longest, rank.seconds[k]);
      }
    }
    memory_.unjudged_overhead = bounded(memory_.unjudged_overhead + (longest - memory_.stalls.values[i]));
    memory_.stalls.values[i] = longest;
  }
  memory_.asks_ranks = is_in_one;
  plan_next();
}

std::int64_t Controller::last_save_number() const {
  const std::lock_guard lock(mutex_);
  return save_number();
}

// A save in flight keeps its number; earlier saves do not correspond to saves of rank 0 under the new count.
void Controller::count_saves_like(std::int64_t number) {
  const std::lock_guard lock(mutex_);
  if (memory_.in_flight || save_number() == number) return;
  save_offset_ = number - saves_begun_;
  memory_.stall_saves.fill(0);
}

}  // namespace ckpt::adaptive
