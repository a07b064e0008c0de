#include "state/ranks/block_reads.h"

#include <algorithm>
#include <utility>

#include "state/filling.h"
#include "storage/rate_limit.h"

namespace ckpt::state {
namespace {

constexpr std::size_t max_reads = 4096;

// Returns the range in the file.
std::pair<std::int64_t, std::int64_t> range_of(const BlockReads::Read& read) {
  const auto [begin, end] = touched_bytes(read.block.place, read.begin, read.end);
  return {read.block.place.offset + begin, read.block.place.offset + end};
}

}  // namespace

void BlockReads::add(Read read) {
  if (read.begin == read.end) return;
  const bool is_new = !files_.contains(read.block.from.get());
  if ((is_new && files_.size() >= BlockFiles::max_files) || cached_.size() + others_.size() >= max_reads) finish();
  files_.insert(read.block.from.get());
  if (!read.block.from->file->is_cached()) return others_.push_back(std::move(read));
  const std::int64_t length = read.block.place.record->bytes_of_chunk;
  for (std::int64_t begin = read.begin; begin < read.end;) {
    Read chunk = read;
    chunk.begin = begin;
    chunk.end = begin = std::min(read.end, (begin / length + 1) * length);
    cached_.push_back(std::move(chunk));
  }
}

void BlockReads::finish() {
  read_cached();
  read_in_order();
  files_.clear();
}

void BlockReads::carry_out(const Read& read) const {
  storage::require_running(stop_);
  read_block(read.block, read.begin, read.end, {progress_, read.passes}, read.take);
}

void BlockReads::read_cached() {
  std::int64_t bytes = 0;
  for (const Read& read : cached_) bytes += read.end - read.begin;
  const auto pool = is_serial_ ? std::make_unique<base::ThreadPool>(1) : pool_for_reading(bytes);
  pool->run(std::ssize(cached_), [&](std::int64_t number) { carry_out(cached_[static_cast<std::size_t>(number)]); });
  cached_.clear();
}

void BlockReads::read_in_order() {
  const auto place_of = [](const Read& read) { return std::pair(read.block.from.get(), read.block.place.offset + read.begin); };
  if (!is_serial_) std::ranges::sort(others_, {}, place_of);
  std::size_t announced = 0;  // number of reads announced so far
  for (std::size_t i = 0; i < others_.size(); ++i) {
    if (i == announced) {
      auto [begin, end] = range_of(others_[i]);
      // Extend over reads that continue where the previous one ends.
      for (++announced; announced < others_.size() && others_[announced].block.from == others_[i].block.from; ++announced) {
        const auto next = range_of(others_[announced]);
        if (next.first != end) break;
        end = next.second;
      }
      others_[i].block.from->file->expect(begin, end);
    }
    carry_out(others_[i]);
  }
  others_.clear();
}

}  // namespace ckpt::state
