#include "state/ranks/shard_filling.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "state/convert.h"
#include "state/ranks/block_copy.h"

namespace ckpt::state {
namespace {

using base::cat;
using base::Status;

// Returns the index in the whole tensor.
std::int64_t element_number(const Lengths& shape, const Box& box, std::int64_t position) {
  Lengths at = box.offsets;
  for (std::size_t i = at.size(); i > 0; --i) {
    at[i - 1] += position % box.lengths[i - 1];
    position /= box.lengths[i - 1];
  }
  return position_in(whole_box(shape), at);
}

// Sorts ranges and merges adjacent ones.
void merge(std::vector<std::pair<std::int64_t, std::int64_t>>& ranges) {
  std::ranges::sort(ranges);
  std::size_t last = 0;
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].first <= ranges[last].second) {
      ranges[last].second = std::max(ranges[last].second, ranges[i].second);
    } else {
      ranges[++last] = ranges[i];
    }
  }
  ranges.resize(std::min(ranges.size(), last + 1));
}

}  // namespace

ShardFilling::ShardFilling(storage::Storage& storage, std::string directory, const LoadOptions& options, const NameMap& names,
                           base::Progress& progress, bool& has_begun, bool is_alone)
    : storage_(storage),
      directory_(std::move(directory)),
      options_(options),
      names_(names),
      progress_(progress),
      has_begun_(has_begun),
      is_alone_(is_alone) {}

// ---- Plan ----

void ShardFilling::plan(const Manifest& manifest, const State& state) {
  files_.emplace(storage_, directory_, manifest);
  exchange_.emplace(manifest.is_of_many() ? shard_chunk_bytes : chunk_bytes);
  for (const GroupRecord& recorded : manifest.groups) {
    const auto group = std::ranges::find(state.groups(), recorded.name, &StateGroup::name);
    if (group == state.groups().end()) continue;
    std::map<std::string_view, const StateTensor*> whole;
    std::map<std::string_view, const ShardedTensor*> sharded;
    for (const StateTensor& item : group->tensors) whole.emplace(item.name, &item);
    for (const ShardedTensor& item : group->sharded) sharded.emplace(item.name, &item);
    for (const TensorRecord& record : recorded.tensors) {
      const std::string_view name = names_.name_of(record);
      std::vector<Target> targets;
      if (const auto found = whole.find(name); found != whole.end()) {
        targets.push_back({whole_box(record.shape), found->second->tensor});
        add_wanted(recorded.name, record, false, found->second->tensor->dtype(), std::move(targets));
      } else if (const auto blocks = sharded.find(name); blocks != sharded.end()) {
        for (const ShardedTensor::Block& block : blocks->second->blocks) targets.push_back({block.box, block.tensor});
        add_wanted(recorded.name, record, true, blocks->second->dtype, std::move(targets));
      }
    }
  }
  is_serial_ = targets_overlap();
}

void ShardFilling::add_wanted(const std::string& group, const TensorRecord& record, bool is_sharded, tensor::Dtype to,
                              std::vector<Target> targets) {
  const Converter convert = to == record.dtype ? nullptr : find_converter(record.dtype, to, options_.convert);
  wanted_.push_back({group, record, is_sharded, false, to, convert, std::move(targets)});
}

bool ShardFilling::targets_overlap() const {
  std::vector<std::span<const std::byte>> ranges;
  for (const Wanted& wanted : wanted_) {
    for (const Target& target : wanted.targets) ranges.emplace_back(target.tensor->byte_span());
  }
  return have_overlap(std::move(ranges));
}

Digest ShardFilling::plan_digest() const {
  std::string text;
  for (const Wanted& wanted : wanted_)
    text += cat(base::quote(wanted.group), base::quote(wanted.record.name), wanted.is_sharded ? " in blocks\n" : "\n");
  return hash_of(text);
}

// Returns whether this rank would read much unneeded data if it read its blocks alone: rows that are far apart, or large chunks of
// which it needs a small part.
bool ShardFilling::reads_much(const Wanted& wanted) const {
  constexpr std::int64_t max_unneeded = 2 * shard_chunk_bytes;  // per block
  bool is_much = false;
  for (const Target& target : wanted.targets) {
    for_each_stored_number(wanted.record, target.box, [&](std::int64_t number) {
      const Box box = stored_block(wanted.record, number).box;
      const auto shared = intersection(box, target.box);
      if (is_much || !shared) return;
      const auto [begin, end] = bytes_between(box, target.box, wanted.record.dtype);
      const auto [first, last] = touched_bytes(place_of(wanted, box), begin, end);
      is_much = !is_contiguous(*shared, box) || (last - first) - (end - begin) > max_unneeded;
    });
  }
  return is_much;
}

void ShardFilling::agree(Collective& collective) {
  Reply reply;
  std::vector<std::byte> any;
  const auto mine = error_of([&] {
    reply.digests[0] = plan_digest();
    for (const Wanted& wanted : wanted_) {
      if (wanted.is_sharded) any.push_back(static_cast<std::byte>(reads_much(wanted)));
    }
  });
  if (mine) reply.status = static_cast<std::int32_t>(mine->status());
  const std::vector<Reply> replies = collective.gather(reply);
  std::optional<base::Error> of_all;
  const auto is_unlike = [&](const Reply& each) { return each.status == 0 && each.digests[0] != reply.digests[0]; };
  const auto unlike = std::ranges::find_if(replies, is_unlike);
  if (!mine && unlike != replies.end()) {
    of_all = base::Error(Status::invalid_argument,
                         cat("rename returns different names on rank ", unlike - replies.begin(), " and on rank 0"));
  }
  if (const auto error = collective.first_error(replies, of_all, mine)) throw base::Error(*error);
  if (!any.empty()) {
    const std::vector<std::byte> all = collective.gather(any);
    for (std::size_t i = 0; i < all.size(); ++i) any[i % any.size()] |= all[i];
    collective.broadcast(any, 0);
  }
  auto next = any.begin();
  for (Wanted& wanted : wanted_) wanted.is_shared = !wanted.is_sharded || *next++ != std::byte{0};
  // Allocates all memory for the collective read in advance.
  collective.agree(error_of([&] {
    link_own();
    share_rest(collective);
    if (!options_.in_place) make_shared_copies();
  }));
}

void ShardFilling::link_own() {
  for (std::uint32_t w = 0; w < wanted_.size(); ++w) {
    const Wanted& wanted = wanted_[w];
    if (wanted.is_shared) continue;
    for (std::uint32_t t = 0; t < wanted.targets.size(); ++t) {
      for_each_stored_number(wanted.record, wanted.targets[t].box, [&](std::int64_t number) {
        links_.push_back({stored_block(wanted.record, number).part, w, t, number});
      });
    }
  }
  std::ranges::sort(links_, {}, [](const Link& link) { return std::tuple(link.part, link.wanted, link.number, link.target); });
}

void ShardFilling::share_rest(const Collective& collective) {
  for (std::uint32_t w = 0; w < wanted_.size(); ++w) {
    Wanted& wanted = wanted_[w];
    if (!wanted.is_shared) continue;
    for_each_stored_number(wanted.record, whole_box(wanted.record.shape), [&](std::int64_t number) {
      const Placement::Block block = stored_block(wanted.record, number);
      exchange_->add(block.part, w, number, bytes_of(block.box, wanted.record.dtype));
    });
  }
  Exchange::Sizes sizes;
  if (storage_.is_objects()) sizes.batch_bytes = 4 * sizes.batch_bytes;  // allows several concurrent requests
  exchange_->assign_shares(collective.rank(), collective.ranks(), sizes);
}

// Returns the place of a block, without its position in the file.
TensorPlace ShardFilling::place_of(const Wanted& wanted, const Box& box) const {
  return {0, bytes_of(box, wanted.record.dtype), &wanted.record, options_.verify == Verify::full};
}

void ShardFilling::for_each_need(const std::function<void(Need&& need)>& take) const {
  for (auto link = links_.begin(); link != links_.end();) {
    const Wanted& wanted = wanted_[link->wanted];
    Need need{link->wanted, stored_block(wanted.record, link->number)};
    const TensorPlace place = place_of(wanted, need.block.box);
    const auto first = link;
    for (; link != links_.end() && link->wanted == first->wanted && link->number == first->number; ++link) {
      need.targets.push_back(link->target);
      const auto [begin, end] = bytes_between(need.block.box, wanted.targets[link->target].box, wanted.record.dtype);
      need.ranges.push_back(touched_bytes(place, begin, end));
    }
    merge(need.ranges);
    take(std::move(need));
  }
}

std::int64_t ShardFilling::own_bytes() const {
  std::int64_t bytes = 0;
  for_each_need([&](const Need& need) {
    for (const auto& [begin, end] : need.ranges) bytes += end - begin;
  });
  return bytes;
}

// ---- Read ----

void ShardFilling::read(const Manifest& manifest, const State& state) {
  plan(manifest, state);
  link_own();
  progress_.begin(2 * own_bytes());
  read_own();
  files_.reset();
}

void ShardFilling::read_own() {
  if (options_.in_place) begin_in_place();
  BlockReads reads(progress_, options_.stop.get(), is_serial_);
  for_each_need([&](Need&& found) {
    const auto need = std::make_shared<const Need>(std::move(found));
    const Wanted& wanted = wanted_[need->wanted];
    const StoredBlock stored =
        files_->find(wanted.group, wanted.record, need->block.box, need->block.part, options_.verify == Verify::full);
    const bool is_kept = may_keep(stored.from);
    if (is_kept) {
      kept_files_.insert(stored.from);
      kept_.push_back({need, stored});
    } else if (!options_.in_place) {
      make_copies(*need);
    }
    for (const auto& [begin, end] : need->ranges) {
      reads.add({stored, begin, end, is_kept ? 1 : 2, [this, need, is_kept](std::int64_t at, std::span<const std::byte> bytes) {
                   take(*need, is_kept, false, at, bytes);
                 }});
    }
  });
  reads.finish();
}

void ShardFilling::begin_in_place() {
  if (options_.before_filling) options_.before_filling();
  has_begun_ = true;
}

// An open file can be read again even if a writer removes the checkpoint.
bool ShardFilling::may_keep(const std::shared_ptr<const BlockFile>& file) const {
  if (!is_alone_ || options_.in_place || !file->file->is_cached()) return false;
  return kept_files_.size() < BlockFiles::max_files || kept_files_.contains(file);
}

void ShardFilling::make_shared_copies() {
  for (Wanted& wanted : wanted_) {
    if (!wanted.is_shared) continue;
    for (Target& target : wanted.targets)
      target.copy = std::make_unique_for_overwrite<std::byte[]>(target.tensor->byte_span().size());
  }
}

void ShardFilling::make_copies(const Need& need) {
  for (const std::uint32_t number : need.targets) {
    Target& target = wanted_[need.wanted].targets[number];
    if (target.copy == nullptr) target.copy = std::make_unique_for_overwrite<std::byte[]>(target.tensor->byte_span().size());
  }
}

std::byte* ShardFilling::destination(const Target& target, bool is_kept, bool is_second) const {
  if (options_.in_place || is_second) return target.tensor->byte_span().data();
  return is_kept ? nullptr : target.copy.get();
}

void ShardFilling::take(const Need& need, bool is_kept, bool is_second, std::int64_t at, std::span<const std::byte> bytes) {
  const Wanted& wanted = wanted_[need.wanted];
  for (const std::uint32_t number : need.targets) {
    const Target& target = wanted.targets[number];
    std::byte* const data = destination(target, is_kept, is_second);
    const std::int64_t misfit =
        copy_elements({need.block.box, wanted.record.dtype, target.box, data, wanted.to, wanted.convert}, at, bytes);
    if (misfit >= 0) note_misfit(wanted, need.block.box, misfit);
  }
}

void ShardFilling::note_misfit(const Wanted& wanted, const Box& box, std::int64_t position) {
  const std::pair at(&wanted - wanted_.data(), element_number(wanted.record.shape, box, position));
  const std::lock_guard lock(misfits_);
  if (!misfit_.empty() && misfit_at_ <= at) return;
  misfit_at_ = at;
  misfit_ = cat("tensor ", base::quote(wanted.record.name), ": element ", at.second, " of type ",
                tensor::dtype_name(wanted.record.dtype), " cannot be represented as ", tensor::dtype_name(wanted.to));
}

void ShardFilling::require_fit() const {
  if (!misfit_.empty()) base::fail(Status::out_of_range, misfit_);
}

// ---- Collective read ----

void ShardFilling::read_together(Collective& collective) {
  try {
    progress_.begin(2 * (own_bytes() + exchange_->bytes()));
    read_own();
  } catch (...) {
    failure_ = std::current_exception();
  }
  exchange_->run(
      collective, failure_, [&](std::span<const Exchange::Piece> pieces, std::span<std::byte> into) { read_pieces(pieces, into); },
      [&](const Exchange::Piece& piece, std::span<const std::byte> bytes) { take_piece(piece, bytes); });
  files_.reset();
}

void ShardFilling::read_pieces(std::span<const Exchange::Piece> pieces, std::span<std::byte> into) {
  BlockReads reads(progress_, options_.stop.get(), false);
  for (const Exchange::Piece& piece : pieces) {
    const Wanted& wanted = wanted_[piece.tensor];
    const Placement::Block block = stored_block(wanted.record, piece.number);
    const StoredBlock stored = files_->find(wanted.group, wanted.record, block.box, block.part, options_.verify == Verify::full);
    const auto room = into.first(static_cast<std::size_t>(piece.end - piece.begin));
    reads.add({stored, piece.begin, piece.end, 0, [room, begin = piece.begin](std::int64_t at, std::span<const std::byte> bytes) {
                 std::memcpy(room.data() + (at - begin), bytes.data(), bytes.size());
               }});
    into = into.subspan(room.size());
  }
  reads.finish();
}

void ShardFilling::take_piece(const Exchange::Piece& piece, std::span<const std::byte> bytes) {
  Need need{piece.tensor, stored_block(wanted_[piece.tensor].record, piece.number)};
  for (std::uint32_t t = 0; t < wanted_[piece.tensor].targets.size(); ++t) need.targets.push_back(t);
  take(need, false, false, piece.begin, bytes);
  progress_.add(2 * std::ssize(bytes));
}

void ShardFilling::require_intact() const { exchange_->require_intact(); }

void ShardFilling::require_read() const {
  if (failure_ != nullptr) std::rethrow_exception(failure_);
}

// ---- Write ----

void ShardFilling::write() {
  has_begun_ = true;
  for (const Wanted& wanted : wanted_) {
    for (const Target& target : wanted.targets) {
      const std::span<std::byte> bytes = target.tensor->byte_span();
      if (target.copy != nullptr && !bytes.empty()) std::memcpy(bytes.data(), target.copy.get(), bytes.size());
    }
  }
  BlockReads reads(progress_, nullptr, is_serial_);
  for (const Kept& kept : kept_) {
    for (const auto& [begin, end] : kept.need->ranges) {
      reads.add({kept.stored, begin, end, 1,
                 [&](std::int64_t at, std::span<const std::byte> bytes) { take(*kept.need, true, true, at, bytes); }});
    }
  }
  reads.finish();
}

}  // namespace ckpt::state
