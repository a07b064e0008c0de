#include "state/ranks/collective.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace ckpt::state {

using base::Status;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

static_assert(std::is_trivially_copyable_v<Reply> && sizeof(Reply) <= 200);

namespace {

constexpr std::int64_t max_text_bytes = std::int64_t{1} << 30;  // four times the largest manifest

Digest checksum_of(std::span<const std::byte> bytes) {
  return hash_of({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}
Digest checksum_of(const Reply& reply) { return checksum_of(std::as_bytes(std::span(&reply, 1)).first(offsetof(Reply, checksum))); }

void append_checksum(std::span<std::byte> bytes_and_checksum) {
  const Digest digest = checksum_of(bytes_and_checksum.first(bytes_and_checksum.size() - sizeof(Digest)));
  std::memcpy(bytes_and_checksum.last<sizeof(Digest)>().data(), &digest, sizeof digest);
}
std::vector<std::byte> with_checksum(std::span<const std::byte> bytes) {
  std::vector<std::byte> all(bytes.begin(), bytes.end());
  all.resize(bytes.size() + sizeof(Digest));
  append_checksum(all);
  return all;
}
bool is_intact(std::span<const std::byte> bytes_and_checksum) {
  const Digest digest = checksum_of(bytes_and_checksum.first(bytes_and_checksum.size() - sizeof(Digest)));
  return std::memcmp(bytes_and_checksum.last<sizeof(Digest)>().data(), &digest, sizeof digest) == 0;
}

}  // namespace

Status sent_status(std::int64_t number) {
  if (!base::is_error_status(number))
    base::fail(Status::invalid_state, "received the invalid status ", number, ": ranks called different collectives");
  return static_cast<Status>(number);
}

Collective::Collective(Coordinator& coordinator, std::int64_t timeout_ns) : coordinator_(coordinator), timeout_(timeout_ns) {
  renew();
}

void Collective::renew() noexcept {
  const auto now = steady_clock::now();
  end_ = timeout_ < steady_clock::time_point::max() - now ? now + timeout_ : steady_clock::time_point::max();
}

Coordinator::Timeout Collective::left() const { return std::max(nanoseconds(0), nanoseconds(end_ - steady_clock::now())); }

// ---- Bytes ----

void Collective::fail_corrupted(std::int64_t from, std::int64_t to) {
  base::fail(Status::io, "a message from rank ", from, " to rank ", to,
             " has a wrong checksum: the coordinator's collectives changed its bytes");
}

bool Collective::broadcast_checked(std::span<std::byte> bytes_and_checksum, std::int64_t root) {
  if (root < 0 || root >= ranks()) {
    base::fail(Status::invalid_state, "broadcast root ", root, " is outside 0 .. ", ranks() - 1,
               ": ranks called different collectives");
  }
  if (rank() == root) append_checksum(bytes_and_checksum);
  try {
    coordinator_.broadcast(bytes_and_checksum, root, left());
  } catch (const base::Error& error) {
    if (error.status() != Status::timeout || rank() == root) throw;
    base::fail(Status::timeout, "no message from rank ", root, ": ", error.message());
  }
  return rank() == root || is_intact(bytes_and_checksum);
}

void Collective::broadcast(std::span<std::byte> bytes, std::int64_t root) {
  std::vector<std::byte> checked = with_checksum(bytes);
  if (!broadcast_checked(checked, root)) fail_corrupted(root, rank());
  std::copy_n(checked.begin(), bytes.size(), bytes.begin());
}

std::vector<std::byte> Collective::gather(std::span<const std::byte> bytes) {
  const std::vector<std::byte> mine = with_checksum(bytes);
  std::vector<std::byte> all(leads() ? static_cast<std::size_t>(ranks()) * mine.size() : 0);
  coordinator_.gather(mine, all, 0, left());
  // Removes the checksums in place, since there can be many ranks.
  std::size_t end = 0;
  for (std::size_t at = 0; at < all.size(); at += mine.size()) {
    const auto each = std::span(all).subspan(at, mine.size());
    if (!is_intact(each)) fail_corrupted(static_cast<std::int64_t>(at / mine.size()), 0);
    std::memmove(all.data() + end, each.data(), bytes.size());
    end += bytes.size();
  }
  all.resize(end);
  return all;
}

// ---- Strings and replies ----

// The first operation has a fixed size: the length, the first bytes and a checksum. All ranks can therefore start it before they
// know the length, and most strings need no second one.
std::string Collective::broadcast_text(std::string_view text, std::int64_t from) {
  const bool is_sender = rank() == from;
  std::int64_t bytes = std::ssize(text);
  std::array<std::byte, sizeof bytes + max_in_one + checksum_bytes> first{};
  std::byte* const begin = first.data() + sizeof bytes;
  if (is_sender) {
    std::memcpy(first.data(), &bytes, sizeof bytes);
    std::memcpy(begin, text.data(), std::min(text.size(), max_in_one));
  }
  if (!broadcast_checked(first, from)) fail_corrupted(from, rank());
  std::memcpy(&bytes, first.data(), sizeof bytes);
  if (bytes < 0 || bytes > max_text_bytes) {
    base::fail(Status::invalid_state, "rank ", from, " announced a string of ", bytes,
               " bytes: ranks called different collectives");
  }
  const auto size = static_cast<std::size_t>(bytes);
  std::string all;
  if (size <= max_in_one) return all.assign(reinterpret_cast<const char*>(begin), size);
  all.reserve(size + checksum_bytes);  // a manifest is copied once
  if (is_sender) {
    all = text;
  } else {
    all.assign(reinterpret_cast<const char*>(begin), max_in_one);
  }
  all.resize(size + checksum_bytes);
  if (!broadcast_checked(std::as_writable_bytes(std::span(all)).subspan(max_in_one), from)) fail_corrupted(from, rank());
  all.resize(size);
  return all;
}

std::vector<Reply> Collective::gather(const Reply& reply) {
  Reply mine = reply;
  mine.checksum = checksum_of(reply);
  std::vector<Reply> all(leads() ? static_cast<std::size_t>(ranks()) : 0);
  coordinator_.gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)), 0, left());
  for (const Reply& each : all) {
    if (each.checksum != checksum_of(each)) fail_corrupted(&each - all.data(), 0);
  }
  return all;
}

std::optional<base::Error> Collective::first_error(const std::optional<base::Error>& mine) {
  return first_error(gather(reply_of(mine)), std::nullopt, mine);
}

std::optional<base::Error> Collective::first_error(const std::vector<Reply>& replies, const std::optional<base::Error>& of_all,
                                                   const std::optional<base::Error>& mine, Numbers* numbers) {
  constexpr std::int64_t none = -1;
  constexpr std::int64_t all = -2;
  struct {
    std::int64_t rank = none;
    std::int64_t status = 0;
    Numbers numbers = {};
  } result;
  const auto failed = std::ranges::find_if(replies, [](const Reply& reply) { return reply.status != 0; });
  if (of_all) {
    result = {all, static_cast<std::int64_t>(of_all->status()), {}};
  } else if (failed != replies.end()) {
    result = {failed - replies.begin(), failed->status, {}};
  }
  if (numbers != nullptr) result.numbers = *numbers;
  broadcast(std::as_writable_bytes(std::span(&result, 1)), 0);
  if (numbers != nullptr) *numbers = result.numbers;
  if (result.rank == none) return std::nullopt;
  const Status status = sent_status(result.status);
  if (result.rank == all) return base::Error(status, broadcast_text(of_all ? of_all->message() : ""));
  const std::string message = broadcast_text(mine ? mine->message() : "", result.rank);
  return RankError(result.rank, status, message);
}

void Collective::agree(const std::optional<base::Error>& mine) {
  if (const auto error = first_error(mine)) throw base::Error(*error);
}

}  // namespace ckpt::state
