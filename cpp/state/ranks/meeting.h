// One call that all ranks of a run make together: what they say to one another in it, within one time-out. Rank 0 leads. All that
// is said has a digest with it: a host's collectives may bring other bytes than were sent, which is Error(io).
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "state/caught.h"
#include "state/coordinator.h"
#include "state/hash.h"

namespace ckpt::state {

// What each rank says to rank 0: of one size, so that rank 0 holds little for each of many.
struct Reply {
  std::int32_t status = 0;  // a base::Status
  std::int32_t flags = 0;
  std::array<std::int64_t, 4> numbers = {};
  std::array<Digest, 2> digests = {};
  Digest seal;  // of what is above; collect() makes and checks it
};

inline Reply reply_of(const std::optional<base::Error>& mine) {
  Reply reply;
  if (mine) reply.status = static_cast<std::int32_t>(mine->status());
  return reply;
}

// The status of an error that another rank has sent. Error(invalid_state) for a number that is none.
base::Status sent_status(std::int64_t number);

// The error of one rank as all report it: "rank 2: ...".
class RankError : public base::Error {
 public:
  RankError(std::int64_t rank, base::Status status, const std::string& message)
      : Error(status, base::cat("rank ", rank, ": ", message)), rank_(rank), plain_(message) {}
  std::int64_t rank() const noexcept { return rank_; }
  const std::string& plain() const noexcept { return plain_; }

 private:
  std::int64_t rank_;
  std::string plain_;
};

class Meeting {
 public:
  Meeting(Coordinator& coordinator, std::int64_t timeout_ns);

  std::int64_t rank() const noexcept { return coordinator_.rank(); }
  std::int64_t ranks() const noexcept { return coordinator_.world_size(); }
  bool leads() const noexcept { return rank() == 0; }
  std::int64_t timeout_ns() const noexcept { return timeout_.count(); }
  // The time begins anew: for calls that do much between what they say.
  void renew() noexcept;

  // Each of these is collective. Sends one rank's string to all, in one operation, or in two if it exceeds most_in_one bytes.
  std::string announce(std::string_view text, std::int64_t from = 0);
  // By rank at rank 0; elsewhere nothing.
  std::vector<Reply> collect(const Reply& reply);
  // The same for bytes of each rank, as many on all.
  std::vector<std::byte> collect(std::span<const std::byte> bytes);
  // What the first rank says that has an error, on all ranks; nothing when none has one. An error that rank 0 found for all, when
  // it looked at the replies that it had collected, comes before theirs.
  std::optional<base::Error> verdict(const std::optional<base::Error>& mine);
  // numbers: rank 0's, which all ranks receive with the verdict.
  using Numbers = std::array<std::int64_t, 3>;
  std::optional<base::Error> verdict(const std::vector<Reply>& replies, const std::optional<base::Error>& of_all,
                                     const std::optional<base::Error>& mine, Numbers* numbers = nullptr);
  // The same, thrown.
  void agree(const std::optional<base::Error>& mine);

  // A word of a few bytes from any rank to all. Error(invalid_state) when there is no such rank.
  void broadcast(std::span<std::byte> word, std::int64_t root);
  // Many bytes, which the caller has with room for their digest behind them: whether what came is what was sent.
  static constexpr std::size_t seal_bytes = sizeof(Digest);
  static constexpr std::size_t most_in_one = 4096 - sizeof(std::int64_t) - seal_bytes;
  [[nodiscard]] bool broadcast_sealed(std::span<std::byte> bytes_and_seal, std::int64_t root);
  [[noreturn]] static void fail_garbled(std::int64_t from, std::int64_t to);

 private:
  Coordinator::Timeout left() const;

  Coordinator& coordinator_;
  const std::chrono::nanoseconds timeout_;
  std::chrono::steady_clock::time_point end_;
};

}  // namespace ckpt::state
