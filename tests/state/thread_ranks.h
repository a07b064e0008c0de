// The ranks of a run as threads of one process, and the coordinator that connects them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "state/coordinator.h"

namespace ckpt::tests {

// The behaviour when ranks call different operations, or with different sizes: the test fails, or the operation fails as if one
// rank had not called. For tests that provoke this, no rank waits for one that has ended.
enum class Mismatch { fails, breaks };

// Connects all ranks. Every call fails once ranks have called different operations or one has timed out.
class ThreadRanks : public std::enable_shared_from_this<ThreadRanks> {
 public:
  explicit ThreadRanks(std::int64_t ranks, Mismatch mismatch = Mismatch::fails)
      : mismatch_(mismatch), seats_(static_cast<std::size_t>(ranks)) {}

  std::int64_t ranks() const noexcept { return std::ssize(seats_); }
  std::shared_ptr<state::Coordinator> coordinator(std::int64_t rank) { return std::make_shared<Member>(shared_from_this(), rank); }

  // Operations that all ranks have called together so far, and the bytes that one rank sent to all others in them.
  std::int64_t operations() const {
    const std::lock_guard lock(mutex_);
    return operations_;
  }
  std::int64_t broadcast_bytes() const {
    const std::lock_guard lock(mutex_);
    return broadcast_bytes_;
  }

  // Runs body(rank) for every rank except the absent ones, each on its own thread. Returns the exception of each rank.
  using Errors = std::vector<std::optional<base::Error>>;
  template <class Body>
  Errors run(Body&& body, const std::vector<std::int64_t>& absent = {}) {
    Errors errors(seats_.size());
    std::vector<std::thread> threads;
    for (std::int64_t rank = 0; rank < ranks(); ++rank) {
      if (std::ranges::find(absent, rank) != absent.end()) continue;
      threads.emplace_back([&, rank] {
        try {
          body(rank);
        } catch (...) {
          const base::CurrentError error = base::current_error();
          errors[static_cast<std::size_t>(rank)].emplace(error.status, error.message);
        }
        if (mismatch_ == Mismatch::breaks) leave();
      });
    }
    for (std::thread& thread : threads) thread.join();
    return errors;
  }

 private:
  using Timeout = state::Coordinator::Timeout;
  enum class Operation { barrier, broadcast, all_gather, gather };

  // A rank's arguments of the current operation.
  struct Call {
    Operation operation{};
    std::int64_t root = 0;
    std::span<const std::byte> sent = {};
    std::span<std::byte> received = {};
  };

  class Member final : public state::Coordinator {
   public:
    Member(std::shared_ptr<ThreadRanks> all, std::int64_t rank) : all_(std::move(all)), rank_(rank) {}
    std::int64_t rank() const noexcept override { return rank_; }
    std::int64_t world_size() const noexcept override { return all_->ranks(); }
    void barrier(Timeout timeout) override { all_->run_collective(rank_, {Operation::barrier}, timeout); }
    void broadcast(std::span<std::byte> bytes, std::int64_t root, Timeout timeout) override {
      all_->run_collective(rank_, {Operation::broadcast, root, bytes, bytes}, timeout);
    }
    void all_gather(std::span<const std::byte> sent, std::span<std::byte> received, Timeout timeout) override {
      all_->run_collective(rank_, {Operation::all_gather, 0, sent, received}, timeout);
    }
    void gather(std::span<const std::byte> sent, std::span<std::byte> received, std::int64_t root, Timeout timeout) override {
      all_->run_collective(rank_, {Operation::gather, root, sent, received}, timeout);
    }

   private:
    const std::shared_ptr<ThreadRanks> all_;
    const std::int64_t rank_;
  };

  // The last rank to arrive does the work for all: the others wait, and their memory stays valid.
  void run_collective(std::int64_t rank, const Call& call, Timeout timeout) {
    std::unique_lock lock(mutex_);
    if (is_broken_ || has_left_) fail_late(rank);
    seats_[static_cast<std::size_t>(rank)] = call;
    const std::int64_t mine = operations_;
    if (++present_ == ranks()) {
      is_broken_ = !carry_out();
      present_ = 0;
      ++operations_;
      changed_.notify_all();
    } else {
      changed_.wait_for(lock, timeout, [&] { return operations_ > mine || has_left_; });
      if (operations_ == mine) {
        is_broken_ = true;
        fail_late(rank);
      }
    }
    if (is_broken_) fail_late(rank);
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    has_left_ = true;
    changed_.notify_all();
  }

  [[noreturn]] void fail_late(std::int64_t rank) const {
    base::fail(base::Status::timeout, "rank ", rank, ": timed out waiting for the other threads");
  }

  bool carry_out() {
    const Call& first = seats_.front();
    for (const Call& call : seats_) {
      if (call.operation == first.operation && call.root == first.root && call.sent.size() == first.sent.size()) continue;
      if (mismatch_ == Mismatch::breaks) return false;
      ADD_FAILURE() << "the ranks called different collectives: " << static_cast<int>(first.operation) << " of "
                    << first.sent.size() << " bytes by " << first.root << " and " << static_cast<int>(call.operation) << " of "
                    << call.sent.size() << " by " << call.root;
      return false;
    }
    for (std::size_t rank = 0; rank < seats_.size(); ++rank) {
      Call& call = seats_[rank];
      if (first.operation == Operation::broadcast) {
        const auto& from = seats_[static_cast<std::size_t>(first.root)].sent;
        if (from.data() != call.received.data()) copy(from, call.received);
      } else if (first.operation == Operation::all_gather || call_is_root(call, rank)) {
        for (std::size_t i = 0; i < seats_.size(); ++i) copy(seats_[i].sent, call.received.subspan(i * first.sent.size()));
      }
    }
    if (first.operation == Operation::broadcast) broadcast_bytes_ += std::ssize(first.sent);
    return true;
  }
  static void copy(std::span<const std::byte> from, std::span<std::byte> to) {
    if (!from.empty()) std::memcpy(to.data(), from.data(), from.size());
  }
  static bool call_is_root(const Call& call, std::size_t rank) {
    return call.operation == Operation::gather && call.root == static_cast<std::int64_t>(rank);
  }

  const Mismatch mismatch_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Call> seats_;
  std::int64_t present_ = 0;
  std::int64_t operations_ = 0;
  std::int64_t broadcast_bytes_ = 0;
  bool is_broken_ = false;
  bool has_left_ = false;
};

// Expects success on all ranks.
inline void expect_no_errors(const ThreadRanks::Errors& errors) {
  for (std::size_t rank = 0; rank < errors.size(); ++rank)
    EXPECT_FALSE(errors[rank].has_value()) << "rank " << rank << ": " << errors[rank]->message();
}
// Expects the same failure on all ranks: a status, and a text in each message.
inline void expect_errors(const ThreadRanks::Errors& errors, base::Status status, const std::string& text) {
  for (std::size_t rank = 0; rank < errors.size(); ++rank) {
    ASSERT_TRUE(errors[rank].has_value()) << "rank " << rank << " has not failed";
    EXPECT_EQ(errors[rank]->status(), status) << "rank " << rank << ": " << errors[rank]->message();
    EXPECT_NE(errors[rank]->message().find(text), std::string::npos) << "rank " << rank << ": " << errors[rank]->message();
  }
}

}  // namespace ckpt::tests
