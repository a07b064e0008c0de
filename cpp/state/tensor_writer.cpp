#include "state/tensor_writer.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "base/error.h"

namespace ckpt::state {

FileLayout layout_of(const StateGroup& group, const Metadata& metadata) {
  FileLayout layout;
  layout.bytes_of_chunk = group.bytes_of_chunk;
  std::map<std::string_view, const StateTensor*> items;
  for (const StateTensor& item : group.tensors) {
    const auto dimensions = item.tensor->shape().dimensions();
    layout.entries.push_back({item.name, item.tensor->dtype(), {dimensions.begin(), dimensions.end()}});
    items.emplace(item.name, &item);
  }
  layout.header = make_header(layout.entries, metadata);  // sorts the entries
  for (const TensorEntry& entry : layout.entries) layout.items.push_back(items.at(entry.name));
  return layout;
}

// ---- Hasher ----

void FileHasher::hash(const Part& part) {
  Hasher& chunk = part.again ? again_ : chunk_;
  if (part.of_chunk) chunk.update(part.bytes);
  if (!part.again) file_.update(part.bytes);
  if (part.ends_chunk) (part.again ? chunks_again_ : chunks_).push_back(chunk.finish());
}

FileHasher::Digests FileHasher::finish() {
  chunk_.finish();  // discards the digest of an abandoned file
  again_.finish();
  return {file_.finish(), std::exchange(chunks_, {}), std::exchange(chunks_again_, {})};
}

// ---- Writer ----

TensorFileWriter::TensorFileWriter(storage::File& file, const FileLayout& layout, FileHasher& hasher, const std::atomic<bool>* stop,
                                   storage::RateLimit* limit)
    : file_(file), layout_(layout), hasher_(hasher), stop_(stop), limit_(limit) {
  appended_.header_left = static_cast<std::int64_t>(layout.header.size());
}

void TensorFileWriter::add_parts(Place& place, std::span<const std::byte> bytes, bool again) {
  while (!bytes.empty()) {
    const bool of_chunk = place.header_left == 0;
    while (of_chunk && place.offset == layout_.entries[place.tensor].bytes) place = {0, place.tensor + 1, 0};
    const std::int64_t left = of_chunk ? std::min(layout_.bytes_of_chunk - place.offset % layout_.bytes_of_chunk,
                                                  layout_.entries[place.tensor].bytes - place.offset)
                                       : place.header_left;
    const auto part = bytes.first(std::min(bytes.size(), static_cast<std::size_t>(left)));
    const auto count = static_cast<std::int64_t>(part.size());
    hasher_.add({part, of_chunk, of_chunk && count == left, again});
    (of_chunk ? place.offset : place.header_left) += of_chunk ? count : -count;
    bytes = bytes.subspan(part.size());
  }
}

void TensorFileWriter::append_by(Write write, std::span<const std::byte> bytes) {
  add_parts(appended_, bytes, false);
  storage::require_running(stop_);
  const auto count = static_cast<std::int64_t>(bytes.size());
  if (limit_ != nullptr) limit_->take(count, stop_);
  (file_.*write)(size_, bytes);
  size_ += count;
}

void TensorFileWriter::compare(std::span<const std::byte> bytes) { add_parts(compared_, bytes, true); }

WrittenFile TensorFileWriter::finish(const std::string& name, std::string* changed) {
  const FileHasher::Digests digests = hasher_.finish();
  WrittenFile written{{name, size_, digests.file}, {}};
  written.tensors.reserve(layout_.entries.size());
  std::size_t chunk = 0;
  for (const TensorEntry& entry : layout_.entries) {
    TensorRecord record{entry.name, name, entry.dtype, entry.shape};
    record.bytes_of_chunk = layout_.bytes_of_chunk;
    const StateTensor& item = *layout_.items[written.tensors.size()];
    record.of = item.of;
    record.offsets = item.offsets;
    for (std::int64_t left = chunk_count(entry.bytes, layout_.bytes_of_chunk); left > 0; --left, ++chunk) {
      record.chunks.push_back(digests.chunks[chunk]);
      const bool is_other = !digests.again.empty() && digests.again[chunk] != digests.chunks[chunk];
      if (is_other && changed != nullptr && changed->empty()) *changed = entry.name;
    }
    written.tensors.push_back(std::move(record));
  }
  return written;
}

// ---- Copier ----

namespace {
constexpr std::size_t copier_block_bytes = std::size_t{1} << 20;  // stays in the cache between copy, hash and write
}

TensorCopier::Block& TensorCopier::next_block() {
  Block& block = blocks_[next_block_++ % blocks_.size()];
  if (block.bytes == nullptr) block.bytes = std::make_unique_for_overwrite<std::byte[]>(copier_block_bytes);
  hasher_.wait_for(block.free_after);
  return block;
}

// The pass of one file through the blocks.
class TensorCopier::Pass {
 public:
  Pass(TensorCopier& copier, TensorFileWriter& writer, bool compare, const std::function<void(std::int64_t)>& written)
      : copier_(copier), writer_(writer), compare_(compare), written_(written) {}

  void add(std::span<const std::byte> bytes, bool of_tensor) {
    while (!bytes.empty()) {
      if (block_ == nullptr) block_ = &copier_.next_block();
      const auto part = bytes.first(std::min(bytes.size(), copier_block_bytes - used_));
      std::memcpy(block_->bytes.get() + used_, part.data(), part.size());
      used_ += part.size();
      if (of_tensor) tensor_bytes_ += static_cast<std::int64_t>(part.size());
      if (of_tensor && compare_) parts_.push_back(part);
      if (used_ == copier_block_bytes) flush();
      bytes = bytes.subspan(part.size());
    }
  }

  void flush() {
    if (block_ == nullptr) return;
    writer_.append({block_->bytes.get(), used_});
    block_->free_after = copier_.hasher_.added();
    for (const auto part : parts_) writer_.compare(part);
    if (written_ && tensor_bytes_ > 0) written_(tensor_bytes_);
    block_ = nullptr;
    used_ = 0;
    tensor_bytes_ = 0;
    parts_.clear();
  }

 private:
  TensorCopier& copier_;
  TensorFileWriter& writer_;
  const bool compare_;
  const std::function<void(std::int64_t)>& written_;
  Block* block_ = nullptr;
  std::size_t used_ = 0;
  std::int64_t tensor_bytes_ = 0;                  // tensor bytes in the block
  std::vector<std::span<const std::byte>> parts_;  // source memory of the bytes in the block
};

void TensorCopier::write(TensorFileWriter& writer, const FileLayout& layout, bool compare,
                         const std::function<void(std::int64_t bytes)>& written) {
  Pass pass(*this, writer, compare, written);
  pass.add(std::as_bytes(std::span(layout.header)), false);
  for (const StateTensor* const item : layout.items) pass.add(item->tensor->byte_span(), true);
  pass.flush();
}

// ---- Whole files ----

WrittenFile write_tensor_file(storage::File& file, const std::string& name, const StateGroup& group, const Metadata& metadata,
                              base::Progress* progress) {
  const FileLayout layout = layout_of(group, metadata);
  FileHasher hasher;
  TensorFileWriter writer(file, layout, hasher);
  TensorCopier(hasher, 1).write(writer, layout, false, [&](std::int64_t bytes) {
    if (progress != nullptr) progress->add(bytes);
  });
  return writer.finish(name);
}

bool holds_same_tensors(const GroupRecord& recorded, const FileLayout& layout, const ReadTensor& read) {
  if (recorded.tensors.size() != layout.entries.size()) return false;
  std::map<std::string_view, const TensorRecord*> records;
  for (const TensorRecord& record : recorded.tensors) records.emplace(record.name, &record);
  Hasher hasher;
  for (std::size_t i = 0; i < layout.entries.size(); ++i) {
    const TensorEntry& entry = layout.entries[i];
    const auto found = records.find(entry.name);
    if (found == records.end() || found->second->dtype != entry.dtype || found->second->shape != entry.shape) return false;
    if (found->second->of != layout.items[i]->of || found->second->offsets != layout.items[i]->offsets) return false;
    std::int64_t offset = 0;
    for (const Digest& digest : found->second->chunks) {
      const std::int64_t end = std::min(offset + found->second->bytes_of_chunk, entry.bytes);
      while (offset < end) {
        const auto bytes = read(i, offset, end - offset);
        hasher.update(bytes);
        offset += static_cast<std::int64_t>(bytes.size());
      }
      if (hasher.finish() != digest) return false;
    }
  }
  return true;
}

bool holds_same_tensors(const GroupRecord& recorded, const StateGroup& group) {
  const FileLayout layout = layout_of(group);
  return holds_same_tensors(recorded, layout, [&](std::size_t tensor, std::int64_t offset, std::int64_t max) {
    const std::span<const std::byte> bytes = layout.items[tensor]->tensor->byte_span();
    return bytes.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(max));
  });
}

}  // namespace ckpt::state
