// Runs the ranks of a run as threads, only one at a time: each request to the storage waits for its turn, so the order of all
// requests is the same each time; and a rank can die before any of them.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/error.h"
#include "state/coordinator.h"

namespace ckpt::tests {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

class TurnScheduler {
 public:
  // in_turns: each request passes the turn on; otherwise a rank keeps the turn until it waits. The first turn is `first`'s.
  TurnScheduler(std::int64_t ranks, bool in_turns, std::int64_t first)
      : in_turns_(in_turns), first_(first), ranks_(static_cast<std::size_t>(ranks)), turn_(first) {}

  std::int64_t ranks() const noexcept { return std::ssize(ranks_); }
  // Returns the number of the rank's requests that change something, since watch.
  std::int64_t changes(std::int64_t rank) const { return ranks_[static_cast<std::size_t>(rank)].changes; }
  // The rank dies at the next change after that many.
  void watch(std::int64_t rank, std::int64_t changes_to_live) {
    const std::lock_guard lock(mutex_);
    at(rank).changes = 0;
    at(rank).changes_to_live = changes_to_live;
  }

  // Called around each request to the storage. begin returns when it is this rank's turn; throws Error(io) if the rank is dead or
  // dies now.
  void begin(std::int64_t rank, bool changes) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return turn_ == rank; });
    if (changes && at(rank).changes == at(rank).changes_to_live) at(rank).is = Is::terminated;
    require_alive(rank);
    at(rank).changes += changes ? 1 : 0;
  }
  void end() {
    const std::lock_guard lock(mutex_);
    if (in_turns_) pass_on();
  }
  template <class Body>
  auto act(std::int64_t rank, bool changes, Body&& body) {
    struct End {
      TurnScheduler& turns;
      ~End() { turns.end(); }
    };
    begin(rank, changes);
    const End end_of_it{*this};
    return body();
  }
  // A rank that waits for others passes the turn on.
  void wait(std::int64_t rank) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return turn_ == rank; });
    pass_on();
  }

  // During a collective no rank has the turn; the ranks continue after all of them have left the collective.
  template <class Body>
  void run_collective(std::int64_t rank, Body&& body) {
    set(rank, Is::in_collective);
    try {
      body();
    } catch (...) {
      come_back(rank);
      throw;
    }
    come_back(rank);
  }
  void leave(std::int64_t rank) { set(rank, Is::gone); }

 private:
  enum class Is { acting, in_collective, terminated, gone };
  struct Rank {
    Is is = Is::acting;
    std::int64_t changes = 0;
    std::int64_t changes_to_live = never;
    // A dead rank keeps running: its requests fail until it exits.
    bool may_act() const { return is == Is::acting || is == Is::terminated; }
  };
  static constexpr std::int64_t no_rank = -1;

  Rank& at(std::int64_t rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  void require_alive(std::int64_t rank) {
    if (at(rank).is == Is::terminated) base::fail(base::Status::io, "the process is dead");
  }
  void pass_on() {
    turn_ = next_from(turn_ + 1);
    changed_.notify_all();
  }
  std::int64_t next_from(std::int64_t rank) {
    for (std::int64_t i = 0; i < ranks(); ++i) {
      if (const std::int64_t next = (rank + i) % ranks(); at(next).may_act()) return next;
    }
    return no_rank;
  }
  void set(std::int64_t rank, Is is) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return turn_ == rank; });
    if (is == Is::in_collective) require_alive(rank);
    at(rank).is = is;
    pass_on();
  }
  void come_back(std::int64_t rank) {
    const std::lock_guard lock(mutex_);
    at(rank).is = Is::acting;
    const bool are_all_back = std::ranges::none_of(ranks_, [](const Rank& each) { return each.is == Is::in_collective; });
    if (are_all_back && turn_ == no_rank) turn_ = next_from(first_);
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  const bool in_turns_;
  const std::int64_t first_;
  std::vector<Rank> ranks_;
  std::int64_t turn_;
};

// A rank's coordinator: that of the threads, with collectives synchronized by the turns.
class TurnCoordinator final : public state::Coordinator {
 public:
  TurnCoordinator(std::shared_ptr<TurnScheduler> turns, std::shared_ptr<state::Coordinator> inner)
      : turns_(std::move(turns)), inner_(std::move(inner)) {}
  std::int64_t rank() const noexcept override { return inner_->rank(); }
  std::int64_t world_size() const noexcept override { return inner_->world_size(); }
  void barrier(Timeout timeout) override {
    run_collective([&] { inner_->barrier(timeout); });
  }
  void broadcast(std::span<std::byte> bytes, std::int64_t root, Timeout timeout) override {
    run_collective([&] { inner_->broadcast(bytes, root, timeout); });
  }
  void all_gather(std::span<const std::byte> sent, std::span<std::byte> received, Timeout timeout) override {
    run_collective([&] { inner_->all_gather(sent, received, timeout); });
  }
  void gather(std::span<const std::byte> sent, std::span<std::byte> received, std::int64_t root, Timeout timeout) override {
    run_collective([&] { inner_->gather(sent, received, root, timeout); });
  }

 private:
  template <class Body>
  void run_collective(Body&& body) {
    turns_->run_collective(rank(), std::forward<Body>(body));
  }

  const std::shared_ptr<TurnScheduler> turns_;
  const std::shared_ptr<state::Coordinator> inner_;
};

}  // namespace ckpt::tests
