#include "state/ranks/meeting.h"

#include <algorithm>
#include <type_traits>

namespace ckpt::state {

using base::Status;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

static_assert(std::is_trivially_copyable_v<Reply> && sizeof(Reply) <= 200);

namespace {
constexpr std::int64_t most_announced_bytes = std::int64_t{1} << 30;  // four times the largest manifest
}

Meeting::Meeting(Coordinator& coordinator, std::int64_t timeout_ns) : coordinator_(coordinator), timeout_(timeout_ns) { renew(); }

void Meeting::renew() noexcept {
  const auto now = steady_clock::now();
  end_ = timeout_ < steady_clock::time_point::max() - now ? now + timeout_ : steady_clock::time_point::max();
}

Coordinator::Timeout Meeting::left() const { return std::max(nanoseconds(0), nanoseconds(end_ - steady_clock::now())); }

void Meeting::broadcast(std::span<std::byte> bytes, std::int64_t root) {
  try {
    coordinator_.broadcast(bytes, root, left());
  } catch (const base::Error& error) {
    if (error.status() != Status::timeout || rank() == root) throw;
    base::fail(Status::timeout, "no word from rank ", root, ": ", error.message());
  }
}

std::string Meeting::announce(std::string_view text, std::int64_t from) {
  const bool speaks = rank() == from;
  std::int64_t bytes = std::ssize(text);
  broadcast(std::as_writable_bytes(std::span(&bytes, 1)), from);
  if (bytes < 0 || bytes > most_announced_bytes)
    base::fail(Status::invalid_state, "rank ", from, " has announced ", bytes, " bytes: the ranks are out of step");
  std::string all(speaks ? text : std::string_view());
  all.resize(static_cast<std::size_t>(bytes));
  if (bytes > 0) broadcast(std::as_writable_bytes(std::span(all)), from);
  return all;
}

std::vector<Reply> Meeting::collect(const Reply& reply) {
  std::vector<Reply> all(leads() ? static_cast<std::size_t>(ranks()) : 0);
  coordinator_.gather(std::as_bytes(std::span(&reply, 1)), std::as_writable_bytes(std::span(all)), 0, left());
  return all;
}

std::vector<std::byte> Meeting::collect(std::span<const std::byte> bytes) {
  std::vector<std::byte> all(leads() ? static_cast<std::size_t>(ranks()) * bytes.size() : 0);
  coordinator_.gather(bytes, all, 0, left());
  return all;
}

std::optional<base::Error> Meeting::verdict(const std::optional<base::Error>& mine) {
  return verdict(collect(reply_of(mine)), std::nullopt, mine);
}

std::optional<base::Error> Meeting::verdict(const std::vector<Reply>& replies, const std::optional<base::Error>& of_all,
                                            const std::optional<base::Error>& mine) {
  constexpr std::int64_t none = -1;
  constexpr std::int64_t all = -2;
  struct Word {
    std::int64_t whose = none;
    std::int64_t status = 0;
  } word;
  const auto failed = std::ranges::find_if(replies, [](const Reply& reply) { return reply.status != 0; });
  if (of_all) {
    word = {all, static_cast<std::int64_t>(of_all->status())};
  } else if (failed != replies.end()) {
    word = {failed - replies.begin(), failed->status};
  }
  broadcast(std::as_writable_bytes(std::span(&word, 1)), 0);
  if (word.whose == none) return std::nullopt;
  const auto status = static_cast<Status>(word.status);
  if (word.status >= 0 || (word.whose != all && (word.whose < 0 || word.whose >= ranks())))
    base::fail(Status::invalid_state, "rank 0 names rank ", word.whose, ": the ranks are out of step");
  if (word.whose == all) return base::Error(status, announce(of_all ? of_all->message() : ""));
  const std::string message = announce(mine ? mine->message() : "", word.whose);
  return RankError(word.whose, status, message);
}

void Meeting::agree(const std::optional<base::Error>& mine) {
  if (const auto error = verdict(mine)) throw base::Error(*error);
}

}  // namespace ckpt::state
