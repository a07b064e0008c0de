#include "state/tensor_file.h"

#include <algorithm>
#include <memory>

#include "base/error.h"

namespace ckpt::state {
namespace {

using base::cat;

// A block stays in the cache between reading and hashing.
constexpr std::size_t block_bytes = std::size_t{1} << 20;

// Small enough to stay in the core's cache between reading and hashing.
constexpr std::size_t read_piece_bytes = std::size_t{256} << 10;

// Compares a tensor's chunks with their record as its bytes are read.
class ChunkChecker {
 public:
  explicit ChunkChecker(const TensorRecord& record) : record_(record) {}

  void update(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const std::size_t count = std::min(bytes.size(), static_cast<std::size_t>(record_.bytes_of_chunk - in_chunk_));
      hasher_.update(bytes.first(count));
      in_chunk_ += static_cast<std::int64_t>(count);
      if (in_chunk_ == record_.bytes_of_chunk) end_chunk();
      bytes = bytes.subspan(count);
    }
  }

  void finish() {
    if (in_chunk_ > 0) end_chunk();
  }

 private:
  void end_chunk() {
    require_digest(record_, chunk_++, hasher_.finish());
    in_chunk_ = 0;
  }

  const TensorRecord& record_;
  Hasher hasher_;
  std::size_t chunk_ = 0;
  std::int64_t in_chunk_ = 0;
};

// Hashes [offset, offset + bytes) of a file block by block.
void hash_range(storage::File& file, std::int64_t offset, std::int64_t bytes, std::span<std::byte> block, Hasher& whole,
                ChunkChecker* checker, base::Progress* progress) {
  while (bytes > 0) {
    const auto piece = block.first(std::min(block.size(), static_cast<std::size_t>(bytes)));
    read_exactly(file, offset, piece);
    whole.update(piece);
    if (checker != nullptr) checker->update(piece);
    if (progress != nullptr) progress->add(static_cast<std::int64_t>(piece.size()));
    offset += static_cast<std::int64_t>(piece.size());
    bytes -= static_cast<std::int64_t>(piece.size());
  }
  if (checker != nullptr) checker->finish();
}

}  // namespace

void read_exactly(storage::File& file, std::int64_t offset, std::span<std::byte> bytes) {
  if (file.read(offset, bytes) != static_cast<std::int64_t>(bytes.size())) fail_corrupt("the file was truncated during the read");
}

void require_digest(const TensorRecord& record, std::size_t chunk, const Digest& digest) {
  if (digest == record.chunks[chunk]) return;
  const std::string block = record.offsets.empty() ? "" : cat(", block ", to_text(box_of(record)));
  fail_corrupt(cat("tensor ", base::quote(tensor_of(record)), block, ": chunk ", chunk, " has the checksum ", to_hex(digest),
                   "; expected ", to_hex(record.chunks[chunk])));
}

std::vector<const TensorRecord*> tensors_of(const GroupRecord& group, const FileRecord& file) {
  std::vector<const TensorRecord*> tensors;
  for (const TensorRecord& tensor : group.tensors) {
    if (tensor.file == file.name) tensors.push_back(&tensor);
  }
  return tensors;
}

void copy_file(storage::File& from, storage::File& to, const FileRecord& record) {
  const auto block = std::make_unique_for_overwrite<std::byte[]>(block_bytes);
  Hasher hasher;
  from.expect(0, record.bytes);
  for (std::int64_t offset = 0; offset < record.bytes;) {
    const auto piece = std::span(block.get(), std::min(block_bytes, static_cast<std::size_t>(record.bytes - offset)));
    read_exactly(from, offset, piece);
    hasher.update(piece);
    to.write(offset, piece);
    offset += static_cast<std::int64_t>(piece.size());
  }
  if (hasher.finish() != record.digest) fail_corrupt("the file changed during the copy");
}

RecordsOf::RecordsOf(const Header& header, std::span<const TensorRecord* const> tensors) : header_(header), tensors_(tensors) {
  bool is_same_order = true;
  for (std::size_t i = 0; i < std::min(header.tensors.size(), tensors.size()) && is_same_order; ++i)
    is_same_order = header.tensors[i].name == tensors[i]->name;
  if (is_same_order) return;
  by_name_.emplace(tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) by_name_->add(tensors[i]->name, i);
}

const TensorRecord* RecordsOf::operator[](std::size_t entry) const {
  if (!by_name_) return entry < tensors_.size() ? tensors_[entry] : nullptr;
  const std::string& name = header_.tensors[entry].name;
  const TensorRecord* found = nullptr;
  by_name_->any(name, [&](std::size_t number) {
    if (tensors_[number]->name == name) found = tensors_[number];
    return found != nullptr;
  });
  return found;
}

Header read_recorded_header(storage::File& file, const FileRecord& record, std::span<const TensorRecord* const> tensors) {
  if (const std::int64_t size = file.size(); size != record.bytes) {
    fail_corrupt(cat("the file has ", size, " bytes; expected ", record.bytes));
  }
  Header header = read_header(file);
  const RecordsOf records(header, tensors);
  for (std::size_t i = 0; i < header.tensors.size(); ++i) {
    const TensorEntry& entry = header.tensors[i];
    const TensorRecord* const recorded = records[i];
    if (recorded == nullptr) fail_corrupt(cat("tensor ", base::quote(entry.name), " is not in the manifest"));
    if (recorded->dtype != entry.dtype || recorded->shape != entry.shape) {
      fail_corrupt(cat("tensor ", base::quote(entry.name), ": dtype or shape differs from the manifest"));
    }
  }
  // Names are unique on both sides, so equal counts mean equal sets.
  if (header.tensors.size() != tensors.size()) {
    fail_corrupt(cat("the file has ", header.tensors.size(), " tensors; expected ", tensors.size()));
  }
  return header;
}

std::int64_t read_chunk(storage::File& file, const TensorPlace& place, std::int64_t chunk, std::byte* destination,
                        const ReadProgress& progress) {
  const std::int64_t begin = chunk * place.record->bytes_of_chunk;
  const std::int64_t end = std::min(place.bytes, begin + place.record->bytes_of_chunk);
  std::unique_ptr<std::byte[]> block;
  if (destination == nullptr || place.convert != nullptr)
    block = std::make_unique_for_overwrite<std::byte[]>(std::min(read_piece_bytes, static_cast<std::size_t>(end - begin)));
  Hasher hasher;
  std::int64_t misfit = -1;
  for (std::int64_t at = begin; at < end;) {
    const std::size_t count = std::min(read_piece_bytes, static_cast<std::size_t>(end - at));
    const std::span<std::byte> piece(block != nullptr ? block.get() : destination + at, count);
    read_exactly(file, place.offset + at, piece);
    if (place.is_checked) hasher.update(piece);
    if (place.convert != nullptr && misfit < 0) {
      const std::int64_t element_bytes = tensor::dtype_bits(place.record->dtype) / 8;
      const std::int64_t first = at / element_bytes;
      const std::size_t elements = count / static_cast<std::size_t>(element_bytes);
      std::byte* const to = destination == nullptr ? nullptr : destination + first * (tensor::dtype_bits(place.to) / 8);
      const std::size_t converted = place.convert(piece.data(), to, elements);
      if (converted < elements) misfit = first + static_cast<std::int64_t>(converted);
    }
    at += static_cast<std::int64_t>(count);
    progress.add(count);
  }
  if (place.is_checked) require_digest(*place.record, static_cast<std::size_t>(chunk), hasher.finish());
  return misfit;
}

void verify_tensor_file(storage::File& file, const FileRecord& record, std::span<const TensorRecord* const> tensors,
                        base::Progress* progress) {
  file.expect(0, record.bytes);
  const Header header = read_recorded_header(file, record, tensors);
  const RecordsOf records(header, tensors);
  const auto block = std::make_unique_for_overwrite<std::byte[]>(block_bytes);
  const std::span<std::byte> space(block.get(), block_bytes);
  Hasher whole;
  hash_range(file, 0, header.data_start, space, whole, nullptr, progress);
  for (std::size_t i = 0; i < header.tensors.size(); ++i) {
    const TensorEntry& entry = header.tensors[i];
    ChunkChecker checker(*records[i]);
    hash_range(file, header.data_start + entry.offset, entry.bytes, space, whole, &checker, progress);
  }
  if (const Digest digest = whole.finish(); digest != record.digest) {
    fail_corrupt(cat("the file has the checksum ", to_hex(digest), "; expected ", to_hex(record.digest)));
  }
}

}  // namespace ckpt::state
