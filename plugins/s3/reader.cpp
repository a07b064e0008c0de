#include "reader.h"

#include <algorithm>
#include <deque>

namespace ckpt::s3 {
namespace {

// Gets pieces, and stops at the first that fails.
class Pieces final : public Source {
 public:
  explicit Pieces(std::deque<Transfer>& transfers) : transfers_(transfers) {}
  Transfer* next() override { return begun_ < transfers_.size() ? &transfers_[begun_++] : nullptr; }
  bool has_more() override { return begun_ < transfers_.size(); }
  bool take(Transfer& transfer) override {
    if (transfer.error) error = transfer.error;
    return !error;
  }
  std::optional<Error> error;

 private:
  std::deque<Transfer>& transfers_;
  std::size_t begun_ = 0;
};

}  // namespace

Reader::Reader(Client& client, std::string key) : client_(client), key_(std::move(key)) {
  const Answer answer = client_.head(key_);
  if (answer.length < 0) fail(CKPT_E_UNSUPPORTED, "the store does not say how long the object is");
  bytes_ = answer.length;
  etag_ = answer.etag;
}

std::int64_t Reader::read(std::int64_t offset, std::span<std::byte> bytes) {
  require(offset >= 0, "offset is ", offset, "; at least 0");
  if (offset >= bytes_ || bytes.empty()) return 0;
  const auto count = static_cast<std::size_t>(std::min<std::int64_t>(bytes_ - offset, static_cast<std::int64_t>(bytes.size())));
  fetch({{offset, bytes.first(count)}});
  return static_cast<std::int64_t>(count);
}

void Reader::read_ranges(std::span<const ckpt_storage_range> ranges) {
  std::vector<Piece> pieces;
  for (const ckpt_storage_range& range : ranges) {
    require(range.offset >= 0 && range.bytes >= 0 && range.offset <= bytes_ && range.bytes <= bytes_ - range.offset, "a range of ",
            range.bytes, " bytes from ", range.offset, " on is not in the file, which has ", bytes_, " bytes");
    if (range.bytes > 0) {
      pieces.push_back({range.offset, {static_cast<std::byte*>(range.buffer), static_cast<std::size_t>(range.bytes)}});
    }
  }
  fetch(std::move(pieces));
}

// Large pieces in parts, too: one connection seldom takes all that the network has.
void Reader::fetch(std::vector<Piece> pieces) {
  const auto most = static_cast<std::size_t>(client_.config().part_bytes);
  std::deque<Transfer> transfers;
  for (const Piece& piece : pieces) {
    for (std::size_t done = 0; done < piece.into.size(); done += most) {
      Request& request = transfers.emplace_back().request;
      request.method = "GET";
      request.key = key_;
      request.first = piece.offset + static_cast<std::int64_t>(done);
      request.into = piece.into.subspan(done, std::min(most, piece.into.size() - done));
      request.headers = {
          {"range", cat("bytes=", request.first, '-', request.first + static_cast<std::int64_t>(request.into.size()) - 1)}};
      if (!etag_.empty()) request.headers.emplace_back("if-match", etag_);
    }
  }
  if (transfers.empty()) return;
  const Lease session = client_.lease();
  Pieces source(transfers);
  client_.drive(*session, source, static_cast<std::size_t>(client_.config().parts_in_flight));
  if (!source.error) return;
  // PreconditionFailed, or a range that the new object does not have.
  const ckpt_status status = source.error->status();
  if (status == CKPT_E_ALREADY_EXISTS || source.error->message().starts_with("HTTP 416")) {
    fail(CKPT_E_NOT_FOUND, "the object was replaced after it was opened");
  }
  throw *source.error;
}

}  // namespace ckpt::s3
