#include "async/staging.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace ckpt::async {
namespace {

constexpr std::int64_t large_group_bytes = std::int64_t{1} << 20;

}  // namespace

Staging::Staging(state::State whole, StagingMode mode, TensorSource source, std::shared_ptr<Arena> arena)
    : whole_(std::move(whole)),
      mode_(mode),
      source_(std::move(source)),
      arena_(std::move(arena)),
      block_bytes_(arena_->block_bytes()) {
  for (const state::StateGroup& group : whole_.groups()) {
    for (const state::StateTensor& item : group.tensors) bytes_ += item.tensor->bytes();
  }
}

Staging::~Staging() { arena_->release(blocks_); }

void Staging::plan() {
  if (!plans_.empty() || whole_.groups().empty()) return;  // a second call does nothing: a reader may already be active
  for (const state::StateGroup& group : whole_.groups()) plans_.push_back({state::layout_of(group)});
  // A state that fits only without the gaps is not worth copying in waves.
  stream_bytes_ = lay_out(true);
  if (block_count() > arena_->blocks()) stream_bytes_ = lay_out(false);
  copied_ = std::vector<std::atomic<bool>>(static_cast<std::size_t>(block_count()));
}

// Assigns positions to groups and tensors; returns the end of the last one.
std::int64_t Staging::lay_out(bool aligned) {
  pieces_.clear();
  std::int64_t position = 0;
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    GroupPlan& plan = plans_[i];
    std::int64_t bytes = 0;
    for (const state::TensorEntry& entry : plan.layout.entries) bytes += entry.bytes;
    if (aligned && bytes >= large_group_bytes) {
      const auto header_bytes = static_cast<std::int64_t>(plan.layout.header.size());
      position = (position + page_bytes - 1) / page_bytes * page_bytes + header_bytes % page_bytes;
    }
    plan.begin = position;
    for (const state::StateTensor* const item : plan.layout.items) {
      pieces_.push_back({&whole_.groups()[i], item, position, item->tensor->bytes()});
      position += item->tensor->bytes();
    }
    plan.end = position;
  }
  return position;
}

const Staging::GroupPlan& Staging::plan_of(const state::StateGroup& group) const {
  return plans_[static_cast<std::size_t>(&group - whole_.groups().data())];
}

std::int64_t Staging::block_count() const noexcept { return (stream_bytes_ + block_bytes_ - 1) / block_bytes_; }

std::byte* Staging::memory_of(std::int64_t block) const noexcept {
  return blocks_[static_cast<std::size_t>(block) % blocks_.size()];
}

bool Staging::repeatable() const noexcept {
  return mode_ == StagingMode::borrow || static_cast<std::int64_t>(blocks_.size()) == block_count();
}

bool Staging::reserve(const std::function<void()>& would_wait) {
  const std::int64_t wanted = std::min(block_count(), arena_->blocks());
  if (wanted == 0) return !stopped_.load();
  blocks_ = arena_->take(
      wanted, [this] { return stopped_.load(); }, would_wait);
  return !blocks_.empty();
}

void Staging::copy_range(const Piece& piece, std::int64_t offset, std::span<std::byte> out) const {
  if (source_) {
    source_(piece.group->name, *piece.item, offset, out);
  } else {
    std::memcpy(out.data(), piece.item->tensor->byte_span().data() + offset, out.size());
  }
}

void Staging::copy_block(std::int64_t block) {
  if (stopped_.load(std::memory_order_relaxed)) return;
  const std::int64_t begin = block * block_bytes_;
  const std::int64_t end = std::min(begin + block_bytes_, stream_bytes_);
  auto piece = std::ranges::upper_bound(pieces_, begin, {}, &Piece::begin);  // the first piece that begins after it
  if (piece != pieces_.begin()) --piece;
  for (; piece != pieces_.end() && piece->begin < end; ++piece) {
    const std::int64_t from = std::max(begin, piece->begin);
    const std::int64_t count = std::min(end, piece->begin + piece->bytes) - from;
    if (count > 0) copy_range(*piece, from - piece->begin, {memory_of(block) + (from - begin), static_cast<std::size_t>(count)});
  }
  if (stopped_.load(std::memory_order_relaxed)) return;
  copied_[static_cast<std::size_t>(block)].store(true);
  changed_.wake_all();
}

bool Staging::copy(base::ThreadPool* pool) {
  const std::int64_t count = block_count();
  const auto held = static_cast<std::int64_t>(blocks_.size());
  try {
    for (std::int64_t begin = 0; begin < count;) {
      changed_.wait([&] { return stopped_.load() || released_.load() + held > begin; }, -1);
      if (stopped_.load()) return false;
      // Sequentially if the reader is already active.
      const std::int64_t end = pool == nullptr ? begin + 1 : std::min(count, released_.load() + held);
      if (pool == nullptr) {
        copy_block(begin);
      } else {
        pool->run(end - begin, [&](std::int64_t part) { copy_block(begin + part); });
      }
      if (stopped_.load()) return false;
      begin = end;
    }
    return !stopped_.load();
  } catch (...) {
    {
      const std::lock_guard lock(error_mutex_);
      error_ = std::current_exception();
    }
    stop();
    return false;
  }
}

void Staging::throw_error() const {
  const std::lock_guard lock(error_mutex_);
  if (error_) std::rethrow_exception(error_);
}

std::span<const std::byte> Staging::read(std::int64_t position, std::int64_t end) {
  const std::int64_t block = position / block_bytes_;
  changed_.wait([&] { return stopped_.load() || copied_[static_cast<std::size_t>(block)].load(); }, -1);
  if (stopped_.load()) {
    throw_error();
    base::fail(base::Status::cancelled, "the save was stopped on request");
  }
  const std::int64_t block_begin = block * block_bytes_;
  const std::int64_t count = std::min(end, block_begin + block_bytes_) - position;
  return {memory_of(block) + (position - block_begin), static_cast<std::size_t>(count)};
}

void Staging::release_before(std::int64_t position) {
  if (repeatable()) return;
  released_.store(position == stream_bytes_ ? block_count() : position / block_bytes_);
  changed_.wake_all();
}

bool Staging::released(std::int64_t position) const noexcept { return position / block_bytes_ < released_.load(); }

void Staging::stop() noexcept {
  stopped_.store(true);
  changed_.wake_all();
  arena_->wake();
}

}  // namespace ckpt::async
