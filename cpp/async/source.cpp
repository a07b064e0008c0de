#include "async/source.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "base/error.h"

namespace ckpt::async {
namespace {

constexpr std::int64_t largest_borrowed_bytes = std::int64_t{1} << 20;  // twice that stays in the cache

}  // namespace

HashLane::HashLane(std::int32_t nice)
    : thread_(std::make_unique<base::Thread>("ckpt-hash", [this, nice] {
        base::be_nice(nice);
        serve();
      })) {}

HashLane::~HashLane() {
  if (generation_ == base::fork_generation()) jobs_.close();
}

void HashLane::add(std::span<const std::byte> bytes, bool of_chunk, bool ends_chunk) {
  jobs_.push({bytes.data(), bytes.size(), of_chunk, ends_chunk, false}, -1);
  ++added_;
}

void HashLane::add_again(std::span<const std::byte> bytes, bool ends_chunk) {
  jobs_.push({bytes.data(), bytes.size(), true, ends_chunk, true}, -1);
  ++added_;
}

void HashLane::wait_for(std::uint64_t count) {
  progressed_.wait([&] { return done_.load(std::memory_order_acquire) >= count; }, -1);
}

HashLane::Digests HashLane::finish() {
  wait();
  chunk_.finish();  // of a file that was given up
  again_.finish();
  return {file_.finish(), std::exchange(chunks_, {}), std::exchange(chunks_again_, {})};
}

void HashLane::serve() {
  Job job;
  while (jobs_.pop(job, -1) == base::QueueResult::done) {
    const std::span<const std::byte> bytes(job.bytes, job.count);
    state::Hasher& chunk = job.again ? again_ : chunk_;
    if (job.of_chunk) chunk.update(bytes);
    if (!job.again) file_.update(bytes);
    if (job.ends_chunk) (job.again ? chunks_again_ : chunks_).push_back(chunk.finish());
    done_.fetch_add(1, std::memory_order_release);
    progressed_.wake_all();
  }
}

StagedSource::StagedSource(Staging& staging, HashLane& lane, std::shared_ptr<storage::RateLimit> limit,
                           std::shared_ptr<const std::atomic<bool>> stop_flag, Events events)
    : staging_(staging), lane_(lane), limit_(std::move(limit)), events_(std::move(events)) {
  stop = std::move(stop_flag);
}

// One file being written.
class StagedSource::Output {
 public:
  Output(StagedSource& source, storage::File& file) : source_(source), file_(file) {}
  // Whatever happens, the lane is done with the bytes before their memory is used again.
  ~Output() { source_.lane_.finish(); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void header(std::span<const std::byte> bytes) {
    source_.lane_.add(bytes, false, false);
    write(bytes);
  }

  // Bytes of a tensor, from offset on, to be written later: told to the lane, cut where chunks end.
  void hash(const Staging::Piece& piece, std::int64_t offset, std::span<const std::byte> bytes) {
    for_chunks(piece, offset, bytes, [&](auto part, bool ends) { source_.lane_.add(part, true, ends); });
  }
  void hash_again(const Staging::Piece& piece, std::int64_t offset, std::span<const std::byte> bytes) {
    for_chunks(piece, offset, bytes, [&](auto part, bool ends) { source_.lane_.add_again(part, ends); });
  }

  void write(std::span<const std::byte> bytes) {
    const auto count = static_cast<std::int64_t>(bytes.size());
    storage::require_running(source_.stop.get());
    if (source_.limit_ != nullptr) source_.limit_->take(count, source_.stop.get());
    file_.write(offset_, bytes);
    offset_ += count;
  }

  std::int64_t size() const { return offset_; }

 private:
  template <class Visit>
  static void for_chunks(const Staging::Piece& piece, std::int64_t offset, std::span<const std::byte> bytes, Visit&& visit) {
    while (!bytes.empty()) {
      const std::int64_t left = std::min(state::chunk_bytes - offset % state::chunk_bytes, piece.bytes - offset);
      const auto part = bytes.first(std::min(bytes.size(), static_cast<std::size_t>(left)));
      visit(part, static_cast<std::int64_t>(part.size()) == left);
      offset += static_cast<std::int64_t>(part.size());
      bytes = bytes.subspan(part.size());
    }
  }

  StagedSource& source_;
  storage::File& file_;
  std::int64_t offset_ = 0;
};

// Borrowed bytes go through a small block, so that what is hashed is what is written; then they are read again, for whoever changes
// them breaks a promise, and must be told.
void StagedSource::write_borrowed(Output& out, const Staging::GroupPlan& plan) {
  std::size_t turn = 0;
  for (std::size_t i = 0; i < plan.entries.size(); ++i) {
    const Staging::Piece& piece = staging_.pieces()[plan.first_piece + i];
    const auto bytes = piece.item->tensor->byte_span();
    for (std::int64_t offset = 0; offset < piece.bytes;) {
      const std::int64_t count = std::min(largest_borrowed_bytes, piece.bytes - offset);
      const auto part = bytes.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(count));
      Block& block = blocks_[turn++ % blocks_.size()];
      if (block.bytes == nullptr) block.bytes = std::make_unique_for_overwrite<std::byte[]>(largest_borrowed_bytes);
      lane_.wait_for(block.free_after);
      const std::span<std::byte> copy(block.bytes.get(), part.size());
      std::memcpy(copy.data(), part.data(), part.size());
      out.hash(piece, offset, copy);
      block.free_after = lane_.added();
      out.write(copy);
      out.hash_again(piece, offset, part);
      events_.written(count);
      offset += count;
    }
  }
}

void StagedSource::require_unchanged(const std::string& group, const Staging::GroupPlan& plan,
                                     const HashLane::Digests& digests) const {
  std::size_t chunk = 0;
  for (const state::TensorEntry& entry : plan.entries) {
    for (std::int64_t left = state::chunk_count(entry.bytes); left > 0; --left, ++chunk) {
      if (digests.chunks[chunk] == digests.again[chunk]) continue;
      base::fail(base::Status::invalid_state, "tensor ", base::quoted(entry.name), " of group ", base::quoted(group),
                 " was changed while the save borrowed it");
    }
  }
}

void StagedSource::write_copied(Output& out, const Staging::GroupPlan& plan) {
  std::size_t next = plan.first_piece;  // the first piece that was not told to the lane to its end
  for (std::int64_t position = plan.begin; position < plan.end;) {
    if (staging_.released(position)) {
      base::fail(base::Status::io, "a sync failed, and a state larger than the staging memory cannot be written anew");
    }
    const auto bytes = staging_.read(position, plan.end);
    const std::int64_t end = position + static_cast<std::int64_t>(bytes.size());
    for (std::int64_t at = position; at < end;) {
      const Staging::Piece& piece = staging_.pieces()[next];
      const std::int64_t count = std::min(end, piece.begin + piece.bytes) - at;
      out.hash(piece, at - piece.begin, bytes.subspan(static_cast<std::size_t>(at - position), static_cast<std::size_t>(count)));
      at += count;
      if (at == piece.begin + piece.bytes) ++next;
    }
    out.write(bytes);
    events_.written(end - position);
    if (!staging_.repeatable()) {
      lane_.wait();
      staging_.release_before(end);
    }
    position = end;
  }
}

state::WrittenFile StagedSource::write(storage::File& file, const std::string& file_name, const state::StateGroup& group) {
  const Staging::GroupPlan& plan = staging_.plan_of(group);
  std::int64_t size = 0;
  HashLane::Digests digests;
  {
    Output out(*this, file);
    out.header(std::as_bytes(std::span(plan.header)));
    if (staging_.mode() == StagingMode::borrow) {
      write_borrowed(out, plan);
    } else {
      write_copied(out, plan);
    }
    digests = lane_.finish();
    if (staging_.mode() == StagingMode::borrow) require_unchanged(group.name, plan, digests);
    size = out.size();
  }
  state::WrittenFile written;
  auto chunk = digests.chunks.begin();
  for (const state::TensorEntry& entry : plan.entries) {
    const auto end = chunk + state::chunk_count(entry.bytes);
    written.tensors.push_back({entry.name, file_name, entry.dtype, entry.shape, {chunk, end}});
    chunk = end;
  }
  written.file = {file_name, size, digests.file};
  return written;
}

// The tensors' memory may have changed since: what was copied counts. A stream that can be read only once is written without
// asking.
bool StagedSource::holds_same(const state::GroupRecord& recorded, const state::StateGroup& group) {
  if (staging_.mode() == StagingMode::borrow) return state::holds_same_tensors(recorded, group.tensors);
  const Staging::GroupPlan& plan = staging_.plan_of(group);
  if (!staging_.repeatable() || recorded.tensors.size() != plan.entries.size()) return false;
  std::map<std::string_view, const state::TensorRecord*> records;
  for (const state::TensorRecord& record : recorded.tensors) records.emplace(record.name, &record);
  state::Hasher hasher;
  for (std::size_t i = 0; i < plan.entries.size(); ++i) {
    const auto found = records.find(plan.entries[i].name);
    if (found == records.end() || found->second->dtype != plan.entries[i].dtype || found->second->shape != plan.entries[i].shape) {
      return false;
    }
    const Staging::Piece& piece = staging_.pieces()[plan.first_piece + i];
    std::int64_t position = piece.begin;
    for (const state::Digest& digest : found->second->chunks) {
      const std::int64_t end = std::min(position + state::chunk_bytes, piece.begin + piece.bytes);
      while (position < end) {
        storage::require_running(stop.get());
        const auto bytes = staging_.read(position, end);
        hasher.update(bytes);
        position += static_cast<std::int64_t>(bytes.size());
      }
      if (hasher.finish() != digest) return false;
    }
  }
  return true;
}

}  // namespace ckpt::async
