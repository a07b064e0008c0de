#include "state/ranks/meeting.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>

namespace ckpt::state {

using base::Status;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

static_assert(std::is_trivially_copyable_v<Reply> && sizeof(Reply) <= 200);

void Reply::set_error(const base::Error& error) {
  status = static_cast<std::int32_t>(error.status());
  // At a character's end.
  std::size_t bytes = 0;
  const std::string_view message = error.message();
  while (bytes < message.size()) {
    const std::size_t next = std::max<std::size_t>(1, base::utf8_length(message.substr(bytes)));
    if (bytes + next >= text.size()) break;
    bytes += next;
  }
  std::memcpy(text.data(), message.data(), bytes);
  text[bytes] = '\0';
}

base::Error error_of_rank(std::int64_t rank, Status status, std::string_view message) {
  return {status, base::cat("rank ", rank, ": ", message)};
}

Meeting::Meeting(Coordinator& coordinator, std::int64_t timeout_ns) : coordinator_(coordinator) {
  const auto now = steady_clock::now();
  end_ = nanoseconds(timeout_ns) < steady_clock::time_point::max() - now ? now + nanoseconds(timeout_ns)
                                                                         : steady_clock::time_point::max();
}

Coordinator::Timeout Meeting::left() const { return std::max(nanoseconds(0), nanoseconds(end_ - steady_clock::now())); }

void Meeting::broadcast(std::span<std::byte> bytes, std::int64_t root) { coordinator_.broadcast(bytes, root, left()); }

std::string Meeting::announce(std::string_view text) {
  std::int64_t bytes = std::ssize(text);
  broadcast(std::as_writable_bytes(std::span(&bytes, 1)), 0);
  std::string all(leads() ? text : std::string_view());
  if (bytes < 0) base::fail(Status::invalid_state, "rank 0 has announced ", bytes, " bytes: the ranks are out of step");
  all.resize(static_cast<std::size_t>(bytes));
  if (bytes > 0) broadcast(std::as_writable_bytes(std::span(all)), 0);
  return all;
}

std::vector<Reply> Meeting::collect(const Reply& reply) {
  std::vector<Reply> all(leads() ? static_cast<std::size_t>(ranks()) : 0);
  coordinator_.gather(std::as_bytes(std::span(&reply, 1)), std::as_writable_bytes(std::span(all)), 0, left());
  return all;
}

void Meeting::agree(const std::optional<base::Error>& mine) {
  Reply reply;
  if (mine) reply.set_error(*mine);
  conclude(collect(reply), std::nullopt);
}

void Meeting::conclude(const std::vector<Reply>& replies, const std::optional<base::Error>& leads) {
  std::string verdict;  // a status, a space, and the message; nothing when all is well
  const auto failed = std::ranges::find_if(replies, [](const Reply& reply) { return reply.status != 0; });
  if (leads) {
    verdict = base::cat(static_cast<std::int32_t>(leads->status()), ' ', leads->message());
  } else if (failed != replies.end()) {
    const base::Error error = error_of_rank(failed - replies.begin(), static_cast<Status>(failed->status), failed->text.data());
    verdict = base::cat(failed->status, ' ', error.message());
  }
  verdict = announce(verdict);
  if (verdict.empty()) return;
  const std::size_t space = verdict.find(' ');
  std::int32_t status = static_cast<std::int32_t>(Status::internal);
  std::from_chars(verdict.data(), verdict.data() + std::min(space, verdict.size()), status);
  throw base::Error(static_cast<Status>(status), verdict.substr(std::min(space + 1, verdict.size())));
}

}  // namespace ckpt::state
