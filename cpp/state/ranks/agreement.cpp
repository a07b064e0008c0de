#include "state/ranks/agreement.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "state/box.h"
#include "state/ranks/split.h"
#include "state/record_text.h"

namespace ckpt::state {
namespace {

using base::cat;
using base::Status;

Digest digest_of(const tensor::Tensor& tensor) {
  const auto bytes = tensor.byte_span();
  return hash_of({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace

OwnBlocks own_blocks(const State& state) {
  OwnBlocks own;
  for (const StateGroup& group : state.groups()) {
    for (const ShardedTensor& item : group.sharded) {
      for (const ShardedTensor::Block& block : item.blocks) {
        if (block.box.is_empty()) continue;
        own.blocks.push_back({group.name, &item, &block});
        own.bytes += block.tensor->bytes();
      }
    }
  }
  std::ranges::sort(own.blocks, {}, [](const OwnBlocks::Block& block) {
    return std::tie(block.group, block.of->name, block.block->box.offsets, block.block->box.lengths);
  });
  std::string text;
  for (const OwnBlocks::Block& each : own.blocks)
    text += cat(base::json_string(each.group), ' ', base::json_string(each.of->name), ' ', to_text(each.block->box), '\n');
  own.digest = hash_of(text);
  return own;
}

bool Agreement::has_identical_blocks() const {
  for (std::size_t rank = 0; rank < alike.size(); ++rank) {
    if (alike[rank] != static_cast<std::int64_t>(rank)) return true;
  }
  return false;
}

Agreement agree_on_blocks(Collective& collective, Listing listing, const OwnBlocks& own, const std::optional<base::Error>& mine) {
  Reply reply = reply_of(mine);
  reply.numbers[0] = own.bytes;
  reply.digests[0] = own.digest;
  const std::vector<Reply> replies = collective.gather(reply);
  if (const auto error = collective.first_error(replies, std::nullopt, mine)) throw base::Error(*error);
  // Sends both numbers of each rank in one message.
  const auto ranks = static_cast<std::ptrdiff_t>(collective.ranks());
  std::vector<std::int64_t> numbers(2 * static_cast<std::size_t>(ranks));
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::pair<std::int64_t, std::int64_t>> first_and_count;
  const auto entry_of = [&](const Reply& each) -> auto& { return first_and_count[{each.digests[0].high, each.digests[0].low}]; };
  for (std::size_t rank = 0; rank < replies.size(); ++rank) {
    auto& [first, count] = entry_of(replies[rank]);
    if (count++ == 0) first = static_cast<std::int64_t>(rank);
  }
  for (std::size_t rank = 0; rank < replies.size(); ++rank) {
    const auto& [first, count] = entry_of(replies[rank]);
    const std::int64_t bytes = replies[rank].numbers[0];
    numbers[rank] = bytes / count;
    numbers[replies.size() + rank] = bytes > 0 ? first : static_cast<std::int64_t>(rank);
  }
  collective.broadcast(std::as_writable_bytes(std::span(numbers)), 0);
  const auto middle = numbers.begin() + ranks;
  Agreement agreement{std::move(listing), {numbers.begin(), middle}, {middle, numbers.end()}, {}};
  const auto bytes = std::as_bytes(std::span(numbers));
  agreement.digest =
      hash_of(cat(to_hex(agreement.listing.digest), std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size())));
  return agreement;
}

// ---- Shares ----

namespace {

// Returns a view of consecutive elements of a block, which keeps its tensor alive. box: relative to the block.
std::shared_ptr<tensor::Tensor> view_of(const std::shared_ptr<tensor::Tensor>& block, const Box& box) {
  const auto dimensions = block->shape().dimensions();
  const std::int64_t position = position_in(whole_box({dimensions.begin(), dimensions.end()}), box.offsets);
  std::byte* const data = block->byte_span().data() + position * tensor::dtype_bits(block->dtype()) / 8;
  return tensor::Tensor::borrow(
      data, block->dtype(), tensor::Shape(std::span(box.lengths)), [held = block] { static_cast<void>(held); }, true);
}

// The blocks of one group that one rank writes.
class Shared {
 public:
  explicit Shared(const StateGroup& group) {
    out_.name = group.name;
    out_.bytes_of_chunk = shard_chunk_bytes;
    out_.tensors.reserve(group.tensors.size() + group.sharded.size());
    for (const StateTensor& item : group.tensors) taken_.insert(item.name);
    for (const ShardedTensor& item : group.sharded) taken_.insert(item.name);
  }

  // shares: shares of this block of the tensor with this name and shape.
  void add(const std::string& name, const Lengths& shape, const Box& block, const std::shared_ptr<tensor::Tensor>& tensor,
           std::span<const RowShare> shares) {
    for (const RowShare& share : shares) {
      if (share.axes == 0) {
        add(name, shape, block, tensor, nullptr);
        continue;
      }
      for (Box& box : boxes_of_rows(block.lengths, share.axes, share.begin, share.end)) {
        auto view = view_of(tensor, box);
        for (std::size_t i = 0; i < box.offsets.size(); ++i) box.offsets[i] += block.offsets[i];
        add(name, shape, box, std::move(view), tensor);
      }
    }
  }

  StateGroup take() { return std::move(out_); }

 private:
  void add(const std::string& name, const Lengths& shape, const Box& box, std::shared_ptr<tensor::Tensor> tensor,
           std::shared_ptr<tensor::Tensor> view_of) {
    if (box.is_empty()) return;
    StateTensor item{name, std::move(tensor), {}, {}, std::move(view_of)};
    if (box != whole_box(shape)) {
      item.of = name;
      item.offsets = box.offsets;
    }
    // The first block gets the tensor's name, which must be unique.
    if (!begun_.insert(name).second) {
      for (std::int64_t copy = 2; !taken_.insert(item.name = cat(name, '~', copy)).second;) ++copy;
    }
    out_.tensors.push_back(std::move(item));
  }

  StateGroup out_;
  std::set<std::string> taken_;
  std::set<std::string> begun_;
};

using SharesByNumber = std::map<std::size_t, std::vector<RowShare>>;

SharesByNumber by_number(const std::vector<RowShare>& shares) {
  SharesByNumber all;
  for (const RowShare& share : shares) all[share.tensor].push_back(share);
  return all;
}

// Returns the shares of the replicated tensors, by group and name.
std::map<std::pair<std::string_view, std::string_view>, std::vector<RowShare>> shares_of_replicas(const Agreement& agreement,
                                                                                                  std::int64_t rank) {
  std::vector<Splittable> splittable;
  std::vector<const ListedTensor*> listed;
  for (const ListedTensor& tensor : agreement.listing.tensors) {
    if (tensor.is_sharded) continue;
    splittable.push_back({tensor.dtype, &tensor.shape});
    listed.push_back(&tensor);
  }
  std::map<std::pair<std::string_view, std::string_view>, std::vector<RowShare>> shares;
  for (auto& [number, of_tensor] : by_number(share_of(splittable, agreement.own_bytes, rank))) {
    shares.emplace(std::pair(std::string_view(listed[number]->group), std::string_view(listed[number]->name)),
                   std::move(of_tensor));
  }
  return shares;
}

using SharesOfBlocks = std::map<const ShardedTensor::Block*, std::vector<RowShare>>;

// Returns the shares of this rank's blocks; nothing if no other rank has the same blocks: it then writes them all.
std::optional<SharesOfBlocks> shares_of_blocks(const OwnBlocks& own, const Agreement& agreement, std::int64_t rank) {
  const std::int64_t first = agreement.alike[static_cast<std::size_t>(rank)];
  const std::vector<std::int64_t> none(static_cast<std::size_t>(std::ranges::count(agreement.alike, first)));
  if (none.size() == 1) return std::nullopt;
  std::vector<Splittable> splittable;
  for (const OwnBlocks::Block& each : own.blocks) splittable.push_back({each.of->dtype, &each.block->box.lengths});
  const std::int64_t number_of_rank = std::count(agreement.alike.begin(), agreement.alike.begin() + rank, first);
  SharesOfBlocks shares;
  for (auto& [number, of_block] : by_number(share_of(splittable, none, number_of_rank)))
    shares.emplace(own.blocks[number].block, std::move(of_block));
  return shares;
}

}  // namespace

std::shared_ptr<const State> assign_shares(const State& whole, const OwnBlocks& own, const Agreement& agreement,
                                           std::int64_t rank) {
  const auto of_replicas = shares_of_replicas(agreement, rank);
  const auto of_blocks = shares_of_blocks(own, agreement, rank);
  const RowShare all_of_it;
  std::vector<StateGroup> groups;
  for (const StateGroup& group : whole.groups()) {
    Shared shared(group);
    for (const StateTensor& item : group.tensors) {
      const auto found = of_replicas.find({group.name, item.name});
      if (found == of_replicas.end()) continue;
      const auto dimensions = item.tensor->shape().dimensions();
      const Lengths shape(dimensions.begin(), dimensions.end());
      shared.add(item.name, shape, whole_box(shape), item.tensor, found->second);
    }
    for (const ShardedTensor& item : group.sharded) {
      for (const ShardedTensor::Block& block : item.blocks) {
        if (!of_blocks) {
          shared.add(item.name, item.shape, block.box, block.tensor, std::span(&all_of_it, 1));
        } else if (const auto found = of_blocks->find(&block); found != of_blocks->end()) {
          shared.add(item.name, item.shape, block.box, block.tensor, found->second);
        }
      }
    }
    StateGroup out = shared.take();
    if (!out.tensors.empty()) groups.push_back(std::move(out));
  }
  return std::make_shared<State>(State::of(std::move(groups), whole.values(), whole.rarely_changing()));
}

// ---- Replicas ----

namespace {

void compare_tensors(Collective& collective, const State& state, const Listing& listing) {
  std::map<std::pair<std::string_view, std::string_view>, const tensor::Tensor*> tensors;
  for (const StateGroup& group : state.groups()) {
    for (const StateTensor& item : group.tensors)
      tensors.emplace(std::pair(std::string_view(group.name), std::string_view(item.name)), item.tensor.get());
  }
  std::vector<const ListedTensor*> listed;
  std::vector<Digest> mine;
  for (const ListedTensor& tensor : listing.tensors) {
    const auto found = tensors.find({tensor.group, tensor.name});
    if (found == tensors.end()) continue;
    mine.push_back(digest_of(*found->second));
    listed.push_back(&tensor);
  }
  std::vector<Digest> theirs = mine;
  collective.broadcast(std::as_writable_bytes(std::span(theirs)), 0);
  Reply reply;
  const auto unlike = std::ranges::mismatch(mine, theirs).in1;
  reply.numbers[0] = unlike == mine.end() ? 0 : 1 + (unlike - mine.begin());
  const std::vector<Reply> replies = collective.gather(reply);
  std::optional<base::Error> of_all;
  std::int64_t first = 0;
  std::string ranks;
  for (std::size_t i = 0; i < replies.size(); ++i) {
    const std::int64_t number = replies[i].numbers[0];
    if (number == 0 || (first != 0 && number != first)) continue;
    first = number;
    ranks += cat(ranks.empty() ? "" : ", ", i);
  }
  if (first != 0) {
    const ListedTensor& tensor = *listed[static_cast<std::size_t>(first - 1)];
    of_all = base::Error(Status::invalid_argument,
                         cat(quoted_tensor(tensor.group, tensor.name), " differs between rank 0 and rank ", ranks));
  }
  if (const auto error = collective.first_error(replies, of_all, std::nullopt)) throw base::Error(*error);
}

// Rank 0 finds two ranks with different contents of a block that should be identical; the second of them then identifies the block.
void compare_blocks(Collective& collective, const OwnBlocks& own, const std::vector<std::int64_t>& alike) {
  std::vector<Digest> mine;
  for (const OwnBlocks::Block& each : own.blocks) mine.push_back(digest_of(*each.block->tensor));
  const auto text_of = [](const std::vector<Digest>& digests) {
    const auto bytes = std::as_bytes(std::span(digests));
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  const std::string text = text_of(mine);
  Reply reply;
  reply.digests[0] = hash_of(text);
  const std::vector<Reply> replies = collective.gather(reply);
  struct Pair {
    std::int64_t first = -1;
    std::int64_t second = -1;
  } unlike;
  for (std::size_t rank = 0; rank < replies.size() && unlike.second < 0; ++rank) {
    if (replies[rank].digests[0] != replies[static_cast<std::size_t>(alike[rank])].digests[0])
      unlike = {alike[rank], static_cast<std::int64_t>(rank)};
  }
  collective.broadcast(std::as_writable_bytes(std::span(&unlike, 1)), 0);
  if (unlike.second < 0) return;
  const std::string theirs = collective.broadcast_text(text, unlike.first);
  std::optional<base::Error> error;
  if (collective.rank() == unlike.second) {
    constexpr std::size_t each = sizeof(Digest);
    std::size_t number = 0;
    while (number + 1 < mine.size() && text.compare(number * each, each, theirs, number * each, each) == 0) ++number;
    const OwnBlocks::Block& block = own.blocks[number];
    error = base::Error(Status::invalid_argument, cat(to_text(block.block->box), " of ", quoted_tensor(block.group, block.of->name),
                                                      " differs between rank ", unlike.first, " and rank ", unlike.second));
  }
  collective.agree(error);
}

}  // namespace

void compare_replicas(Collective& collective, const State& state, const OwnBlocks& own, const Agreement& agreement) {
  compare_tensors(collective, state, agreement.listing);
  if (agreement.has_identical_blocks()) compare_blocks(collective, own, agreement.alike);
}

}  // namespace ckpt::state
