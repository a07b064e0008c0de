#include "upload.h"

#include <algorithm>
#include <cstring>

#include "text.h"
#include "xml.h"

namespace ckpt::s3 {
namespace {

constexpr std::int64_t max_parts = 10000;
constexpr std::int64_t mebibyte = 1 << 20;
// Limit for all parts of a file in flight; larger parts are sent with less concurrency.
constexpr std::size_t max_bytes_in_flight = std::size_t{512} << 20;
// Retries of parts within sync, since callers do not retry it.
constexpr int attempts_of_parts = 5;

std::size_t in_flight(const Config& config, std::size_t part_bytes) {
  const std::size_t fit = std::max<std::size_t>(1, max_bytes_in_flight / part_bytes);
  return std::min(static_cast<std::size_t>(config.parts_in_flight), fit);
}

}  // namespace

std::size_t part_size(std::int64_t wanted, std::int64_t expected_bytes) {
  // Whole MiB, with some margin: the expected size is only an estimate.
  const std::int64_t expected = std::max<std::int64_t>(0, expected_bytes);
  const std::int64_t min = (expected / max_parts + expected / max_parts / 16) / mebibyte * mebibyte + mebibyte;
  return static_cast<std::size_t>(std::max(wanted, min));
}

// ---- PartSender

PartSender::PartSender(Client& client, std::string key, std::string upload)
    : client_(client), key_(std::move(key)), upload_(std::move(upload)), session_(client.lease()) {
  const auto body = [](void* sender) { static_cast<PartSender*>(sender)->run(); };
  if (ckpt_start_thread("ckpt-s3-parts", body, this, nullptr) != CKPT_OK)
    fail(CKPT_E_OUT_OF_MEMORY, "the system cannot start a thread for the upload");
}

PartSender::~PartSender() {
  {
    const std::lock_guard lock(mutex_);
    is_cancelled_ = true;
  }
  session_->wake();
  wait_for_end();
}

// The thread does not access this object after it has released the mutex.
void PartSender::wait_for_end() noexcept {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return has_ended_; });
}

void PartSender::abandon() noexcept { session_.abandon(); }

void PartSender::check() const {
  if (error_) throw *error_;
}

void PartSender::send(int number, Bytes bytes, std::size_t count) {
  auto part = std::make_unique<Part>();
  part->number = number;
  Request& request = part->transfer.request;
  request.method = "PUT";
  request.key = key_;
  request.query = {{"partNumber", cat(number)}, {"uploadId", upload_}};
  request.body = {bytes.get(), count};
  request.body_sha256 = sha256_hex(request.body);
  request.is_sent = true;
  part->bytes = std::move(bytes);
  part->transfer.attempts = attempts_of_parts;
  const std::size_t max = in_flight(client_.config(), count);
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return error_ || has_ended_ || waiting_.size() + sending_.size() < max; });
    check();
    waiting_.push_back(std::move(part));
  }
  session_->wake();
}

Bytes PartSender::spare() {
  const std::lock_guard lock(mutex_);
  return std::move(spare_);
}

std::map<int, std::string> PartSender::finish() {
  {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
  }
  session_->wake();
  wait_for_end();
  check();
  return std::move(etags_);
}

void PartSender::run() noexcept {
  std::optional<Error> error;
  try {
    client_.drive(*session_, *this, static_cast<std::size_t>(client_.config().parts_in_flight));
  } catch (const Error& failure) {
    error = failure;
  } catch (const std::bad_alloc&) {
    error = Error(CKPT_E_OUT_OF_MEMORY, std::string());
  } catch (...) {
    error = Error(CKPT_E_INTERNAL, std::string());
  }
  const std::lock_guard lock(mutex_);
  if (error && !error_) error_ = std::move(error);
  has_ended_ = true;
  changed_.notify_all();
}

Transfer* PartSender::next() {
  const std::lock_guard lock(mutex_);
  if (waiting_.empty() || is_cancelled_) return nullptr;
  std::unique_ptr<Part> part = std::move(waiting_.front());
  waiting_.pop_front();
  Transfer* transfer = &part->transfer;
  sending_.emplace(transfer, std::move(part));
  return transfer;
}

bool PartSender::has_more() {
  const std::lock_guard lock(mutex_);
  return !is_cancelled_ && !(is_closed_ && waiting_.empty());
}

bool PartSender::take(Transfer& transfer) {
  const std::lock_guard lock(mutex_);
  const auto found = sending_.find(&transfer);
  if (transfer.error) {
    error_ = transfer.error;
  } else if (transfer.answer.etag.empty()) {
    error_ = Error(CKPT_E_UNSUPPORTED, "the store returned no ETag for a part");
  } else {
    etags_[found->second->number] = transfer.answer.etag;
    spare_ = std::move(found->second->bytes);
    sending_.erase(found);
  }
  changed_.notify_all();
  return !error_ && !is_cancelled_;
}

bool PartSender::is_stopped() {
  const std::lock_guard lock(mutex_);
  return is_cancelled_;
}

// ---- Upload

Upload::Upload(Client& client, std::string key, std::int64_t expected_bytes)
    : client_(client), key_(std::move(key)), part_bytes_(part_size(client.config().part_bytes, expected_bytes)) {
  // A small file should not use more memory than it needs.
  capacity_ = std::min(part_bytes_, static_cast<std::size_t>(std::clamp<std::int64_t>(expected_bytes, 65536, mebibyte)));
  part_.reset(new std::byte[capacity_]);
}

Upload::~Upload() {
  sender_.reset();  // ends the transfers in progress before the upload
  if (!is_done_ && !upload_.empty()) abort();
}

void Upload::abandon() noexcept {
  if (sender_ != nullptr) {
    sender_->abandon();
    static_cast<void>(sender_.release());  // leaks it: its lock may be held by the parent's thread
  }
  is_done_ = true;
}

Pairs Upload::headers() const {
  const Config& config = client_.config();
  Pairs headers;
  if (!config.server_side_encryption.empty()) headers.emplace_back("x-amz-server-side-encryption", config.server_side_encryption);
  if (!config.kms_key.empty()) headers.emplace_back("x-amz-server-side-encryption-aws-kms-key-id", config.kms_key);
  if (!config.storage_class.empty()) headers.emplace_back("x-amz-storage-class", config.storage_class);
  return headers;
}

void Upload::write(std::int64_t offset, std::span<const std::byte> bytes) {
  if (error_) throw *error_;
  if (is_done_) fail(CKPT_E_INVALID_STATE, "the file was synced and cannot be written any more");
  if (offset != written_) {
    fail(CKPT_E_UNSUPPORTED, "offset is ", offset, " and the file has ", written_, " bytes: objects must be written sequentially");
  }
  try {
    while (!bytes.empty()) {
      if (filled_ == part_bytes_) send_part();  // not earlier: the last part contains the remainder
      if (filled_ == capacity_) {
        const std::size_t larger =
            std::min(part_bytes_, std::max(capacity_ * 2, filled_ + std::min(bytes.size(), part_bytes_ - filled_)));
        Bytes grown(new std::byte[larger]);
        std::memcpy(grown.get(), part_.get(), filled_);
        part_ = std::move(grown);
        capacity_ = larger;
      }
      const std::size_t count = std::min(bytes.size(), capacity_ - filled_);
      std::memcpy(part_.get() + filled_, bytes.data(), count);
      filled_ += count;
      written_ += static_cast<std::int64_t>(count);
      bytes = bytes.subspan(count);
    }
  } catch (const Error& error) {
    error_ = error;  // some bytes were accepted, so the write must not be repeated
    throw;
  } catch (const std::bad_alloc&) {
    error_ = Error(CKPT_E_OUT_OF_MEMORY, "no memory for a part of the file");
    throw *error_;
  }
}

void Upload::begin_parts() {
  mark_ = random_hex(16);
  Request request;
  request.method = "POST";
  request.key = key_;
  request.query = {{"uploads", ""}};
  request.headers = headers();
  // Identifies the object as ours if the response to the completion is lost.
  request.headers.emplace_back("x-amz-meta-ckpt-upload", mark_);
  request.is_sent = true;
  const Answer answer = client_.execute(std::move(request), attempts_of_parts);
  const Element root = parse_xml(answer.body);
  upload_ = root.value("UploadId");
  if (root.name != "InitiateMultipartUploadResult" || upload_.empty()) fail(CKPT_E_IO, "the store's response lacks the upload id");
  sender_ = std::make_unique<PartSender>(client_, key_, upload_);
}

void Upload::send_part() {
  if (number_ == max_parts) {
    fail(CKPT_E_OUT_OF_RANGE, "the file has more than ", max_parts, " parts of ", part_bytes_,
         " bytes: its expected size or options.part_bytes is too small");
  }
  if (sender_ == nullptr) begin_parts();
  sender_->send(++number_, std::move(part_), filled_);
  filled_ = 0;
  part_ = sender_->spare();
  if (part_ == nullptr) part_.reset(new std::byte[part_bytes_]);
  capacity_ = part_bytes_;
}

void Upload::sync() {
  if (error_) throw *error_;
  if (is_done_) return;
  try {
    if (sender_ == nullptr) {
      put_whole();
    } else {
      if (filled_ > 0) send_part();
      complete();
    }
  } catch (const Error& error) {
    error_ = error;
    throw;
  }
  is_done_ = true;
  part_.reset();
}

void Upload::put_whole() {
  Request request;
  request.method = "PUT";
  request.key = key_;
  request.headers = headers();
  request.body = {part_.get(), filled_};
  request.is_sent = true;
  client_.execute(std::move(request), attempts_of_parts);
}

void Upload::complete() {
  const std::map<int, std::string> etags = sender_->finish();
  if (etags.size() != static_cast<std::size_t>(number_)) fail(CKPT_E_INTERNAL, "parts are missing");
  sender_.reset();
  std::string body = "<CompleteMultipartUpload>";
  for (const auto& [number, etag] : etags) {
    body += cat("<Part><PartNumber>", number, "</PartNumber><ETag>", xml_escape(etag), "</ETag></Part>");
  }
  body += "</CompleteMultipartUpload>";
  const Lease session = client_.lease();
  for (int attempt = 1;; ++attempt) {
    Request request;
    request.method = "POST";
    request.key = key_;
    request.query = {{"uploadId", upload_}};
    request.headers = {{"content-type", "application/xml"}};
    request.body = bytes_of(body);
    request.is_sent = true;
    const Transfer transfer = client_.send(*session, std::move(request), attempts_of_parts);
    std::optional<Error> error = transfer.error;
    if (!error) {
      // The store can send status 200 first and fail afterwards.
      const std::string code = error_code(transfer.answer);
      if (code.empty() && transfer.answer.body.find("CompleteMultipartUploadResult") != std::string::npos) return;
      error = code.empty() ? Error(CKPT_E_IO, "the store does not confirm that the file is complete")
                           : answer_error(transfer.answer, code, client_.config().bucket, client_.config().region);
    }
    // If the response was lost, the upload does not exist any more because it is complete.
    if (error->status() == CKPT_E_NOT_FOUND && is_ours()) return;
    const bool is_temporary = error->status() == CKPT_E_IO || error->status() == CKPT_E_BUSY || error->status() == CKPT_E_TIMEOUT;
    if (transfer.error || !is_temporary || attempt == attempts_of_parts) throw *error;
    std::this_thread::sleep_for(std::chrono::milliseconds(100 * attempt));
  }
}

bool Upload::is_ours() {
  try {
    const Answer answer = client_.head(key_, attempts_of_parts);
    return answer.upload == mark_ && answer.length == written_;
  } catch (const Error&) {
    return false;
  }
}

// If the abort fails, the upload remains until the bucket is cleaned; it only uses space.
void Upload::abort() noexcept {
  try {
    Request request;
    request.method = "DELETE";
    request.key = key_;
    request.query = {{"uploadId", upload_}};
    client_.execute(std::move(request), 2);
  } catch (...) {
    return;
  }
}

}  // namespace ckpt::s3
