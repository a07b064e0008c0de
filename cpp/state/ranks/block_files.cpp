#include "state/ranks/block_files.h"

#include <algorithm>

#include "base/error.h"
#include "state/checkpoint_files.h"
#include "state/hash.h"
#include "state/name.h"
#include "state/rank_names.h"
#include "state/ranks/block_copy.h"
#include "state/ranks/part.h"
#include "storage/read_ahead.h"

namespace ckpt::state {
namespace {

// Small enough to stay in the core's cache between reading, hashing and copying.
constexpr std::int64_t block_piece_bytes = std::int64_t{256} << 10;
constexpr std::int64_t max_part_bytes = std::int64_t{64} << 20;  // size of the cached parts

}  // namespace

// ---- Parts ----

PartRecords::PartRecords(std::shared_ptr<const std::vector<GroupRecord>> groups) : groups_(std::move(groups)) {
  for (const GroupRecord& group : *groups_) {
    for (const TensorRecord& block : group.tensors) by_tensor_[{group.name, tensor_of(block)}].push_back({&group, &block});
  }
}

PartRecords::Entry PartRecords::find(const std::string& group, const std::string& tensor, const Box& box) const {
  const auto found = by_tensor_.find({group, tensor});
  if (found == by_tensor_.end()) return {};
  const auto has_box = [&](const Entry& entry) { return box_of(*entry.block) == box; };
  const auto entry = std::ranges::find_if(found->second, has_box);
  return entry == found->second.end() ? Entry{} : *entry;
}

// ---- Files ----

BlockFiles::BlockFiles(storage::Storage& storage, std::string directory, const Manifest& manifest)
    : storage_(storage), directory_(std::move(directory)), manifest_(manifest) {}

std::string BlockFiles::part_path(std::int64_t part) const {
  return path_in(directory_, manifest_.is_of_many() ? part_name(part, manifest_.world_size) : std::string(manifest_name));
}

std::shared_ptr<const PartRecords> BlockFiles::part(std::int64_t number) {
  if (const auto known = parts_.find(number); known != parts_.end()) return known->second;
  std::shared_ptr<const std::vector<GroupRecord>> groups;
  if (manifest_.is_of_many()) {
    part_bytes_ += manifest_.parts[static_cast<std::size_t>(number)].bytes;
    groups = std::make_shared<std::vector<GroupRecord>>(read_part(storage_, directory_, manifest_, number).groups);
  } else {
    groups = std::shared_ptr<const std::vector<GroupRecord>>(std::shared_ptr<void>(), &manifest_.groups);
  }
  auto records = std::make_shared<const PartRecords>(std::move(groups));
  while (part_bytes_ > max_part_bytes && !part_order_.empty()) {
    part_bytes_ -= manifest_.parts[static_cast<std::size_t>(part_order_.front())].bytes;
    parts_.erase(part_order_.front());
    part_order_.pop_front();
  }
  parts_.emplace(number, records);
  part_order_.push_back(number);
  return records;
}

std::shared_ptr<const BlockFile> BlockFiles::open(const std::shared_ptr<const PartRecords>& part, const GroupRecord& group,
                                                  const std::string& name) {
  if (const auto known = files_.find(name); known != files_.end()) return known->second;
  while (files_.size() >= max_files) {
    files_.erase(file_order_.front());
    file_order_.pop_front();
  }
  const auto opened = std::make_shared<BlockFile>();
  opened->path = path_in(directory_, name);
  opened->part = part;
  reading(opened->path, [&] {
    opened->file = storage::open_ahead(storage_, opened->path);
    const FileRecord& record = *std::ranges::find(group.files, name, &FileRecord::name);
    const auto tensors = tensors_of(group, record);
    const Header header = read_recorded_header(*opened->file, record, tensors);
    const RecordsOf records(header, tensors);
    for (std::size_t i = 0; i < header.tensors.size(); ++i)
      opened->places.emplace(records[i], std::pair(header.data_start + header.tensors[i].offset, header.tensors[i].bytes));
  });
  files_.emplace(name, opened);
  file_order_.push_back(name);
  return opened;
}

StoredBlock BlockFiles::find(const std::string& group, const TensorRecord& tensor, const Box& box, std::int64_t part,
                             bool is_checked) {
  const auto records = this->part(part);
  const PartRecords::Entry entry = records->find(group, tensor.name, box);
  const bool is_right =
      entry.block != nullptr && entry.block->dtype == tensor.dtype && is_on_bytes(tensor.dtype, box, tensor.shape);
  if (!is_right) {
    fail_corrupt(base::cat(part_path(part), ": block ", to_text(box), " of tensor ", base::quote(tensor.name), " of group ",
                           base::quote(group), entry.block == nullptr ? " is missing" : " differs from the manifest",
                           " in the part of rank ", part));
  }
  StoredBlock block{open(records, *entry.group, entry.block->file), {}};
  const auto& [offset, bytes] = block.from->places.at(entry.block);
  block.place = {offset, bytes, entry.block, is_checked, nullptr, tensor.dtype};
  return block;
}

// ---- Numbers ----

void for_each_stored_number(const TensorRecord& tensor, const Box& wanted, const std::function<void(std::int64_t number)>& take) {
  if (tensor.placement != nullptr) {
    tensor.placement->for_each_number(wanted, take);
  } else if (!wanted.is_empty()) {
    take(0);
  }
}

Placement::Block stored_block(const TensorRecord& tensor, std::int64_t number) {
  return tensor.placement != nullptr ? tensor.placement->block(number) : Placement::Block{whole_box(tensor.shape), 0};
}

// ---- Bytes ----

std::pair<std::int64_t, std::int64_t> touched_bytes(const TensorPlace& place, std::int64_t begin, std::int64_t end) {
  if (!place.is_checked || begin == end) return {begin, end};
  const std::int64_t chunk = place.record->bytes_of_chunk;
  return {begin / chunk * chunk, std::min(place.bytes, chunk_count(end, chunk) * chunk)};
}

void read_block(const StoredBlock& block, std::int64_t begin, std::int64_t end, const ReadProgress& progress,
                const TakeBytes& take) {
  if (begin == end) return;
  const TensorPlace& place = block.place;
  const std::int64_t chunk_length = place.record->bytes_of_chunk;
  const std::pair<std::int64_t, std::int64_t> touched = touched_bytes(place, begin, end);
  const std::int64_t last = touched.second;
  const auto room = static_cast<std::size_t>(std::min(block_piece_bytes, last - touched.first));
  const auto buffer = std::make_unique_for_overwrite<std::byte[]>(room);
  Hasher hasher;
  reading(block.from->path, [&] {
    for (std::int64_t at = touched.first; at < last;) {
      const std::int64_t chunk = at / chunk_length;
      const std::int64_t chunk_end = std::min(last, (chunk + 1) * chunk_length);
      const std::span piece(buffer.get(), static_cast<std::size_t>(std::min(block_piece_bytes, chunk_end - at)));
      read_exactly(*block.from->file, place.offset + at, piece);
      if (place.is_checked) hasher.update(piece);
      const std::int64_t from = std::max(at, begin);
      const std::int64_t to = std::min(at + std::ssize(piece), end);
      if (from < to) take(from, piece.subspan(static_cast<std::size_t>(from - at), static_cast<std::size_t>(to - from)));
      at += std::ssize(piece);
      progress.add(piece.size());
      if (place.is_checked && at == chunk_end) require_digest(*place.record, static_cast<std::size_t>(chunk), hasher.finish());
    }
  });
}

}  // namespace ckpt::state
