#include "client.h"

#include <algorithm>
#include <ctime>
#include <utility>

#include "text.h"
#include "xml.h"

namespace ckpt::s3 {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t max_idle_sessions = 4;
constexpr int max_conflicts = 5;
constexpr int max_throttles = 8;
constexpr milliseconds longest_wait{5000};  // for one request, on the store's demand
constexpr milliseconds first_pause{50};

struct Meaning {
  const char* code;
  ckpt_status status;
  const char* words;
};

// Other codes are classified only by their HTTP status.
constexpr Meaning meanings[] = {
    {"AccessDenied", CKPT_E_PERMISSION, "the keys do not permit this operation"},
    {"AllAccessDisabled", CKPT_E_PERMISSION, "access to the bucket is disabled"},
    {"InvalidAccessKeyId", CKPT_E_PERMISSION, "the access key is unknown to the store"},
    {"SignatureDoesNotMatch", CKPT_E_PERMISSION, "the secret key does not match the access key"},
    {"InvalidToken", CKPT_E_PERMISSION, "the session token is not valid"},
    {"ExpiredToken", CKPT_E_PERMISSION, "the keys have expired"},
    {"TokenRefreshRequired", CKPT_E_PERMISSION, "the keys have expired"},
    {"RequestTimeTooSkewed", CKPT_E_PERMISSION, "this machine's clock and the store's differ too much: set the clock"},
    {"RequestExpired", CKPT_E_PERMISSION, "this machine's clock and the store's differ too much: set the clock"},
    {"NoSuchKey", CKPT_E_NOT_FOUND, "the object does not exist"},
    {"NoSuchUpload", CKPT_E_NOT_FOUND, "the multipart upload was aborted or is complete"},
    {"QuotaExceeded", CKPT_E_NO_SPACE, "the quota is full"},
    {"ServiceQuotaExceeded", CKPT_E_NO_SPACE, "the quota is full"},
    {"InsufficientCapacity", CKPT_E_NO_SPACE, "the store is full"},
    {"PreconditionFailed", CKPT_E_ALREADY_EXISTS, "the name is taken"},
    {"ConditionalRequestConflict", CKPT_E_BUSY, "another writer is writing this object"},
    {"OperationAborted", CKPT_E_BUSY, "another writer is writing this object"},
    {"SlowDown", CKPT_E_BUSY, "the store limits the rate of requests"},
    {"ServiceUnavailable", CKPT_E_BUSY, "the store is overloaded"},
    {"TooManyRequests", CKPT_E_BUSY, "the store limits the rate of requests"},
    {"ThrottlingException", CKPT_E_BUSY, "the store limits the rate of requests"},
    {"RequestLimitExceeded", CKPT_E_BUSY, "the store limits the rate of requests"},
    {"RequestTimeout", CKPT_E_TIMEOUT, "the store waited too long for the request's bytes"},
    {"XAmzContentSHA256Mismatch", CKPT_E_IO, "the received bytes differ from those sent"},
    {"BadDigest", CKPT_E_IO, "the received bytes differ from those sent"},
    {"IncompleteBody", CKPT_E_IO, "fewer bytes arrived than were sent"},
    {"InternalError", CKPT_E_IO, "internal error of the store"},
    {"NotImplemented", CKPT_E_UNSUPPORTED, "the store does not support this operation"},
    {"MethodNotAllowed", CKPT_E_UNSUPPORTED, "the store does not support this operation"},
    {"InvalidObjectState", CKPT_E_UNSUPPORTED, "the object is archived: restore it first"},
    {"InvalidStorageClass", CKPT_E_INVALID_ARGUMENT, "options.storage_class is unknown to the store"},
    {"InvalidEncryptionAlgorithmError", CKPT_E_INVALID_ARGUMENT, "options.server_side_encryption is unknown to the store"},
    {"InvalidBucketName", CKPT_E_INVALID_ARGUMENT, "the bucket's name is not valid"},
    {"KeyTooLongError", CKPT_E_INVALID_ARGUMENT, "the name is too long"},
    {"EntityTooLarge", CKPT_E_OUT_OF_RANGE, "the file exceeds the store's limit"},
};

struct Fallback {
  ckpt_status status;
  const char* words;
};

Fallback by_status(long status) {
  switch (status) {
    case 401:
    case 403: return {CKPT_E_PERMISSION, "access is denied"};
    case 404: return {CKPT_E_NOT_FOUND, "the object or the bucket does not exist"};
    case 405:
    case 501: return {CKPT_E_UNSUPPORTED, "the store does not support this operation"};
    case 304:
    case 412: return {CKPT_E_ALREADY_EXISTS, "the name is taken"};
    case 408:
    case 504: return {CKPT_E_TIMEOUT, "the store took too long"};
    case 409: return {CKPT_E_BUSY, "another writer is writing this object"};
    case 429:
    case 503: return {CKPT_E_BUSY, "the store limits the rate of requests"};
    case 507: return {CKPT_E_NO_SPACE, "the store is full"};
    default: break;
  }
  if (status >= 500) return {CKPT_E_IO, "internal error of the store"};
  if (status >= 300 && status < 400)
    return {CKPT_E_INVALID_ARGUMENT, "the store redirects to another address; redirects are not followed"};
  if (status >= 400) return {CKPT_E_UNSUPPORTED, "the store rejects the request"};
  return {CKPT_E_IO, "the response is not an S3 response"};
}

Error transport_error(const Transfer& transfer) {
  const CURLcode code = transfer.answer.result;
  ckpt_status status = CKPT_E_IO;
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT: status = CKPT_E_TIMEOUT; break;
    case CURLE_OUT_OF_MEMORY: status = CKPT_E_OUT_OF_MEMORY; break;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CERTPROBLEM: status = CKPT_E_PERMISSION; break;
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_NOT_BUILT_IN: status = CKPT_E_UNSUPPORTED; break;
    default: break;
  }
  // Only libcurl's description of the error code: its message for this transfer could contain an address.
  return {status, curl_easy_strerror(code)};
}

bool is_temporary(ckpt_status status) { return status == CKPT_E_IO || status == CKPT_E_BUSY || status == CKPT_E_TIMEOUT; }

// Ceph reports expired temporary keys only as denied access.
bool may_have_expired(const Transfer& transfer, const std::string& code) {
  if (transfer.error->status() == CKPT_E_PERMISSION && !transfer.keys.session_token.empty()) return true;
  return code == "ExpiredToken" || code == "TokenRefreshRequired" || code == "InvalidToken" || code == "InvalidAccessKeyId" ||
         code == "SignatureDoesNotMatch";
}

// Parses seconds or a date.
std::optional<milliseconds> retry_after(const Answer& answer) {
  if (answer.retry_after.empty()) return std::nullopt;
  if (const auto seconds = number(answer.retry_after)) return milliseconds(std::min<std::int64_t>(*seconds, 1000000) * 1000);
  const std::time_t at = curl_getdate(answer.retry_after.c_str(), nullptr);
  if (at == -1) return std::nullopt;
  return milliseconds(std::clamp<std::int64_t>(at - std::time(nullptr), 0, 1000000) * 1000);
}

// Doubles each time, plus up to 50% at random, so that several clients do not retry at the same time.
milliseconds pause_before(int attempt) {
  const auto base = first_pause * (1 << std::min(attempt, 6));
  return base + base * (steady_clock::now().time_since_epoch().count() % 1000) / 2000;
}

// A single request.
class SingleRequest final : public Source {
 public:
  explicit SingleRequest(Transfer& transfer) : transfer_(&transfer) {}
  Transfer* next() override { return std::exchange(transfer_, nullptr); }
  bool has_more() override { return false; }
  bool take(Transfer&) override { return true; }

 private:
  Transfer* transfer_;
};

}  // namespace

std::string error_code(const Answer& answer) {
  if (answer.body.find("<Error") == std::string::npos) return "";
  try {
    const Element root = parse_xml(answer.body);
    return root.name == "Error" ? sanitized(root.value("Code")) : "";
  } catch (const Error&) {
    return "";  // the HTTP status is sufficient
  }
}

Error answer_error(const Answer& answer, const std::string& code, const std::string& bucket, const std::string& region) {
  const std::string head = cat("HTTP ", static_cast<std::int64_t>(answer.status), code.empty() ? "" : " ", code, ": ");
  // The URI is wrong. Not NOT_FOUND, on which callers would start a new run.
  if (code == "NoSuchBucket") return {CKPT_E_INVALID_ARGUMENT, cat(head, "the bucket ", in_quotes(bucket), " does not exist")};
  if (code == "PermanentRedirect" || code == "TemporaryRedirect" || code == "AuthorizationHeaderMalformed" ||
      (answer.status == 301 && !answer.region.empty())) {
    const std::string other = sanitized(answer.region);
    return {CKPT_E_INVALID_ARGUMENT,
            cat(head, "the bucket ", in_quotes(bucket), " is not in the region ", region, other.empty() ? "" : " but in ", other)};
  }
  for (const Meaning& meaning : meanings) {
    if (code == meaning.code) return {meaning.status, head + meaning.words};
  }
  const Fallback fallback = by_status(answer.status);
  return {fallback.status, head + fallback.words};
}

Lease::~Lease() {
  if (session_ != nullptr) client_->return_session(std::move(session_));
}

Lease Client::lease() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      Lease taken(*this, std::move(idle_.back()));
      idle_.pop_back();
      return taken;
    }
  }
  return {*this, std::make_unique<Session>()};
}

void Client::return_session(std::unique_ptr<Session> session) noexcept {
  session->cancel_all();
  const std::lock_guard lock(mutex_);
  try {
    if (idle_.size() < max_idle_sessions) idle_.push_back(std::move(session));
  } catch (const std::bad_alloc&) {
    return;  // out of memory: closes it instead
  }
}

std::optional<Pause> Client::classify(Transfer& transfer) {
  const Answer& answer = transfer.answer;
  ++transfer.tries;
  std::string code;
  if (transfer.refused == Refused::too_long) {
    transfer.error = Error(CKPT_E_IO, cat("the store's response is longer than ", max_answer_bytes, " bytes"));
    return std::nullopt;
  }
  if (transfer.refused == Refused::range) {
    transfer.error = Error(CKPT_E_UNSUPPORTED, "the store sent a range other than the requested one");
    return std::nullopt;
  }
  if (answer.result != CURLE_OK) {
    transfer.error = transport_error(transfer);
  } else if (answer.status >= 200 && answer.status < 300) {
    if (transfer.request.into.empty() || transfer.has_range()) return std::nullopt;
    transfer.error = Error(CKPT_E_IO, "the store sent fewer bytes than requested");
  } else {
    code = error_code(answer);
    transfer.error = answer_error(answer, code, config_.bucket, config_.region);
  }
  if (may_have_expired(transfer, code)) {
    if (!std::exchange(transfer.is_refreshed, true) && credentials_->refresh(transfer.keys)) return Pause(0);
    if (code == "AccessDenied")
      transfer.error = Error(CKPT_E_PERMISSION, transfer.error->message() + ", or the session has expired");
  }
  const Error& error = *transfer.error;
  if (answer.status == 409 && error.status() == CKPT_E_BUSY && ++transfer.conflicts < max_conflicts) {
    return pause_before(transfer.conflicts);
  }
  if (error.status() == CKPT_E_BUSY) {
    if (const auto asked = retry_after(answer)) {
      if (transfer.waited + *asked > longest_wait || ++transfer.throttles > max_throttles) {
        transfer.error = Error(CKPT_E_BUSY, cat(error.message(), ", and requests a wait of ", asked->count() / 1000, " s"));
        return std::nullopt;
      }
      transfer.waited += *asked;
      return *asked;
    }
  }
  if (is_temporary(error.status()) && transfer.tries < transfer.attempts) return pause_before(transfer.tries);
  return std::nullopt;
}

void Client::drive(Session& session, Source& source, std::size_t max) {
  // On any exit, removes the transfers from the session, which stores their addresses.
  struct Cancel {
    Session& session;
    ~Cancel() { session.cancel_all(); }
  } const cancel{session};
  std::vector<Transfer*> delayed;
  std::size_t running = 0;
  while (!source.is_stopped()) {
    Pause longest(1000);
    while (running < max) {
      const Moment now = steady_clock::now();
      const auto due = std::find_if(delayed.begin(), delayed.end(), [&](const Transfer* transfer) { return transfer->due <= now; });
      Transfer* transfer = nullptr;
      if (due != delayed.end()) {
        transfer = *due;
        delayed.erase(due);
      } else {
        transfer = source.next();
      }
      if (transfer == nullptr) break;
      session.begin(*transfer, config_, credentials_->current());
      ++running;
    }
    if (running == 0 && delayed.empty() && !source.has_more()) return;
    session.perform();
    while (Transfer* transfer = session.finished()) {
      --running;
      longest = Pause(0);
      if (const auto pause = classify(*transfer)) {
        transfer->due = steady_clock::now() + *pause;
        delayed.push_back(transfer);
      } else if (!source.take(*transfer)) {
        return;
      }
    }
    for (const Transfer* transfer : delayed) {
      const auto left = std::chrono::ceil<milliseconds>(transfer->due - steady_clock::now());
      longest = std::clamp(left, Pause(0), longest);
    }
    if (longest.count() > 0) session.wait(longest);
  }
}

Transfer Client::send(Session& session, Request request, int attempts) {
  Transfer transfer;
  transfer.request = std::move(request);
  transfer.attempts = attempts;
  SingleRequest one(transfer);
  drive(session, one, 1);
  return transfer;
}

Answer Client::execute(Session& session, Request request, int attempts) {
  Transfer transfer = send(session, std::move(request), attempts);
  if (transfer.error) throw *transfer.error;
  return std::move(transfer.answer);
}

Answer Client::execute(Request request, int attempts) {
  const Lease session = lease();
  return execute(*session, std::move(request), attempts);
}

Answer Client::head(const std::string& key, int attempts) {
  const Lease session = lease();
  Request request;
  request.method = "HEAD";
  request.key = key;
  Transfer transfer = send(*session, request, attempts);
  if (!transfer.error) return std::move(transfer.answer);
  const long status = transfer.answer.status;
  if (transfer.answer.result != CURLE_OK || (status != 400 && status != 403)) throw *transfer.error;
  // Only GET returns a body with the reason. If the keys were read again in the meantime, it succeeds, and so will HEAD.
  Request reason;
  reason.method = "GET";
  reason.key = key;
  reason.headers = {{"range", "bytes=0-0"}};
  const Transfer explained = send(*session, std::move(reason), 1);
  if (explained.answer.result != CURLE_OK) throw *transfer.error;
  if (explained.error && explained.answer.status != 416) throw *explained.error;  // 416: it is empty
  return execute(*session, std::move(request), attempts);
}

}  // namespace ckpt::s3
