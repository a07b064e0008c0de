#include "state/manager/reader.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/os/cpu.h"
#include "base/os/memory.h"
#include "state/catalog.h"
#include "state/index.h"
#include "state/name.h"
#include "state/ranks/part_checks.h"
#include "state/tensor_file.h"
#include "storage/file_system.h"
#include "storage/read_ahead.h"

namespace ckpt::state {
namespace {

using base::cat;
using base::Status;

constexpr std::int64_t largest_index_bytes = largest_manifest_bytes;

// Small enough to stay in the cache between reading and hashing.
constexpr std::size_t piece_bytes = std::size_t{256} << 10;

constexpr std::int32_t max_helpers = 4;
constexpr std::size_t min_helped_bytes = std::size_t{1} << 20;

}  // namespace

Reader::Reader(Protocol& protocol, const std::string& name, Verify verify) {
  storage::Storage& storage = protocol.storage();
  base::Progress progress;
  checks_every_read_ = verify == Verify::full;
  read_one(protocol, name, [&](const std::string& directory, Manifest& manifest) {
    shards_ = nullptr;
    if (manifest.is_of_many()) {
      if (verify == Verify::full) {
        VerifyResult checked;
        progress.begin(total_bytes(manifest));
        verify_parts(storage, directory, manifest, checked, progress);
      }
      shards_ = std::make_unique<ShardReader>(protocol.shared_storage(), directory, std::move(manifest), verify != Verify::none);
      return;
    }
    groups_.clear();
    parts_.clear();
    items_.clear();
    add_checkpoint(storage, directory, manifest, verify, progress);
  });
  if (verify == Verify::full) progress.finish();
  index_names();
}

void Reader::add_checkpoint(storage::Storage& storage, const std::string& directory, const Manifest& manifest, Verify verify,
                            base::Progress& progress) {
  if (verify == Verify::full) progress.begin(total_bytes(manifest));
  // Open all files before reading any: an open file can be read even if a writer removes the checkpoint.
  for (const GroupRecord& group : manifest.groups) {
    groups_.push_back(group.name);
    for (const FileRecord& record : group.files) {
      const std::string path = path_in(directory, record.name);
      parts_.push_back({path, reading(path, [&] { return storage::open_ahead(storage, path); }), record.bytes, {}, nullptr});
    }
  }
  std::size_t part = 0;
  for (std::size_t g = 0; g < manifest.groups.size(); ++g) {
    const GroupRecord& group = manifest.groups[g];
    for (const FileRecord& record : group.files) {
      const std::vector<const TensorRecord*> records = tensors_of(group, record);
      storage::File& file = *parts_[part].file;
      Header header = reading(parts_[part].path, [&] {
        Header read = read_recorded_header(file, record, records);
        if (verify == Verify::full) verify_tensor_file(file, record, records, &progress);
        return read;
      });
      const RecordsOf records_of(header, records);
      items_.reserve(items_.size() + header.tensors.size());
      for (std::size_t i = 0; i < header.tensors.size(); ++i) {
        Item item{part, i, g, {}, {}};
        if (verify != Verify::none) item.chunks = records_of[i]->chunks;
        item.checked.resize(item.chunks.size());
        items_.push_back(std::move(item));
      }
      parts_[part++].header = std::move(header);
    }
  }
}

Reader::Reader(const std::string& path) {
  namespace fs = std::filesystem;
  base::require(!path.empty() && path.find('\0') == std::string::npos, "path is empty or contains a NUL: ", base::quote(path));
  groups_.emplace_back();
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) {
    add_file(path);
  } else if (fs::exists(fs::path(path) / index_name, ignored)) {
    add_indexed(path);
  } else if (fs::exists(fs::path(path) / "model.safetensors", ignored)) {
    add_file((fs::path(path) / "model.safetensors").string());
  } else {
    base::fail(Status::not_found, base::quote(path), ": expected ", index_name, " or model.safetensors");
  }
  index_names();
}

Reader::Part& Reader::add_part(std::string path, std::unique_ptr<storage::File> file) {
  const std::int64_t size = file->size();
  Header header = reading(path, [&] { return read_header(*file); });
  metadata_.insert(metadata_.end(), header.metadata.begin(), header.metadata.end());
  return parts_.emplace_back(Part{std::move(path), std::move(file), size, std::move(header), nullptr});
}

void Reader::add_file(const std::string& path) {
  const Part& part = add_part(path, storage::open_file(path));
  for (std::size_t i = 0; i < part.header.tensors.size(); ++i) items_.push_back({parts_.size() - 1, i, 0, {}, {}});
}

void Reader::add_indexed(const std::string& directory) {
  const std::string index_path = cat(directory, '/', index_name);
  const auto files =
      reading(index_path, [&] { return parse_index(read_text(*storage::open_file(index_path), largest_index_bytes)); });
  for (const auto& [name, tensors] : files) {
    const std::string path = cat(directory, '/', name);
    const Part& part = add_part(path, reading(path, [&] { return storage::open_file(path); }));
    std::size_t found = 0;
    for (std::size_t i = 0; i < part.header.tensors.size(); ++i) {
      if (!tensors.contains(part.header.tensors[i].name)) continue;
      items_.push_back({parts_.size() - 1, i, 0, {}, {}});
      ++found;
    }
    if (found == tensors.size()) continue;
    const auto missing = std::ranges::find_if(tensors, [&](const std::string& tensor) {
      return std::ranges::find(part.header.tensors, tensor, &TensorEntry::name) == part.header.tensors.end();
    });
    base::fail(Status::corrupt, path, ": tensor ", base::quote(*missing), " of the index is not in the file");
  }
}

// Call when all items are in their final place: the names refer to the headers.
void Reader::index_names() {
  by_name_ = NameTable(static_cast<std::size_t>(count()));
  for (std::int64_t i = 0; i < count(); ++i) by_name_.add(at(i).name, static_cast<std::size_t>(i));
}

const ShardReader::Item* Reader::sharded(std::int64_t index) const {
  if (index < 0 || index >= count()) base::fail(Status::out_of_range, "index is ", index, "; the reader has ", count(), " tensors");
  return shards_ == nullptr ? nullptr : &shards_->items()[static_cast<std::size_t>(index)];
}

const Reader::Item& Reader::item(std::int64_t index) const {
  if (index < 0 || index >= count()) base::fail(Status::out_of_range, "index is ", index, "; the reader has ", count(), " tensors");
  return items_[static_cast<std::size_t>(index)];
}

const TensorEntry& Reader::at(std::int64_t index) const {
  if (const auto* const shard = sharded(index); shard != nullptr) return shard->entry;
  const Item& found = item(index);
  return parts_[found.part].header.tensors[found.entry];
}

const std::string& Reader::group(std::int64_t index) const {
  if (const auto* const shard = sharded(index); shard != nullptr) return shards_->group(*shard);
  return groups_[item(index).group];
}

std::int64_t Reader::offset(std::int64_t index) const {
  if (sharded(index) != nullptr) return 0;
  return parts_[item(index).part].header.data_start + at(index).offset;
}

std::int64_t Reader::find(std::string_view group, std::string_view name) const {
  std::int64_t result = -1;
  by_name_.any(name, [&](std::size_t number) {
    const auto index = static_cast<std::int64_t>(number);
    if (at(index).name != name || (!group.empty() && this->group(index) != group)) return false;
    base::require(result < 0, "name ", base::quote(name), " is in several groups: specify the group");
    result = index;
    return false;  // continue: other groups may contain it
  });
  if (result < 0) {
    base::fail(Status::not_found, "tensor ", base::quote(name),
               group.empty() ? std::string() : cat(" in group ", base::quote(group)), " does not exist");
  }
  return result;
}

// Every access queries the size again: a truncated file must be an error before the mapping is read. (An open object does not
// change, and its size is not queried twice.)
Reader::Part& Reader::fresh_part(const Item& item) {
  Part& part = parts_[item.part];
  if (const std::int64_t size = part.file->size(); size < part.size)
    base::fail(Status::corrupt, part.path, ": the file was truncated from ", part.size, " to ", size, " bytes after it was opened");
  return part;
}

std::vector<Reader::Stretch> Reader::stretches(const Item& item, std::int64_t begin, std::int64_t end) const {
  const std::int64_t all = parts_[item.part].header.tensors[item.entry].bytes;
  std::vector<Stretch> out;
  for (std::int64_t chunk = begin / chunk_bytes; begin < end && chunk * chunk_bytes < end; ++chunk) {
    const std::int64_t first = chunk * chunk_bytes;
    const std::int64_t last = std::min(all, first + chunk_bytes);
    const bool is_whole = begin <= first && end >= last;
    const bool is_checked =
        !item.chunks.empty() && (is_whole || checks_every_read_ || !item.checked[static_cast<std::size_t>(chunk)]);
    out.push_back(is_checked ? Stretch{chunk, first, last, true}
                             : Stretch{chunk, std::max(begin, first), std::min(end, last), false});
  }
  return out;
}

// take(at, max): returns where the next bytes go: at least one, at most `max`.
template <class Take>
void Reader::read_stretch(Item& item, const Stretch& stretch, base::Progress& progress, Take&& take) {
  const Part& part = parts_[item.part];
  const TensorEntry& entry = part.header.tensors[item.entry];
  const std::int64_t data = part.header.data_start + entry.offset;
  Hasher hasher;
  for (std::int64_t at = stretch.begin; at < stretch.end;) {
    const std::span<std::byte> piece = take(at, std::min<std::int64_t>(piece_bytes, stretch.end - at));
    if (part.file->read(data + at, piece) != std::ssize(piece))
      base::fail(Status::corrupt, part.path, ": the file was truncated during the read");
    if (stretch.is_checked) hasher.update(piece);
    at += std::ssize(piece);
    progress.add(std::ssize(piece));
  }
  if (!stretch.is_checked) return;
  const auto number = static_cast<std::size_t>(stretch.chunk);
  if (const Digest digest = hasher.finish(); digest != item.chunks[number]) {
    base::fail(Status::corrupt, part.path, ": tensor ", base::quote(entry.name), ": chunk ", stretch.chunk, " has the checksum ",
               to_hex(digest), "; expected ", to_hex(item.chunks[number]));
  }
  item.checked[number] = true;
}

std::int64_t Reader::bytes_of(const std::vector<Stretch>& stretches) {
  std::int64_t bytes = 0;
  for (const Stretch& stretch : stretches) bytes += stretch.end - stretch.begin;
  return bytes;
}

void Reader::check_chunks(Item& item, std::int64_t begin, std::int64_t end) {
  std::vector<Stretch> unchecked = stretches(item, begin, end);
  std::erase_if(unchecked, [&](const Stretch& stretch) {
    return !stretch.is_checked || (!checks_every_read_ && item.checked[static_cast<std::size_t>(stretch.chunk)]);
  });
  base::Progress progress;
  progress.begin(bytes_of(unchecked));
  const auto block = std::make_unique_for_overwrite<std::byte[]>(unchecked.empty() ? 0 : piece_bytes);
  const std::int64_t data = parts_[item.part].header.data_start + parts_[item.part].header.tensors[item.entry].offset;
  for (const Stretch& stretch : unchecked) {
    parts_[item.part].file->expect(data + stretch.begin, data + stretch.end);
    read_stretch(item, stretch, progress,
                 [&](std::int64_t, std::int64_t max) { return std::span(block.get(), static_cast<std::size_t>(max)); });
  }
  progress.finish();
}

void Reader::read_bytes(Item& item, std::int64_t begin, std::span<std::byte> bytes, std::atomic<std::int64_t>* read) {
  const Part& part = fresh_part(item);
  const std::int64_t end = begin + std::ssize(bytes);
  const std::vector<Stretch> wanted = stretches(item, begin, end);
  base::Progress progress;
  progress.begin(bytes_of(wanted));
  if (!wanted.empty()) {
    const std::int64_t data = part.header.data_start + part.header.tensors[item.entry].offset;
    part.file->expect(data + wanted.front().begin, data + wanted.back().end);
  }
  std::unique_ptr<std::byte[]> block;  // receives unwanted bytes of checked chunks
  const auto take = [&](std::int64_t at, std::int64_t max) -> std::span<std::byte> {
    if (at >= begin && at < end) {
      const auto piece = bytes.subspan(static_cast<std::size_t>(at - begin), static_cast<std::size_t>(std::min(max, end - at)));
      if (read != nullptr) read->store(at - begin + std::ssize(piece), std::memory_order_relaxed);
      return piece;
    }
    if (block == nullptr) block = std::make_unique_for_overwrite<std::byte[]>(piece_bytes);
    return std::span(block.get(), static_cast<std::size_t>(at < begin ? std::min(max, begin - at) : max));
  };
  for (const Stretch& stretch : wanted) read_stretch(item, stretch, progress, take);
  progress.finish();
}

// Returns nullptr if one thread is sufficient: for small reads, and if threads are not available or belong to the parent process.
base::ThreadPool* Reader::helpers(const Item& item, std::size_t bytes) {
  const std::int32_t threads = std::min(base::available_threads(), max_helpers);
  if (bytes < min_helped_bytes || threads < 2 || generation_ != base::fork_generation()) return nullptr;
  if (!parts_[item.part].file->is_cached()) return nullptr;  // reading is slower than providing pages
  try {
    if (helpers_ == nullptr) helpers_ = std::make_unique<base::ThreadPool>(threads);
  } catch (const base::Error&) {
    return nullptr;  // the system cannot start a thread
  }
  return helpers_.get();
}

// Most of the time is spent in the system providing new pages. Other threads touch the pages in advance, from the end, until they
// meet the reading thread.
void Reader::read_new_bytes(Item& item, std::int64_t begin, std::span<std::byte> bytes) {
  base::ThreadPool* const pool = helpers(item, bytes.size());
  if (pool == nullptr) return read_bytes(item, begin, bytes);
  std::atomic<std::int64_t> read{0};
  std::atomic<std::int64_t> provided{std::ssize(bytes)};  // pages from here on are provided
  // Only this thread reads, since its progress is reported here.
  const std::thread::id reader = std::this_thread::get_id();
  bool begun = false;
  const auto read_once = [&] {
    if (!std::exchange(begun, true)) read_bytes(item, begin, bytes, &read);
  };
  pool->run(pool->threads(), [&](std::int64_t) {
    if (std::this_thread::get_id() == reader) return read_once();
    constexpr std::int64_t step = piece_bytes;
    for (std::int64_t at = provided.fetch_sub(step) - step; at > read.load() + step; at = provided.fetch_sub(step) - step)
      base::populate_pages(bytes.data() + at, piece_bytes);
  });
  read_once();
}

void Reader::read(std::int64_t index, tensor::Tensor& target) {
  const TensorEntry& entry = at(index);
  target.require_writable("tensor");
  base::require(target.dtype() == entry.dtype && std::ranges::equal(target.shape().dimensions(), entry.shape),
                "tensor: dtype or shape differs from ", base::quote(entry.name), " in the file");
  if (const auto* const shard = sharded(index); shard != nullptr) {
    return shards_->read(*shard, whole_box(entry.shape), target.byte_span());
  }
  read_bytes(items_[static_cast<std::size_t>(index)], 0, target.byte_span());
}

std::shared_ptr<tensor::Tensor> Reader::read_new(std::int64_t index, const Pool& pool) {
  const TensorEntry& entry = at(index);
  auto tensor = tensor::Tensor::create(entry.dtype, tensor::Shape(std::span(entry.shape)), pool);
  if (const auto* const shard = sharded(index); shard != nullptr) {
    shards_->read(*shard, whole_box(entry.shape), tensor->byte_span());
  } else {
    read_new_bytes(items_[static_cast<std::size_t>(index)], 0, tensor->byte_span());
  }
  return tensor;
}

std::shared_ptr<tensor::Tensor> Reader::read_slice(std::int64_t index, std::int64_t begin, std::int64_t length, const Pool& pool) {
  const TensorEntry& entry = at(index);
  base::require(!entry.shape.empty(), "tensor ", base::quote(entry.name), " is a scalar: expected at least one dimension");
  const std::int64_t rows = entry.shape.front();
  if (begin < 0 || length < 0 || begin > rows || length > rows - begin)
    base::fail(Status::out_of_range, "begin is ", begin, " and length is ", length, "; the first dimension has length ", rows);
  std::vector<std::int64_t> shape = entry.shape;
  shape.front() = 1;
  const std::int64_t row_bytes = rows == 0 ? 0 : entry.bytes / rows;
  if (rows > 0 && row_bytes * rows != entry.bytes)
    base::fail(Status::unsupported, "tensor ", base::quote(entry.name), " has rows that are not whole bytes");
  shape.front() = length;
  tensor_bytes(entry.dtype, shape);  // rows of less than a byte: some slices are not whole bytes
  auto tensor = tensor::Tensor::create(entry.dtype, tensor::Shape(std::span<const std::int64_t>(shape)), pool);
  if (const auto* const shard = sharded(index); shard != nullptr) {
    Box box = whole_box(entry.shape);
    box.offsets.front() = begin;
    box.lengths.front() = length;
    shards_->read(*shard, box, tensor->byte_span());
  } else {
    read_new_bytes(items_[static_cast<std::size_t>(index)], begin * row_bytes, tensor->byte_span());
  }
  return tensor;
}

std::shared_ptr<tensor::Tensor> Reader::map(std::int64_t index) {
  const TensorEntry& entry = at(index);
  if (sharded(index) != nullptr) {
    base::fail(Status::unsupported, "tensor ", base::quote(entry.name),
               " is in the files of several ranks and cannot be mapped; use a read");
  }
  Item& wanted = items_[static_cast<std::size_t>(index)];
  Part& part = fresh_part(wanted);
  if (part.mapping == nullptr) part.mapping = part.file->map(part.size);
  if (part.mapping == nullptr) base::fail(Status::unsupported, part.path, " cannot be mapped in this storage; use a read");
  const tensor::Shape shape{std::span<const std::int64_t>(entry.shape)};
  const std::int64_t begin = part.header.data_start + entry.offset;
  if (begin % static_cast<std::int64_t>(tensor::dtype_alignment(entry.dtype)) != 0) {
    base::fail(Status::unsupported, "tensor ", base::quote(entry.name), " begins at byte ", begin, " of ", part.path,
               ", which is not aligned for its dtype; use a read");
  }
  check_chunks(wanted, 0, entry.bytes);
  // The tensor is read-only: nothing is written through this pointer.
  auto* const data = const_cast<std::byte*>(part.mapping->bytes().data()) + begin;
  return tensor::Tensor::borrow(
      data, entry.dtype, shape, [held = part.mapping] { static_cast<void>(held); }, true);
}

}  // namespace ckpt::state
