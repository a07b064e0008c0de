#include "state/ranks/exchange.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ckpt::state {
namespace {

constexpr std::size_t status_bytes = 8;
enum class Sent : std::uint8_t { bytes = 0, nothing = 1 };

// After a failure, body is not called any more.
template <class Body>
void note_failure(std::exception_ptr& failure, Body&& body) {
  if (failure != nullptr) return;
  try {
    body();
  } catch (...) {
    failure = std::current_exception();
  }
}

}  // namespace

void Exchange::add(std::int64_t part, std::uint32_t tensor, std::int64_t number, std::int64_t bytes) {
  if (bytes > 0) blocks_.push_back({static_cast<std::int32_t>(part), tensor, number, bytes});
}

std::int64_t Exchange::bytes_of(std::size_t block) const {
  return (block + 1 < blocks_.size() ? blocks_[block + 1].begin : total_) - blocks_[block].begin;
}

void Exchange::assign_shares(std::int64_t rank, std::int64_t ranks, const Sizes& sizes) {
  rank_ = rank;
  batch_bytes_ = sizes.batch_bytes;
  // Sort by part, so that few ranks read each part.
  std::ranges::sort(blocks_, {}, [](const Block& block) { return std::tuple(block.part, block.tensor, block.number); });
  for (Block& block : blocks_) total_ += std::exchange(block.begin, total_);
  if (total_ == 0) return;
  const std::int64_t owners = std::clamp<std::int64_t>(total_ / sizes.share_bytes, 1, ranks);
  for (std::int64_t owner = 0; owner <= owners; ++owner)
    ends_.push_back(first_chunk_from(total_ / owners * owner + total_ % owners * owner / owners));
  next_.assign(ends_.begin(), ends_.end() - 1);
  ends_.erase(ends_.begin());
  const auto max_bytes = static_cast<std::size_t>(std::min(total_, std::max(batch_bytes_, bytes_of_chunk_)));
  others_.resize(status_bytes + max_bytes + Collective::checksum_bytes);
  if (rank < owners) own_.resize(others_.size());
}

// Returns the first chunk that begins at or after byte.
Exchange::Place Exchange::first_chunk_from(std::int64_t byte) const {
  if (byte == total_) return {blocks_.size(), 0};
  const auto number = static_cast<std::size_t>(std::ranges::upper_bound(blocks_, byte, {}, &Block::begin) - blocks_.begin()) - 1;
  const std::int64_t at = chunk_count(byte - blocks_[number].begin, bytes_of_chunk_) * bytes_of_chunk_;
  return at < bytes_of(number) ? Place{number, at} : Place{number + 1, 0};
}

Exchange::Batch Exchange::next_batch(std::size_t owner) const {
  Batch batch{{}, 0, next_[owner]};
  while (batch.end < ends_[owner]) {
    const Block& block = blocks_[batch.end.block];
    const std::int64_t begin = batch.end.at;
    const std::int64_t end = std::min(bytes_of(batch.end.block), begin + bytes_of_chunk_);
    const auto bytes = static_cast<std::size_t>(end - begin);
    if (batch.bytes > 0 && batch.bytes + bytes > static_cast<std::size_t>(batch_bytes_)) break;
    if (begin > 0 && !batch.pieces.empty()) {
      batch.pieces.back().end = end;
    } else {
      batch.pieces.push_back({block.tensor, block.number, begin, end});
    }
    batch.bytes += bytes;
    batch.end = end == bytes_of(batch.end.block) ? Place{batch.end.block + 1, 0} : Place{batch.end.block, end};
  }
  return batch;
}

void Exchange::require_intact() const {
  if (corrupted_from_ >= 0) Collective::fail_corrupted(corrupted_from_, rank_);
}

// Prepares the next batch that this rank sends.
void Exchange::read_own(const Batch& batch, std::exception_ptr& failure, const Read& read) {
  note_failure(failure, [&] { read(batch.pieces, std::span(own_).subspan(status_bytes, batch.bytes)); });
  own_[0] = static_cast<std::byte>(failure == nullptr ? Sent::bytes : Sent::nothing);
}

void Exchange::run(Collective& collective, std::exception_ptr& failure, const Read& read, const Take& take) {
  const auto self = static_cast<std::size_t>(rank_);
  while (next_ != ends_) {
    if (self < next_.size() && next_[self] < ends_[self]) read_own(next_batch(self), failure, read);
    for (std::size_t owner = 0; owner < next_.size(); ++owner) {
      const Batch batch = next_batch(owner);
      if (batch.pieces.empty()) continue;
      std::vector<std::byte>& buffer = owner == self ? own_ : others_;
      collective.renew();
      const auto checked = std::span(buffer).first(status_bytes + batch.bytes + Collective::checksum_bytes);
      const bool is_intact = collective.broadcast_checked(checked, static_cast<std::int64_t>(owner));
      if (is_intact && buffer[0] != static_cast<std::byte>(Sent::bytes)) return;
      // Continue, since the other ranks expect this rank's messages; they get the error when all agree on the result of the load.
      if (!is_intact) corrupted_from_ = static_cast<std::int64_t>(owner);
      note_failure(failure, [&] {
        require_intact();
        const std::byte* from = buffer.data() + status_bytes;
        for (const Piece& piece : batch.pieces) {
          take(piece, {from, static_cast<std::size_t>(piece.end - piece.begin)});
          from += piece.end - piece.begin;
        }
      });
      next_[owner] = batch.end;
    }
  }
}

}  // namespace ckpt::state
