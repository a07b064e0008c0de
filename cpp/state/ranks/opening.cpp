#include "state/ranks/opening.h"

#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "state/caught.h"
#include "state/checkpoint_files.h"
#include "state/ranks/broadcast_text.h"
#include "state/record_text.h"

namespace ckpt::state {
namespace {

using base::cat;
using base::Json;
using base::Status;

// Returns the first error that is only visible in the combination of the replies, although each rank's arguments are valid.
std::optional<base::Error> unlike(const std::vector<Reply>& replies) {
  const std::int64_t ranks = std::ssize(replies);
  for (std::int64_t of = 0; of < ranks; ++of) {
    const auto& numbers = replies[static_cast<std::size_t>(of)].numbers;
    if (numbers[0] == of && numbers[1] == ranks) continue;
    return base::Error(Status::invalid_argument,
                       cat("coordinator: rank ", of, " of ", ranks, " reports that it is rank ", numbers[0], " of ", numbers[1]));
  }
  for (const Reply& reply : replies) {
    if (reply.status != 0) return std::nullopt;
  }
  for (const Reply& reply : replies) {
    if (reply.numbers[2] == replies[0].numbers[2]) continue;
    return base::Error(Status::invalid_argument, cat("read_only is ", reply.numbers[2], " on rank ", reply.numbers[0], " and ",
                                                     replies[0].numbers[2], " on rank 0; expected the same on all ranks"));
  }
  return std::nullopt;
}

std::string random_hex() {
  std::random_device random;
  std::string out;
  for (int i = 0; i < 16; ++i) out += "0123456789abcdef"[random() & 15];
  return out;
}

// A file that all ranks must find.
struct Token {
  std::string path;
  std::string text;
};

std::string to_text(const Token& token) {
  base::JsonWriter out;
  return std::move(out.begin_object().member("path", token.path).member("text", token.text).end_object()).text();
}

void write_token(storage::Storage& storage, const Token& token) {
  const auto file = storage.create_stream(token.path, {std::ssize(token.text), nullptr});
  file->write(0, std::as_bytes(std::span(token.text)));
  file->sync();
}

void verify_token(storage::Storage& storage, const Token& token) {
  try {
    const std::string found = read_text(*storage.open(token.path), 4096);
    if (found != token.text) base::fail(Status::not_found, token.path, " has different contents");
  } catch (const base::Error& error) {
    if (error.status() != Status::not_found) throw;
    base::fail(Status::invalid_argument, "storage ", base::quote(storage.name()),
               " is not shared: the file created by rank 0 is missing");
  }
}

}  // namespace

void agree_to_open(Collective& collective, bool read_only, const std::optional<base::Error>& refused) {
  Reply reply = reply_of(refused);
  reply.numbers = {collective.rank(), collective.ranks(), read_only ? 1 : 0, 0};
  const std::vector<Reply> replies = collective.gather(reply);
  const auto of_all = collective.leads() ? unlike(replies) : std::nullopt;
  if (const auto error = collective.first_error(replies, of_all, refused)) throw base::Error(*error);
}

// If the other ranks do not arrive, this rank still throws its own error instead of the time-out.
void refuse_to_open(Coordinator& coordinator, std::int64_t timeout_ns, const base::Error& refused) {
  if (base::is_inside_log_sink()) throw base::Error(refused);
  try {
    Collective collective(coordinator, timeout_ns);
    agree_to_open(collective, false, refused);
  } catch (const base::Error& error) {
    if (error.status() != Status::timeout) throw;
  }
  throw base::Error(refused);
}

std::string open_shared(Collective& collective, Protocol& protocol, const std::function<void()>& open_alone) {
  Token token;
  std::optional<base::Error> mine;
  bool is_written = false;
  if (collective.leads()) {
    mine = error_of([&] {
      open_alone();
      protocol.remove_markers();  // left by runs that were killed during open
      token.text = random_hex();
      token.path = protocol.marker_path(token.text);
      is_written = true;
      write_token(protocol.storage(), token);
    });
  }
  const auto remove_token = [&] {
    if (!is_written) return;
    const auto problem = error_of([&] { protocol.storage().remove(token.path); });
    if (problem && problem->status() != Status::not_found)
      base::warn("state", cat("cannot remove ", token.path, ": ", problem->message()));
  };
  try {
    const std::string text = collective.broadcast_text(!collective.leads() ? "" : mine ? error_text(*mine) : to_text(token));
    token = read_broadcast(
        text,
        [](const Json& all) {
          return Token{member_of(all, "path").string(), member_of(all, "text").string()};
        },
        [](const base::Error& error) { throw RankError(0, error.status(), error.message()); });
    if (!collective.leads()) mine = error_of([&] { verify_token(protocol.storage(), token); });
    collective.agree(mine);
  } catch (...) {
    remove_token();
    throw;
  }
  remove_token();
  return token.text;
}

}  // namespace ckpt::state
