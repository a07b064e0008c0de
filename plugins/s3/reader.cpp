#include "reader.h"
#include "text.h"

#include <algorithm>
#include <cstring>
#include <deque>

namespace ckpt::s3 {
namespace {

// Size of the first request: covers manifests, commit records and most headers.
constexpr std::size_t begin_bytes = std::size_t{64} << 10;
constexpr long range_not_satisfiable = 416;

Request range_request(const std::string& key, std::int64_t first, std::span<std::byte> into) {
  Request request;
  request.method = "GET";
  request.key = key;
  request.first = first;
  request.into = into;
  request.headers = {{"range", cat("bytes=", first, '-', first + static_cast<std::int64_t>(into.size()) - 1)}};
  return request;
}

// Reads pieces; stops at the first failure.
class Pieces final : public Source {
 public:
  explicit Pieces(std::deque<Transfer>& transfers) : transfers_(transfers) {}
  Transfer* next() override { return begun_ < transfers_.size() ? &transfers_[begun_++] : nullptr; }
  bool has_more() override { return begun_ < transfers_.size(); }
  bool take(Transfer& transfer) override {
    if (transfer.error) failed = &transfer;
    return failed == nullptr;
  }
  const Transfer* failed = nullptr;

 private:
  std::deque<Transfer>& transfers_;
  std::size_t begun_ = 0;
};

}  // namespace

Reader::Reader(Client& client, std::string key) : client_(client), key_(std::move(key)), begin_(begin_bytes) {
  Request request = range_request(key_, 0, begin_);
  request.may_be_shorter = true;
  const Lease session = client_.lease();
  const Transfer transfer = client_.send(*session, std::move(request), 1);
  const Answer& answer = transfer.answer;
  begin_.resize(transfer.error ? 0 : transfer.received);
  if (answer.result == CURLE_OK && answer.status == range_not_satisfiable) return;  // the file is empty
  if (transfer.error) throw *transfer.error;
  begin_.shrink_to_fit();
  etag_ = answer.etag;
  const auto range = read_content_range(answer.content_range);
  bytes_ = answer.status == 206 ? range->total : answer.length;
  if (bytes_ < 0) fail(CKPT_E_UNSUPPORTED, "the store's response lacks the object's size");
}

std::int64_t Reader::read(std::int64_t offset, std::span<std::byte> bytes) {
  require(offset >= 0, "offset is ", offset, "; expected at least 0");
  if (offset >= bytes_ || bytes.empty()) return 0;
  const auto count = static_cast<std::size_t>(std::min<std::int64_t>(bytes_ - offset, static_cast<std::int64_t>(bytes.size())));
  const Piece piece{offset, bytes.first(count)};
  fetch({&piece, 1});
  return static_cast<std::int64_t>(count);
}

void Reader::read_ranges(std::span<const ckpt_storage_range> ranges) {
  std::vector<Piece> pieces;
  for (const ckpt_storage_range& range : ranges) {
    require(range.offset >= 0 && range.bytes >= 0 && range.offset <= bytes_ && range.bytes <= bytes_ - range.offset, "a range of ",
            range.bytes, " bytes from ", range.offset, " exceeds the file of ", bytes_, " bytes");
    if (range.bytes > 0) {
      pieces.push_back({range.offset, {static_cast<std::byte*>(range.buffer), static_cast<std::size_t>(range.bytes)}});
    }
  }
  fetch(pieces);
}

Reader::Piece Reader::without_begin(const Piece& piece) const {
  const auto there = static_cast<std::int64_t>(begin_.size());
  if (piece.offset >= there) return piece;
  const std::size_t count = std::min(piece.into.size(), static_cast<std::size_t>(there - piece.offset));
  std::memcpy(piece.into.data(), begin_.data() + piece.offset, count);
  return {piece.offset + static_cast<std::int64_t>(count), piece.into.subspan(count)};
}

// Also splits large pieces into parts: one connection rarely uses the whole bandwidth.
void Reader::fetch(std::span<const Piece> pieces) {
  const auto max = static_cast<std::size_t>(client_.config().part_bytes);
  std::deque<Transfer> transfers;
  for (const Piece& piece : pieces) {
    const Piece rest = without_begin(piece);
    for (std::size_t done = 0; done < rest.into.size(); done += max) {
      const auto into = rest.into.subspan(done, std::min(max, rest.into.size() - done));
      Request& request = transfers.emplace_back().request;
      request = range_request(key_, rest.offset + static_cast<std::int64_t>(done), into);
      if (!etag_.empty()) request.headers.emplace_back("if-match", etag_);
    }
  }
  if (transfers.empty()) return;
  const Lease session = client_.lease();
  Pieces source(transfers);
  client_.drive(*session, source, static_cast<std::size_t>(client_.config().parts_in_flight));
  if (source.failed == nullptr) return;
  // The condition failed, or the new object does not have the range.
  const Transfer& failed = *source.failed;
  if (failed.error->status() == CKPT_E_ALREADY_EXISTS || failed.answer.status == range_not_satisfiable) {
    fail(CKPT_E_NOT_FOUND, "the object was replaced after it was opened");
  }
  throw *failed.error;
}

}  // namespace ckpt::s3
