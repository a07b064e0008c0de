// One call that all ranks of a run make together: what they say to one another in it, within one time-out. Rank 0 leads.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "state/coordinator.h"
#include "state/hash.h"

namespace ckpt::state {

// What each rank says to rank 0: of one size, so that rank 0 holds little for each of many.
struct Reply {
  std::int32_t status = 0;  // a base::Status
  std::int32_t reserved = 0;
  std::array<std::int64_t, 4> numbers = {};
  std::array<Digest, 2> digests = {};
  std::array<char, 120> text = {};  // of an error, cut off

  void set_error(const base::Error& error);
};

// What body throws, instead of throwing it: the others must hear of it before this rank leaves.
template <class Body>
std::optional<base::Error> error_of(Body&& body) {
  try {
    body();
    return std::nullopt;
  } catch (...) {
    const base::CurrentError error = base::current_error();
    return base::Error(error.status, error.message);
  }
}

// The error of one rank as all report it: "rank 2: ...".
base::Error error_of_rank(std::int64_t rank, base::Status status, std::string_view message);

class Meeting {
 public:
  Meeting(Coordinator& coordinator, std::int64_t timeout_ns);

  std::int64_t rank() const noexcept { return coordinator_.rank(); }
  std::int64_t ranks() const noexcept { return coordinator_.world_size(); }
  bool leads() const noexcept { return rank() == 0; }

  // Each of these is collective. Rank 0's text to all.
  std::string announce(std::string_view text);
  // By rank at rank 0; elsewhere nothing.
  std::vector<Reply> collect(const Reply& reply);
  // All go on, or all throw what the first rank that has an error says.
  void agree(const std::optional<base::Error>& mine);
  // The same when rank 0 has collected replies; its own error, which concerns all, comes before theirs.
  void conclude(const std::vector<Reply>& replies, const std::optional<base::Error>& leads);

  // Broadcasts bytes of any rank.
  void broadcast(std::span<std::byte> bytes, std::int64_t root);

 private:
  Coordinator::Timeout left() const;

  Coordinator& coordinator_;
  std::chrono::steady_clock::time_point end_;
};

}  // namespace ckpt::state
