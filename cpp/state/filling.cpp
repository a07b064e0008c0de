#include "state/filling.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/os/cpu.h"
#include "state/checkpoint_files.h"
#include "state/open_files.h"
#include "storage/rate_limit.h"

namespace ckpt::state {
namespace {

constexpr std::int32_t max_threads = 4;                      // more threads do not increase memory bandwidth
constexpr std::int64_t alone_bytes = std::int64_t{8} << 20;  // amount that one thread reads while another one starts

}  // namespace

std::unique_ptr<base::ThreadPool> pool_for_reading(std::int64_t bytes) {
  const std::int32_t threads = bytes <= alone_bytes ? 1 : std::min(base::available_threads(), max_threads);
  try {
    return std::make_unique<base::ThreadPool>(threads);
  } catch (const base::Error&) {
    return std::make_unique<base::ThreadPool>(1);  // the system cannot start a thread
  }
}

bool have_overlap(std::vector<std::span<const std::byte>> ranges) {
  std::erase_if(ranges, [](const auto& bytes) { return bytes.empty(); });
  std::ranges::sort(ranges, {}, [](const auto& bytes) { return bytes.data(); });
  const auto overlap = [](const auto& a, const auto& b) { return b.data() < a.data() + a.size(); };
  return std::ranges::adjacent_find(ranges, overlap) != ranges.end();
}

Filling::Filling(storage::Storage& storage, const std::string& directory, const LoadOptions& options, const NameMap& names,
                 base::Progress& progress, bool& has_begun)
    : storage_(storage), directory_(directory), options_(options), names_(names), progress_(progress), has_begun_(has_begun) {}

void Filling::read(const Manifest& manifest, const State& state) {
  std::vector<std::pair<const StateGroup*, const GroupRecord*>> groups;
  for (const StateGroup& group : state.groups()) {
    const auto recorded = std::ranges::find(manifest.groups, group.name, &GroupRecord::name);
    if (recorded != manifest.groups.end()) groups.emplace_back(&group, &*recorded);
  }
  OpenFiles files(storage_, directory_);
  for (const auto& [group, recorded] : groups) files.open_ahead(*recorded);
  std::vector<Targets> targets;
  std::int64_t bytes = 0;
  for (const auto& [group, recorded] : groups) {
    Targets& here = targets.emplace_back();
    for (const StateTensor& wanted : group->tensors) here.emplace(wanted.name, wanted.tensor);
    for (const TensorRecord& record : recorded->tensors) {
      if (here.contains(names_.name_of(record))) bytes += tensor_bytes(record.dtype, record.shape);
    }
  }
  progress_.begin(2 * bytes);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const GroupRecord& whole = *groups[g].second;
    for (const FileRecord& record : whole.files) {
      std::string path = path_in(directory_, record.name);
      reading(path, [&] { add_file(path, files.take(record.name), record, whole, targets[g]); });
    }
  }
  start_threads();
  std::vector<std::int64_t> misfits(parts_.size(), -1);
  pool_->run(static_cast<std::int64_t>(parts_.size()), [&](std::int64_t number) {
    storage::require_running(options_.stop.get());
    const auto part = static_cast<std::size_t>(number);
    misfits[part] = read_part(parts_[part], nullptr);
  });
  for (std::size_t part = 0; part < parts_.size(); ++part) note_misfit(items_[parts_[part].item].place, misfits[part]);
}

void Filling::note_misfit(const TensorPlace& place, std::int64_t element) {
  if (element < 0 || !misfit_.empty()) return;
  misfit_ = base::cat("tensor ", base::quote(place.record->name), ": element ", element, " of type ",
                      tensor::dtype_name(place.record->dtype), " cannot be represented as ", tensor::dtype_name(place.to));
}

void Filling::require_fit() const {
  if (!misfit_.empty()) base::fail(base::Status::out_of_range, misfit_);
}

void Filling::add_file(std::string path, std::unique_ptr<storage::File> file, const FileRecord& record, const GroupRecord& group,
                       const Targets& targets) {
  const auto tensors = tensors_of(group, record);
  const auto is_wanted = [&](const TensorRecord* tensor) { return targets.contains(names_.name_of(*tensor)); };
  const bool all_wanted = std::ranges::all_of(tensors, is_wanted);
  if (all_wanted) file->expect(0, record.bytes);
  const Header header = read_recorded_header(*file, record, tensors);
  std::map<std::string_view, const TensorRecord*> records;
  for (const TensorRecord* tensor : tensors) records.emplace(tensor->name, tensor);
  // An open file can be read again even if a writer removes the checkpoint.
  const bool is_kept = !options_.in_place && file->is_cached() && cached_.size() < OpenFiles::max;
  const TensorEntry* run_end = header.tensors.data();  // end of the current run of consecutive wanted tensors
  const TensorEntry* const end = run_end + header.tensors.size();
  for (const TensorEntry& entry : header.tensors) {
    const TensorRecord* const tensor = records.at(entry.name);
    const auto target = targets.find(names_.name_of(*tensor));
    if (target == targets.end()) continue;  // partial load: the tensor is not wanted
    storage::require_running(options_.stop.get());
    if (!all_wanted && &entry >= run_end) {
      run_end = std::find_if_not(&entry, end, [&](const TensorEntry& next) { return is_wanted(records.at(next.name)); });
      const TensorEntry& last = *std::prev(run_end);
      file->expect(header.data_start + entry.offset, header.data_start + last.offset + last.bytes);
    }
    const tensor::Dtype to = target->second->dtype();
    Converter const convert = to == entry.dtype ? nullptr : find_converter(entry.dtype, to, options_.convert);
    Item item{{header.data_start + entry.offset, entry.bytes, tensor, options_.verify == Verify::full, convert, to},
              target->second,
              nullptr};
    if (options_.in_place) {
      if (options_.before_filling) options_.before_filling();
      has_begun_ = true;
      read_whole(*file, item.place, target->second->byte_span().data());
      continue;
    }
    if (is_kept) {
      for (std::int64_t chunk = 0; chunk < chunk_count(entry.bytes, tensor->bytes_of_chunk); ++chunk)
        parts_.push_back({items_.size(), cached_.size(), chunk});
    } else {
      item.copy = std::make_unique_for_overwrite<std::byte[]>(item.target->byte_span().size());
      read_whole(*file, item.place, item.copy.get());
    }
    items_.push_back(std::move(item));
  }
  if (is_kept) cached_.push_back({std::move(path), std::move(file)});
}

void Filling::read_whole(storage::File& file, const TensorPlace& place, std::byte* destination) {
  for (std::int64_t chunk = 0; chunk < chunk_count(place.bytes, place.record->bytes_of_chunk); ++chunk)
    note_misfit(place, read_chunk(file, place, chunk, destination, {progress_, 2}));
}

std::int64_t Filling::read_part(const Part& part, std::byte* destination) {
  const CachedFile& from = cached_[part.file];
  return reading(from.path, [&] { return read_chunk(*from.file, items_[part.item].place, part.chunk, destination, {progress_}); });
}

void Filling::start_threads() {
  std::int64_t bytes = 0;
  for (const Part& part : parts_) {
    const TensorPlace& place = items_[part.item].place;
    bytes += std::min(place.record->bytes_of_chunk, place.bytes - part.chunk * place.record->bytes_of_chunk);
  }
  pool_ = pool_for_reading(bytes);
}

void Filling::write() {
  // Tensors that share memory are written one after another; each is checked before the next one is written.
  std::vector<std::span<const std::byte>> targets;
  for (const Item& item : items_) targets.emplace_back(item.target->byte_span());
  if (have_overlap(std::move(targets))) pool_ = std::make_unique<base::ThreadPool>(1);
  has_begun_ = true;
  for (const Item& item : items_) {
    const std::span<std::byte> bytes = item.target->byte_span();
    if (item.copy != nullptr && !bytes.empty()) std::memcpy(bytes.data(), item.copy.get(), bytes.size());
  }
  pool_->run(static_cast<std::int64_t>(parts_.size()), [&](std::int64_t number) {
    const Part& part = parts_[static_cast<std::size_t>(number)];
    read_part(part, items_[part.item].target->byte_span().data());
  });
}

}  // namespace ckpt::state
