#include "state/checkpoint_files.h"

#include <algorithm>
#include <span>

#include "state/json_view.h"
#include "state/manifest_text.h"
#include "state/name.h"
#include "state/rank_names.h"

namespace ckpt::state {

using base::Status;

Manifest parsed_manifest(const std::string& directory, const std::string& text) {
  return reading(path_in(directory, manifest_name), [&] { return parse_manifest(text); });
}

FileSizes sizes_of(const Manifest& manifest) {
  FileSizes sizes{manifest.world_size, manifest.is_of_many(), {}};
  for (const GroupRecord& group : manifest.groups) {
    for (const FileRecord& record : group.files) sizes.files.emplace_back(record.name, record.bytes);
  }
  return sizes;
}

void check_sizes(storage::Storage& storage, const std::string& directory, const FileSizes& sizes) {
  // One listing for the parts of all ranks; their contents are checked when they are read.
  if (sizes.is_of_many) {
    std::vector<bool> found(static_cast<std::size_t>(sizes.world_size));
    for (const storage::Entry& entry : storage.list(directory == "." ? "" : directory)) {
      if (const auto rank = rank_of_part(entry.name, sizes.world_size)) found[static_cast<std::size_t>(*rank)] = true;
    }
    if (const auto missing = std::ranges::find(found, false); missing != found.end()) {
      base::fail(Status::corrupt, base::quote(directory), ": expected the parts of ", sizes.world_size, " ranks, found ",
                 std::ranges::count(found, true), "; ", part_name(missing - found.begin(), sizes.world_size), " is missing");
    }
  }
  for (const auto& [name, bytes] : sizes.files) {
    const std::string path = path_in(directory, name);
    reading(path, [&, bytes = bytes] {  // clang 14 captures no structured binding by reference
      const std::int64_t size = storage.size(path);
      if (size != bytes) base::fail(Status::corrupt, "expected ", bytes, " bytes (manifest), found ", size);
    });
  }
}

std::string read_text(storage::File& file, std::int64_t largest) {
  const std::int64_t size = file.size();
  if (size > largest) base::fail(Status::corrupt, "the file has ", size, " bytes; expected at most ", largest);
  std::string text(static_cast<std::size_t>(size), '\0');
  if (file.read(0, std::as_writable_bytes(std::span(text))) != size)
    base::fail(Status::corrupt, "the file was truncated during the read");
  return text;
}

std::string path_in(std::string_view directory, std::string_view file) {
  return directory == "." ? std::string(file) : storage::join(directory, file);
}

Condition condition_after(const base::Error& error) {
  switch (error.status()) {
    case Status::not_found: return Condition::unfinished;
    case Status::corrupt: return Condition::damaged;
    case Status::io:
    case Status::permission:
    case Status::unsupported: return Condition::unreadable;
    default: throw;  // NOLINT: called from an exception handler
  }
}

void require_checkpoint_name(const std::string& name) {
  base::require(!name.empty(), "name is empty");
  if (name != ".") storage::require_path(name);
}

std::string manifest_text(storage::Storage& storage, const std::string& directory) {
  require_checkpoint_name(directory);
  const std::string path = path_in(directory, manifest_name);
  try {
    return read_text(*storage.open(path), largest_manifest_bytes);
  } catch (const base::Error& error) {
    if (error.status() == Status::not_found) {
      base::fail(Status::not_found, base::quote(directory), " has no ", manifest_name,
                 ": not a checkpoint, or its save is in progress or was interrupted");
    }
    // A directory named like the manifest. Object stores have no directories: there the path is invalid, not the checkpoint.
    if (error.status() == Status::invalid_argument && !storage.is_objects()) base::fail(Status::corrupt, error.message());
    throw;
  }
}

std::optional<std::int64_t> sequence_in_manifest(storage::Storage& storage, const std::string& directory) {
  constexpr std::size_t beginning = 4096;  // contains the sequence, which is among the first members
  constexpr std::string_view member = "\"commit_sequence\":";
  const std::string path = path_in(directory, manifest_name);
  std::string text(beginning, '\0');
  try {
    const auto file = storage.open(path);
    text.resize(static_cast<std::size_t>(file->read(0, std::as_writable_bytes(std::span(text)))));
  } catch (const base::Error& error) {
    if (error.status() == Status::not_found) return std::nullopt;
    throw;
  }
  const std::size_t begin = text.find(member);
  const auto sequence =
      begin == std::string::npos ? std::nullopt : JsonView(std::string_view(text).substr(begin + member.size())).count();
  if (!sequence) base::fail(Status::corrupt, path, " has no commit_sequence");
  return static_cast<std::int64_t>(*sequence);
}

bool is_unchanged(storage::Storage& storage, const std::string& directory, const std::string& manifest) {
  if (manifest.empty()) return true;  // the manifest could not be read
  try {
    return manifest_text(storage, directory) == manifest;
  } catch (const base::Error& error) {
    return error.status() != Status::not_found;
  }
}

void fail_too_many_restarts(const storage::Storage& storage) {
  base::fail(Status::busy, base::quote(storage.name()), ": a writer replaced the checkpoint before it could be read, ", max_rounds,
             " times in succession");
}

bool has_manifest(storage::Storage& storage, const std::string& directory) {
  return std::ranges::any_of(storage.list(directory), [](const storage::Entry& entry) { return entry.name == manifest_name; });
}

}  // namespace ckpt::state
