// HTTP by libcurl: several requests at once, on the thread that calls.
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

// Answers that are not a file's bytes are no longer than this.
inline constexpr std::size_t most_answer_bytes = std::size_t{16} << 20;

struct Request {
  std::string method;
  std::string key;  // whole; "": the bucket
  Pairs query;      // not encoded
  Pairs headers;    // of x-amz-..., signed; of others, not signed
  std::span<const std::byte> body;
  std::string body_sha256;  // made when it is "": of the body
  bool is_sent = false;     // also an empty body: PUT and POST

  // A range of a file: where its bytes go.
  std::span<std::byte> into;
  std::int64_t first = 0;       // of the file
  bool may_be_shorter = false;  // as where the file ends before the range does
};

// "bytes 100-199/5000".
struct ContentRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t total = -1;  // of the file; -1: the store does not say
};
// Nothing when it is not of this form, or says what cannot be.
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

// What its bytes were refused for.
enum class Refused { nothing, too_long, range };

// A request on its way, or one that has ended.
struct Transfer {
  Request request;
  Answer answer;
  Keys keys;  // it was signed with
  Refused refused = Refused::nothing;

  // For who tries again.
  int attempts = 1;  // at most, for what may pass
  int tries = 0;
  int conflicts = 0;
  int throttles = 0;
  bool is_refreshed = false;
  Pause waited{0};
  Moment due;

  std::optional<Error> error;  // what became of it

  // Whether all of the range is there, once an answer that succeeded has ended.
  bool has_range() const;

  // The session's.
  CURL* easy = nullptr;
  curl_slist* headers = nullptr;
  std::size_t sent = 0;
  std::size_t received = 0;
};

// A set of connections. Used by one thread at a time; of its process alone: in a forked child it only closes its copies of the
// sockets.
class Session {
 public:
  Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  // Sends it, signed with the keys and the time now. The transfer stays where it is until it is finished or cancelled.
  void begin(Transfer& transfer, const Config& config, const Keys& keys);
  // Goes on with all of them, without waiting.
  void perform();
  // One that has ended; nullptr: none has.
  Transfer* finished();
  // Waits until something can go on, wake is called, or the time is over.
  void wait(Pause longest);
  void wake() noexcept;
  void cancel_all() noexcept;

 private:
  void set_up(Transfer& transfer, const Config& config, const Keys& keys);
  void end(Transfer& transfer) noexcept;
  static curl_socket_t open_socket(void* self, curlsocktype purpose, curl_sockaddr* address);
  static int close_socket(void* self, curl_socket_t socket);

  pid_t pid_;
  CURLM* multi_ = nullptr;
  std::vector<CURL*> idle_;
  std::vector<Transfer*> running_;
  std::set<int> sockets_;
};

}  // namespace ckpt::s3
