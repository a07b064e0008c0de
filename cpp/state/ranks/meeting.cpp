#include "state/ranks/meeting.h"

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

constexpr std::int64_t most_announced_bytes = std::int64_t{1} << 30;  // four times the largest manifest

Digest seal_of(std::span<const std::byte> bytes) { return hash_of({reinterpret_cast<const char*>(bytes.data()), bytes.size()}); }
Digest seal_of(const Reply& reply) { return seal_of(std::as_bytes(std::span(&reply, 1)).first(offsetof(Reply, seal))); }

void seal(std::span<std::byte> bytes_and_seal) {
  const Digest digest = seal_of(bytes_and_seal.first(bytes_and_seal.size() - sizeof(Digest)));
  std::memcpy(bytes_and_seal.last<sizeof(Digest)>().data(), &digest, sizeof digest);
}
std::vector<std::byte> sealed(std::span<const std::byte> bytes) {
  std::vector<std::byte> all(bytes.begin(), bytes.end());
  all.resize(bytes.size() + sizeof(Digest));
  seal(all);
  return all;
}
bool is_intact(std::span<const std::byte> bytes_and_seal) {
  const Digest digest = seal_of(bytes_and_seal.first(bytes_and_seal.size() - sizeof(Digest)));
  return std::memcmp(bytes_and_seal.last<sizeof(Digest)>().data(), &digest, sizeof digest) == 0;
}

}  // namespace

Status sent_status(std::int64_t number) {
  if (!base::is_error_status(number))
    base::fail(Status::invalid_state, "another rank has sent the status ", number, ", which is none: the ranks are out of step");
  return static_cast<Status>(number);
}

Meeting::Meeting(Coordinator& coordinator, std::int64_t timeout_ns) : coordinator_(coordinator), timeout_(timeout_ns) { renew(); }

void Meeting::renew() noexcept {
  const auto now = steady_clock::now();
  end_ = timeout_ < steady_clock::time_point::max() - now ? now + timeout_ : steady_clock::time_point::max();
}

Coordinator::Timeout Meeting::left() const { return std::max(nanoseconds(0), nanoseconds(end_ - steady_clock::now())); }

// ---- Bytes ----

void Meeting::fail_garbled(std::int64_t from, std::int64_t to) {
  base::fail(Status::io, "what rank ", from, " has sent came to rank ", to, " as other bytes: the host's collectives are at fault");
}

bool Meeting::broadcast_sealed(std::span<std::byte> bytes_and_seal, std::int64_t root) {
  if (root < 0 || root >= ranks())
    base::fail(Status::invalid_state, "rank ", root, " of ", ranks(), " is to speak: the ranks are out of step");
  if (rank() == root) seal(bytes_and_seal);
  try {
    coordinator_.broadcast(bytes_and_seal, root, left());
  } catch (const base::Error& error) {
    if (error.status() != Status::timeout || rank() == root) throw;
    base::fail(Status::timeout, "no word from rank ", root, ": ", error.message());
  }
  return rank() == root || is_intact(bytes_and_seal);
}

void Meeting::broadcast(std::span<std::byte> word, std::int64_t root) {
  std::vector<std::byte> bytes = sealed(word);
  if (!broadcast_sealed(bytes, root)) fail_garbled(root, rank());
  std::copy_n(bytes.begin(), word.size(), word.begin());
}

std::vector<std::byte> Meeting::collect(std::span<const std::byte> bytes) {
  const std::vector<std::byte> mine = sealed(bytes);
  std::vector<std::byte> all(leads() ? static_cast<std::size_t>(ranks()) * mine.size() : 0);
  coordinator_.gather(mine, all, 0, left());
  // What is said, without the seals, in the same memory: there may be many ranks.
  std::size_t end = 0;
  for (std::size_t at = 0; at < all.size(); at += mine.size()) {
    const auto each = std::span(all).subspan(at, mine.size());
    if (!is_intact(each)) fail_garbled(static_cast<std::int64_t>(at / mine.size()), 0);
    std::memmove(all.data() + end, each.data(), bytes.size());
    end += bytes.size();
  }
  all.resize(end);
  return all;
}

// ---- Words ----

// The first operation has a fixed size: the length, the first bytes and a checksum. All ranks can therefore post it before they
// know the length, and most strings need no second one.
std::string Meeting::announce(std::string_view text, std::int64_t from) {
  const bool speaks = rank() == from;
  std::int64_t bytes = std::ssize(text);
  std::array<std::byte, sizeof bytes + most_in_one + seal_bytes> first{};
  std::byte* const begin = first.data() + sizeof bytes;
  if (speaks) {
    std::memcpy(first.data(), &bytes, sizeof bytes);
    std::memcpy(begin, text.data(), std::min(text.size(), most_in_one));
  }
  if (!broadcast_sealed(first, from)) fail_garbled(from, rank());
  std::memcpy(&bytes, first.data(), sizeof bytes);
  if (bytes < 0 || bytes > most_announced_bytes)
    base::fail(Status::invalid_state, "rank ", from, " has announced ", bytes, " bytes: the ranks are out of step");
  const auto size = static_cast<std::size_t>(bytes);
  std::string all;
  if (size <= most_in_one) return all.assign(reinterpret_cast<const char*>(begin), size);
  all.reserve(size + seal_bytes);  // a manifest is copied once
  if (speaks) {
    all = text;
  } else {
    all.assign(reinterpret_cast<const char*>(begin), most_in_one);
  }
  all.resize(size + seal_bytes);
  if (!broadcast_sealed(std::as_writable_bytes(std::span(all)).subspan(most_in_one), from)) fail_garbled(from, rank());
  all.resize(size);
  return all;
}

std::vector<Reply> Meeting::collect(const Reply& reply) {
  Reply mine = reply;
  mine.seal = seal_of(reply);
  std::vector<Reply> all(leads() ? static_cast<std::size_t>(ranks()) : 0);
  coordinator_.gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)), 0, left());
  for (const Reply& each : all) {
    if (each.seal != seal_of(each)) fail_garbled(&each - all.data(), 0);
  }
  return all;
}

std::optional<base::Error> Meeting::verdict(const std::optional<base::Error>& mine) {
  return verdict(collect(reply_of(mine)), std::nullopt, mine);
}

std::optional<base::Error> Meeting::verdict(const std::vector<Reply>& replies, const std::optional<base::Error>& of_all,
                                            const std::optional<base::Error>& mine, Numbers* numbers) {
  constexpr std::int64_t none = -1;
  constexpr std::int64_t all = -2;
  struct Word {
    std::int64_t whose = none;
    std::int64_t status = 0;
    Numbers numbers = {};
  } word;
  const auto failed = std::ranges::find_if(replies, [](const Reply& reply) { return reply.status != 0; });
  if (of_all) {
    word = {all, static_cast<std::int64_t>(of_all->status()), {}};
  } else if (failed != replies.end()) {
    word = {failed - replies.begin(), failed->status, {}};
  }
  if (numbers != nullptr) word.numbers = *numbers;
  broadcast(std::as_writable_bytes(std::span(&word, 1)), 0);
  if (numbers != nullptr) *numbers = word.numbers;
  if (word.whose == none) return std::nullopt;
  const Status status = sent_status(word.status);
  if (word.whose == all) return base::Error(status, announce(of_all ? of_all->message() : ""));
  const std::string message = announce(mine ? mine->message() : "", word.whose);
  return RankError(word.whose, status, message);
}

void Meeting::agree(const std::optional<base::Error>& mine) {
  if (const auto error = verdict(mine)) throw base::Error(*error);
}

}  // namespace ckpt::state
