#include "state/file_saver.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "state/checkpoint_files.h"
#include "state/name.h"
#include "state/tensor_file.h"
#include "storage/rate_limit.h"

namespace ckpt::state {
namespace {

using base::cat;
using base::Status;

// Returns the group's earlier record if it has not changed since, otherwise nullptr.
const GroupRecord* unchanged(const Earlier& earlier, const State& state, const StateGroup& group, const std::string& file_name,
                             SaveSource& source) {
  if (!state.rarely_changing().contains(group.name)) return nullptr;
  const auto recorded = std::ranges::find(earlier.groups, group.name, &GroupRecord::name);
  const bool is_same = recorded != earlier.groups.end() && recorded->files.size() == 1 &&
                       recorded->files.front().name == file_name && source.holds_same(*recorded, group);
  return is_same ? &*recorded : nullptr;
}

// Throws unless the file has the recorded checksums: damage must not be copied to the next checkpoint.
void verify_recorded(storage::Storage& storage, const std::string& path, const GroupRecord& group) {
  std::vector<const TensorRecord*> tensors;
  for (const TensorRecord& tensor : group.tensors) tensors.push_back(&tensor);
  verify_tensor_file(*storage.open(path), group.files.front(), tensors);
}

// Returns an upper bound of the size of a group's file.
std::int64_t max_file_bytes(const StateGroup& group) {
  constexpr std::int64_t max_of_entry = 1024;  // per header entry, apart from the name; each byte of that may be escaped
  std::int64_t bytes = max_of_entry;
  for (const StateTensor& item : group.tensors)
    bytes += item.tensor->bytes() + max_of_entry + 6 * static_cast<std::int64_t>(item.name.size());
  return bytes;
}

}  // namespace

FileSaver::FileSaver(Protocol& protocol, std::string directory, SaveSource& source, const Rename& rename)
    : protocol_(protocol), storage_(protocol.storage()), directory_(std::move(directory)), source_(source), rename_(rename) {}

std::string FileSaver::path(std::string_view file_name) const { return path_in(directory_, file_name); }

std::string FileSaver::file_name_of(const StateGroup& group, std::set<std::string>& used) const {
  std::string name = group_file_name(group.name, used);
  return rename_ ? rename_(name) : name;
}

void FileSaver::write_text(std::string_view file_name, const std::string& text) {
  rewritten_ += protocol_.place_text(path(file_name), text);
}

GroupRecord FileSaver::write_group(const StateGroup& group, const std::string& file_name) {
  WrittenFile written;
  const std::int64_t bytes = bytes_of(group);
  bool is_first = true;
  rewritten_ += protocol_.place(path(file_name), {bytes, source_.stop}, [&](storage::File& file) {
    if (!std::exchange(is_first, false) && source_.progress != nullptr) source_.progress->extend(bytes);
    written = source_.write(file, file_name, group);
  });
  return {group.name, {std::move(written.file)}, std::move(written.tensors)};
}

// Links a file, or copies it if links are not supported. Verifies it against the record in both cases.
void FileSaver::link_or_copy(const std::string& from, const std::string& to, const GroupRecord& group) {
  const FileRecord& record = group.files.front();
  verify_recorded(storage_, from, group);
  if (storage_.link(from, to)) return;
  rewritten_ += protocol_.place(to, {record.bytes, source_.stop},
                                [&](storage::File& file) { copy_file(*storage_.open(from), file, record); });
}

// Returns the group's earlier record under the new directory if it has not changed and its file could be linked or copied;
// otherwise nothing.
std::optional<GroupRecord> FileSaver::reuse_group(const State& state, const StateGroup& group, const std::string& file_name,
                                                  const Earlier& earlier) {
  const GroupRecord* const recorded = unchanged(earlier, state, group, file_name, source_);
  if (recorded == nullptr) return std::nullopt;
  const std::string from = path_in(earlier.directory, file_name);
  try {
    link_or_copy(from, path(file_name), *recorded);
    return *recorded;
  } catch (const base::Error& error) {
    if (error.status() == Status::no_space || error.status() == Status::cancelled) throw;
    base::warn("state", cat(from, " cannot be linked and is written again: ", error.message()));
    return std::nullopt;
  }
}

// Returns the bytes of the files that will be written, without those that will be linked.
std::int64_t FileSaver::written_bytes(const State& state, const std::optional<Earlier>& earlier) {
  const auto is_linked = [&](const StateGroup& group, const std::string& file_name) {
    try {
      const GroupRecord* const recorded = earlier ? unchanged(*earlier, state, group, file_name, source_) : nullptr;
      if (recorded != nullptr) verify_recorded(storage_, path_in(earlier->directory, file_name), *recorded);
      return recorded != nullptr;
    } catch (const base::Error& error) {
      if (error.status() == Status::cancelled) throw;
      return false;
    }
  };
  std::int64_t bytes = 0;
  std::set<std::string> used_names;
  for (const StateGroup& group : state.groups()) {
    if (!is_linked(group, file_name_of(group, used_names))) bytes += source_.file_bytes(group);
  }
  return bytes;
}

// Fails early if a save cannot fit. Space used by older checkpoints is not counted as free: they are removed only after this one is
// durable. If a file must be copied instead of linked, writing it can still fail with no_space.
void FileSaver::require_space(const State& state, std::int64_t step, const std::optional<Earlier>& earlier) {
  const std::optional<std::int64_t> free = storage_.free_bytes();
  if (!free) return;
  std::int64_t max = 0;
  for (const StateGroup& group : state.groups()) max += max_file_bytes(group);
  if (max <= *free) return;
  const std::int64_t needed = written_bytes(state, earlier);
  if (needed <= *free) return;
  base::fail(Status::no_space, base::quote(storage_.name()), ": the files of step ", step, " need ", needed,
             " bytes; free: ", *free);
}

std::vector<GroupRecord> FileSaver::write(const State& state, const std::optional<Earlier>& earlier) {
  if (source_.progress != nullptr) {
    std::int64_t bytes = 0;
    for (const StateGroup& group : state.groups()) bytes += bytes_of(group);
    source_.progress->begin(bytes);
  }
  std::vector<GroupRecord> groups;
  std::set<std::string> used_names;
  for (const StateGroup& group : state.groups()) {
    storage::require_running(source_.stop.get());
    const std::string file_name = file_name_of(group, used_names);
    auto reused = earlier ? reuse_group(state, group, file_name, *earlier) : std::nullopt;
    linked_ += reused ? 1 : 0;
    if (reused && source_.progress != nullptr) source_.progress->add(bytes_of(group));
    groups.push_back(reused ? *std::move(reused) : write_group(group, file_name));
  }
  if (source_.progress != nullptr) source_.progress->finish();
  return groups;
}

}  // namespace ckpt::state
