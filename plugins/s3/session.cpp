#include "session.h"
#include "text.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <ctime>
#include <mutex>
#include <new>

#include <sys/socket.h>
#include <unistd.h>

namespace ckpt::s3 {
namespace {

// Transfers at or below this rate count as stalled.
constexpr long stalled_bytes_per_second = 1;
constexpr long stalled_seconds = 60;

void start_curl() {
  static std::once_flag once;
  static CURLcode result = CURLE_OK;
  std::call_once(once, [] { result = curl_global_init(CURL_GLOBAL_DEFAULT); });
  if (result != CURLE_OK) fail(CKPT_E_INTERNAL, "libcurl cannot be initialized: ", curl_easy_strerror(result));
}

// Blocks the signals that a program handles during calls of libcurl that do not wait: the thread that libcurl starts to resolve a
// host name inherits the mask, and would run the program's handlers. The list is that of libckpt's own threads, repeated because
// plug-ins use the public API only. libcurl can also write to a broken TLS connection without MSG_NOSIGNAL, so SIGPIPE is discarded
// if it was raised.
class SignalsBlocked {
 public:
  SignalsBlocked() noexcept {
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t program;
    sigemptyset(&program);
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGCHLD, SIGCONT, SIGWINCH,
                             SIGPIPE, SIGIO, SIGURG, SIGTSTP, SIGTTIN, SIGTTOU}) {
      sigaddset(&program, signal);
    }
    is_blocked_ = pthread_sigmask(SIG_BLOCK, &program, &before_) == 0;
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() {
    if (!is_blocked_) return;
    if (!was_pending_) {
      const timespec now{0, 0};
      while (sigtimedwait(&pipe_, nullptr, &now) == -1 && errno == EINTR) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_;
  sigset_t before_;
  bool was_pending_ = false;
  bool is_blocked_ = false;
};

void check(CURLMcode code) {
  if (code == CURLM_OUT_OF_MEMORY) throw std::bad_alloc();
  if (code != CURLM_OK) fail(CKPT_E_INTERNAL, "libcurl: ", curl_multi_strerror(code));
}

template <class Value>
void set(CURL* easy, CURLoption option, Value value) {
  const CURLcode code = curl_easy_setopt(easy, option, value);
  if (code == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
  if (code != CURLE_OK) fail(CKPT_E_UNSUPPORTED, "libcurl rejects option ", static_cast<int>(option));
}

// Fails if an allocation fails: without the header the request would be a different one.
void add_header(Transfer& transfer, const std::string& line) {
  curl_slist* list = curl_slist_append(transfer.headers, line.c_str());
  if (list == nullptr) throw std::bad_alloc();
  transfer.headers = list;
}

std::string utc(std::time_t seconds) {
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  const std::size_t length = std::strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &parts);
  return std::string(text, length);
}

bool is_signed(const std::string& name) { return name.starts_with("x-amz-") || name == "content-md5" || name == "content-type"; }

std::size_t read_body(char* buffer, std::size_t size, std::size_t count, void* self) {
  auto& transfer = *static_cast<Transfer*>(self);
  const std::size_t bytes = std::min(size * count, transfer.request.body.size() - transfer.sent);
  if (bytes > 0) std::memcpy(buffer, transfer.request.body.data() + transfer.sent, bytes);
  transfer.sent += bytes;
  return bytes;
}

int seek_body(void* self, curl_off_t offset, int origin) {
  auto& transfer = *static_cast<Transfer*>(self);
  if (origin != SEEK_SET || offset < 0 || static_cast<std::size_t>(offset) > transfer.request.body.size())
    return CURL_SEEKFUNC_FAIL;
  transfer.sent = static_cast<std::size_t>(offset);
  return CURL_SEEKFUNC_OK;
}

// Returns the number of bytes of the requested range in a successful response; nothing if the response has a different range.
std::optional<std::size_t> range_bytes(const Request& request, const Answer& answer) {
  const auto max = static_cast<std::int64_t>(request.into.size());
  std::int64_t bytes = answer.length;  // a store without support for ranges sends the whole file with 200
  bool fits = request.first == 0;
  if (answer.status == 206) {
    const auto range = read_content_range(answer.content_range);
    if (!range) return std::nullopt;
    bytes = range->last - range->first + 1;
    // It may only be shorter if the file ends.
    fits = range->first == request.first && (bytes == max || range->last + 1 == range->total);
  }
  if (!fits || bytes < 0 || bytes > max || (bytes < max && !request.may_be_shorter)) return std::nullopt;
  return static_cast<std::size_t>(bytes);
}

std::size_t write_body(char* data, std::size_t, std::size_t bytes, void* self) {
  auto& transfer = *static_cast<Transfer*>(self);
  const Request& request = transfer.request;
  long status = 0;
  curl_easy_getinfo(transfer.easy, CURLINFO_RESPONSE_CODE, &status);
  if (!request.into.empty() && status >= 200 && status < 300) {
    transfer.answer.status = status;
    const auto expected = range_bytes(request, transfer.answer);
    if (!expected || bytes > *expected - transfer.received) {
      transfer.refused = Refused::range;
      return 0;
    }
    std::memcpy(request.into.data() + transfer.received, data, bytes);
    transfer.received += bytes;
    return bytes;
  }
  std::string& body = transfer.answer.body;
  if (bytes > max_answer_bytes - body.size()) {
    transfer.refused = Refused::too_long;
    return 0;
  }
  try {
    body.append(data, bytes);
  } catch (const std::bad_alloc&) {
    return 0;  // an error of writing
  }
  return bytes;
}

std::size_t take_header(char* data, std::size_t, std::size_t bytes, void* self) {
  Answer& answer = static_cast<Transfer*>(self)->answer;
  const std::string_view line(data, bytes);
  try {
    if (line.starts_with("HTTP/")) {  // the next response, after 100
      answer = {};
      return bytes;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return bytes;
    const std::string name = lower(line.substr(0, colon));
    const std::string_view value = trim(line.substr(colon + 1));
    if (name == "content-length") answer.length = number(value).value_or(-1);
    if (name == "etag") answer.etag = value;
    if (name == "date") answer.date = value;
    if (name == "retry-after") answer.retry_after = value;
    if (name == "content-range") answer.content_range = value;
    if (name == "x-amz-bucket-region") answer.region = value;
    if (name == "x-amz-meta-ckpt-upload") answer.upload = value;
  } catch (const std::bad_alloc&) {
    return 0;
  }
  return bytes;
}

}  // namespace

std::optional<ContentRange> read_content_range(std::string_view header) {
  constexpr std::string_view unit = "bytes ";
  const std::size_t dash = header.find('-');
  const std::size_t slash = header.find('/');
  if (!header.starts_with(unit) || dash == std::string_view::npos || slash == std::string_view::npos || slash < dash)
    return std::nullopt;
  const auto first = number(header.substr(unit.size(), dash - unit.size()));
  const auto last = number(header.substr(dash + 1, slash - dash - 1));
  const std::string_view end = header.substr(slash + 1);
  const auto total = end == "*" ? std::optional<std::int64_t>(-1) : number(end);
  if (!first || !last || !total || *last < *first || *last == INT64_MAX || (*total >= 0 && *last >= *total)) return std::nullopt;
  return ContentRange{*first, *last, *total};
}

bool Transfer::has_range() const {
  const auto expected = range_bytes(request, answer);
  return expected && received == *expected;
}

Session::Session() : pid_(getpid()) {
  start_curl();
  multi_ = curl_multi_init();
  if (multi_ == nullptr) throw std::bad_alloc();
}

Session::~Session() {
  if (getpid() != pid_) {
    // A regular TLS shutdown would end the parent's connection: libcurl's memory is leaked instead.
    for (const int socket : sockets_) close(socket);
    return;
  }
  cancel_all();
  const SignalsBlocked blocked;
  for (CURL* easy : idle_) curl_easy_cleanup(easy);
  curl_multi_cleanup(multi_);
}

curl_socket_t Session::open_socket(void* self, curlsocktype, curl_sockaddr* address) {
  const int socket = ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  if (socket < 0) return CURL_SOCKET_BAD;
  try {
    static_cast<Session*>(self)->sockets_.insert(socket);
  } catch (const std::bad_alloc&) {
    close(socket);
    return CURL_SOCKET_BAD;
  }
  return socket;
}

int Session::close_socket(void* self, curl_socket_t socket) {
  static_cast<Session*>(self)->sockets_.erase(socket);
  return close(socket);
}

void Session::begin(Transfer& transfer, const Config& config, const Keys& keys) {
  if (idle_.empty()) {
    idle_.push_back(curl_easy_init());
    if (idle_.back() == nullptr) {
      idle_.pop_back();
      throw std::bad_alloc();
    }
  }
  running_.reserve(running_.size() + 1);
  idle_.reserve(running_.size() + idle_.size() + 1);  // so that end never allocates
  transfer.easy = idle_.back();
  idle_.pop_back();
  running_.push_back(&transfer);
  try {
    set_up(transfer, config, keys);
    check(curl_multi_add_handle(multi_, transfer.easy));
  } catch (...) {
    end(transfer, false);
    throw;
  }
}

void Session::set_up(Transfer& transfer, const Config& config, const Keys& keys) {
  Request& request = transfer.request;
  transfer.answer = {};
  transfer.refused = Refused::nothing;
  transfer.error.reset();
  transfer.sent = transfer.received = 0;
  transfer.keys = keys;
  if (request.body_sha256.empty()) request.body_sha256 = sha256_hex(request.body);

  Unsigned what;
  what.method = request.method;
  what.path = config.path(request.key);
  what.query = request.query;
  what.payload_sha256 = request.body_sha256;
  what.region = config.region;
  what.time = utc(std::time(nullptr) + config.clock_offset_seconds);
  what.headers = {{"host", config.host()}, {"x-amz-content-sha256", what.payload_sha256}, {"x-amz-date", what.time}};
  if (!keys.session_token.empty()) what.headers.emplace_back("x-amz-security-token", keys.session_token);
  for (const auto& header : request.headers) {
    if (is_signed(header.first)) what.headers.push_back(header);
  }
  for (const auto& [name, value] : what.headers) add_header(transfer, cat(name, ": ", value));
  for (const auto& [name, value] : request.headers) {
    if (!is_signed(name)) add_header(transfer, cat(name, ": ", value));
  }
  add_header(transfer, "authorization: " + authorization(what, keys));
  for (const char* none : {"expect:", "accept:", "content-type:"}) {
    const bool is_given =
        std::any_of(request.headers.begin(), request.headers.end(), [&](const auto& header) { return header.first + ":" == none; });
    if (!is_given) add_header(transfer, none);  // suppresses libcurl's default header
  }

  CURL* easy = transfer.easy;
  set(easy, CURLOPT_URL, config.url(request.key, canonical_query(request.query)).c_str());
  set(easy, CURLOPT_PATH_AS_IS, 1L);
  set(easy, CURLOPT_PROTOCOLS_STR, config.is_tls ? "https" : "http");
  set(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));  // parts use separate connections
  set(easy, CURLOPT_FOLLOWLOCATION, 0L);
  set(easy, CURLOPT_NOSIGNAL, 1L);
  set(easy, CURLOPT_USERAGENT, "libckpt-s3");
  set(easy, CURLOPT_HTTPHEADER, transfer.headers);
  set(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(std::max<std::int64_t>(1, config.connect_timeout_ns / 1000000)));
  set(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(std::max<std::int64_t>(1, config.request_timeout_ns / 1000000)));
  if (!request.body.empty() || !request.into.empty()) {
    set(easy, CURLOPT_LOW_SPEED_LIMIT, stalled_bytes_per_second);
    set(easy, CURLOPT_LOW_SPEED_TIME, stalled_seconds);
  }
  set(easy, CURLOPT_BUFFERSIZE, 262144L);
  set(easy, CURLOPT_UPLOAD_BUFFERSIZE, 1048576L);
  set(easy, CURLOPT_SSL_VERIFYPEER, 1L);
  set(easy, CURLOPT_SSL_VERIFYHOST, 2L);
  if (!config.ca_file.empty()) set(easy, CURLOPT_CAINFO, config.ca_file.c_str());
  set(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
  set(easy, CURLOPT_OPENSOCKETDATA, static_cast<void*>(this));
  set(easy, CURLOPT_CLOSESOCKETFUNCTION, close_socket);
  set(easy, CURLOPT_CLOSESOCKETDATA, static_cast<void*>(this));
  set(easy, CURLOPT_HEADERFUNCTION, take_header);
  set(easy, CURLOPT_HEADERDATA, static_cast<void*>(&transfer));
  set(easy, CURLOPT_WRITEFUNCTION, write_body);
  set(easy, CURLOPT_WRITEDATA, static_cast<void*>(&transfer));
  set(easy, CURLOPT_PRIVATE, static_cast<void*>(&transfer));
  if (request.is_sent) {
    set(easy, CURLOPT_UPLOAD, 1L);
    set(easy, CURLOPT_READFUNCTION, read_body);
    set(easy, CURLOPT_READDATA, static_cast<void*>(&transfer));
    set(easy, CURLOPT_SEEKFUNCTION, seek_body);
    set(easy, CURLOPT_SEEKDATA, static_cast<void*>(&transfer));
    set(easy, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    set(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  } else if (request.method == "HEAD") {
    set(easy, CURLOPT_NOBODY, 1L);
  } else {
    set(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  }
}

void Session::perform() {
  const SignalsBlocked blocked;
  int running = 0;
  check(curl_multi_perform(multi_, &running));
}

Transfer* Session::finished() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    Transfer* transfer = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
    transfer->answer.result = message->data.result;
    curl_easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &transfer->answer.status);
    end(*transfer, transfer->answer.result == CURLE_OK);
    return transfer;
  }
  return nullptr;
}

void Session::wait(Pause longest) {
  int ready = 0;
  check(curl_multi_poll(multi_, nullptr, 0, static_cast<int>(std::clamp<std::int64_t>(longest.count(), 0, 60000)), &ready));
}

void Session::wake() noexcept { curl_multi_wakeup(multi_); }

void Session::cancel_all() noexcept {
  while (!running_.empty()) end(*running_.back(), false);
}

// Also works for a transfer that was not added. The handle of an incomplete transfer is not used again: if its host name was not
// resolved, libcurl 7.88 keeps its buffer, and refuses another size of it.
void Session::end(Transfer& transfer, bool completed) noexcept {
  const SignalsBlocked blocked;
  curl_multi_remove_handle(multi_, transfer.easy);
  curl_slist_free_all(transfer.headers);
  transfer.headers = nullptr;
  if (completed) {
    curl_easy_reset(transfer.easy);
    idle_.push_back(transfer.easy);
  } else {
    curl_easy_cleanup(transfer.easy);
  }
  transfer.easy = nullptr;
  std::erase(running_, &transfer);
}

}  // namespace ckpt::s3
