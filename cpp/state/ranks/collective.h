// One collective call of a group of ranks: the messages that they exchange within one time-out. Rank 0 leads. Every message has a
// checksum, because user-defined collectives can deliver wrong bytes; that is Error(io).
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

// The message of each rank to rank 0. It has a fixed size, so that rank 0 needs little memory for each of many ranks.
struct Reply {
  std::int32_t status = 0;  // a base::Status
  std::int32_t flags = 0;
  std::array<std::int64_t, 4> numbers = {};
  std::array<Digest, 2> digests = {};
  Digest checksum;  // of the fields above; set and checked by gather
};

inline Reply reply_of(const std::optional<base::Error>& mine) {
  Reply reply;
  if (mine) reply.status = static_cast<std::int32_t>(mine->status());
  return reply;
}

// Returns the status of an error received from another rank. Error(invalid_state) for an invalid status.
base::Status sent_status(std::int64_t number);

// The error of one rank as reported on all ranks: "rank 2: ...".
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

class Collective {
 public:
  Collective(Coordinator& coordinator, std::int64_t timeout_ns);

  std::int64_t rank() const noexcept { return coordinator_.rank(); }
  std::int64_t ranks() const noexcept { return coordinator_.world_size(); }
  bool leads() const noexcept { return rank() == 0; }
  std::int64_t timeout_ns() const noexcept { return timeout_.count(); }
  // Restarts the time-out, for calls with long work between two messages.
  void renew() noexcept;

  // The following functions are collective. Sends one rank's string to all, in one operation, or in two if it exceeds max_in_one
  // bytes.
  std::string broadcast_text(std::string_view text, std::int64_t from = 0);
  // Returns all replies by rank on rank 0, and nothing on other ranks.
  std::vector<Reply> gather(const Reply& reply);
  // The same for bytes; all ranks send the same number.
  std::vector<std::byte> gather(std::span<const std::byte> bytes);
  // Returns on all ranks the error of the first rank with an error; nothing if there is none. of_all: an error that rank 0 found in
  // the gathered replies; takes precedence.
  std::optional<base::Error> first_error(const std::optional<base::Error>& mine);
  // numbers: input on rank 0, received by all ranks.
  using Numbers = std::array<std::int64_t, 3>;
  std::optional<base::Error> first_error(const std::vector<Reply>& replies, const std::optional<base::Error>& of_all,
                                         const std::optional<base::Error>& mine, Numbers* numbers = nullptr);
  // Throws that error.
  void agree(const std::optional<base::Error>& mine);

  // Sends a few bytes of one rank to all. Error(invalid_state) for a root outside 0..ranks-1.
  void broadcast(std::span<std::byte> bytes, std::int64_t root);
  // The same for many bytes, followed by space for their checksum. Returns whether the received bytes are those that were sent.
  static constexpr std::size_t checksum_bytes = sizeof(Digest);
  static constexpr std::size_t max_in_one = 4096 - sizeof(std::int64_t) - checksum_bytes;
  [[nodiscard]] bool broadcast_checked(std::span<std::byte> bytes_and_checksum, std::int64_t root);
  [[noreturn]] static void fail_corrupted(std::int64_t from, std::int64_t to);

 private:
  Coordinator::Timeout left() const;

  Coordinator& coordinator_;
  const std::chrono::nanoseconds timeout_;
  std::chrono::steady_clock::time_point end_;
};

}  // namespace ckpt::state
