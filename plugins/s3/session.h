// HTTP with libcurl: several concurrent requests on the calling thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <curl/curl.h>
#include <sys/types.h>

#include "config.h"
#include "error.h"
#include "sign.h"

namespace ckpt::s3 {

using Moment = std::chrono::steady_clock::time_point;
using Pause = std::chrono::milliseconds;

// Limit of responses that are not a file's bytes.
inline constexpr std::size_t max_answer_bytes = std::size_t{16} << 20;

struct Request {
  std::string method;
  std::string key;  // full key; "": the bucket
  Pairs query;      // unencoded
  Pairs headers;    // x-amz-... are signed, others are not
  std::span<const std::byte> body;
  std::string body_sha256;  // "": computed from the body
  bool is_sent = false;     // send a body, even an empty one: PUT and POST

  // A range of a file: destination of its bytes.
  std::span<std::byte> into;
  std::int64_t first = 0;       // position in the file
  bool may_be_shorter = false;  // the file may end before the range does
};

// "bytes 100-199/5000".
struct ContentRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t total = -1;  // size of the file; -1: not reported
};
// Returns nothing if the header has another form or impossible values.
std::optional<ContentRange> read_content_range(std::string_view header);

struct Answer {
  CURLcode result = CURLE_OK;
  long status = 0;
  std::int64_t length = -1;  // Content-Length
  std::string etag;
  std::string date;  // the store's clock
  std::string retry_after;
  std::string content_range;
  std::string region;
  std::string upload;  // x-amz-meta-ckpt-upload
  std::string body;
};

// Why received bytes were rejected.
enum class Refused { nothing, too_long, range };

// A request in progress or completed.
struct Transfer {
  Request request;
  Answer answer;
  Keys keys;  // keys of its signature
  Refused refused = Refused::nothing;

  // State of retries.
  int attempts = 1;  // maximum, for temporary errors
  int tries = 0;
  int conflicts = 0;
  int throttles = 0;
  bool is_refreshed = false;
  Pause waited{0};
  Moment due;

  std::optional<Error> error;  // set if it failed

  // Returns whether the complete range was received, after a successful response has ended.
  bool has_range() const;

  // Used by the session.
  CURL* easy = nullptr;
  curl_slist* headers = nullptr;
  std::size_t sent = 0;
  std::size_t received = 0;
};

// A set of connections. Used by one thread at a time, and only in the process that created it: in a forked child it only closes its
// copies of the sockets.
class Session {
 public:
  Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  // Sends the transfer, signed with the keys and the current time. Its address must not change until it is finished or cancelled.
  void begin(Transfer& transfer, const Config& config, const Keys& keys);
  // Makes progress on all transfers without waiting.
  void perform();
  // Returns a completed transfer; nullptr: none.
  Transfer* finished();
  // Waits until progress is possible, wake is called, or the time is over.
  void wait(Pause longest);
  void wake() noexcept;
  void cancel_all() noexcept;

 private:
  void set_up(Transfer& transfer, const Config& config, const Keys& keys);
  void end(Transfer& transfer, bool completed) noexcept;
  static curl_socket_t open_socket(void* self, curlsocktype purpose, curl_sockaddr* address);
  static int close_socket(void* self, curl_socket_t socket);

  pid_t pid_;
  CURLM* multi_ = nullptr;
  std::vector<CURL*> idle_;
  std::vector<Transfer*> running_;
  std::set<int> sockets_;
};

}  // namespace ckpt::s3
