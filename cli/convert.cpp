#include "convert.h"

#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include <ckpt/ckpt.hpp>

#include "npz.h"
#include "open_reader.h"
#include "output.h"
#include "progress.h"
#include "tensor_files.h"
#include "text.h"

namespace ckpt::cli {
namespace {

constexpr const char* file_group = "tensors";  // the group of the state in memory; the file does not contain it

bool is_npz(const std::string& path) { return path.ends_with(".npz"); }
bool is_folder(const std::string& path) { return path.ends_with('/'); }

ChosenTensors names_in(const Reader& reader, const std::string& group) {
  std::set<std::string> groups;
  for (std::int64_t i = 0; i < reader.tensor_count(); ++i) groups.insert(reader.tensor(i).group);
  if (!group.empty() && !groups.contains(group))
    throw std::runtime_error("--group: the checkpoint has no group " + printable(group));
  const bool prefixed = group.empty() && groups.size() > 1;
  ChosenTensors names;
  std::set<std::string> taken;
  for (std::int64_t i = 0; i < reader.tensor_count(); ++i) {
    const TensorInfo info = reader.tensor(i);
    if (!group.empty() && info.group != group) continue;
    names.emplace_back(i, prefixed ? info.group + '.' + info.name : info.name);
    if (!taken.insert(names.back().second).second)
      throw std::runtime_error("two tensors would be named " + printable(names.back().second) + ": convert one --group at a time");
  }
  return names;
}

void report(const std::string& to, std::size_t tensors, std::int64_t files, bool as_json) {
  if (as_json) {
    nlohmann::ordered_json document = {{is_folder(to) ? "folder" : "file", to}, {"tensors", tensors}};
    if (is_folder(to)) document["files"] = files;
    std::printf("%s\n", document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
  } else {
    const std::string in_files = is_folder(to) ? cat(" in ", counted(files, "file")) : "";
    std::printf("%s: %s%s\n", printable(to).c_str(), counted(static_cast<std::int64_t>(tensors), "tensor").c_str(),
                in_files.c_str());
  }
}

void write_state(const std::string& to, const State& state, const std::string& metadata, bool as_json) {
  {
    ByteProgress progress("written", 0);
    const ckpt::Progress progress_hook([&](std::int64_t done, std::int64_t total) { progress.reach(done, total); });
    write_whole(to, [&](const std::string& file) { write_safetensors(file, state, file_group, metadata); });
  }
  report(to, static_cast<std::size_t>(state.tensor_count()), 1, as_json);
}

// Returns the metadata of the source files and, for tensors of a single group, the versions of its modules. Tensors of several
// groups have names other than those in the versions; the versions are then omitted, with a warning.
FileMetadata metadata_of(const Opened& from, const ChosenTensors& names, const std::string& to) {
  FileMetadata metadata = from.reader.metadata();
  std::set<std::string> groups;
  for (const auto& [index, name] : names) groups.insert(from.reader.tensor(index).group);
  std::string left_out;
  for (const std::string& group : groups) {
    const auto versions = from.versions.find(group);
    if (versions == from.versions.end()) continue;
    if (groups.size() == 1) {
      metadata.emplace_back(versions_key, versions->second);
    } else {
      left_out += (left_out.empty() ? "" : ", ") + printable(group);
    }
  }
  if (!left_out.empty()) {
    (void)std::fprintf(stderr, "%s: a file of several groups cannot hold the metadata: %s of %s; convert each --group\n",
                       printable(to).c_str(), versions_key, left_out.c_str());
  }
  return metadata;
}

// An .npz file contains only arrays.
void warn_of_metadata(const std::string& to, const FileMetadata& metadata) {
  std::string keys;
  for (const auto& [key, value] : metadata) keys += (keys.empty() ? "" : ", ") + printable(key);
  if (!keys.empty())
    (void)std::fprintf(stderr, "%s: an .npz file cannot hold the metadata: %s\n", printable(to).c_str(), keys.c_str());
}

}  // namespace

void convert(const std::string& from, const std::string& to, const ConvertOptions& options) {
  const std::string& group = options.group;
  const bool as_json = options.as_json;
  if (!is_npz(to) && !is_folder(to) && !to.ends_with(".safetensors"))
    throw std::runtime_error(to + ": expected a name that ends in .npz or .safetensors, or in / for a folder");
  if (is_foreign(from)) {
    if (is_npz(from) && is_npz(to)) throw std::runtime_error("both are .npz files: copy the file instead");
    if (!group.empty()) throw std::runtime_error(from + " has no groups");
    if (!is_npz(to) && !is_folder(to)) {  // written directly: a reader would first write the same file
      State state;
      const Foreign contents = read_foreign(from);
      for (const auto& [name, tensor] : contents.tensors) state.add(file_group, name, tensor);
      return write_state(to, state, metadata_json(contents.metadata), as_json);
    }
  }
  Opened opened = open_reader(from);
  Reader& reader = opened.reader;
  const ChosenTensors names = names_in(reader, group);
  if (names.empty()) throw std::runtime_error(from + " contains no tensors");
  const FileMetadata metadata = metadata_of(opened, names, to);
  std::int64_t bytes = 0;
  for (const auto& [index, name] : names) bytes += reader.tensor(index).bytes;
  std::int64_t files = 1;
  {
    ByteProgress progress("written", bytes);
    const Wrote wrote = [&](std::int64_t more) { progress.add(more); };
    if (is_npz(to)) {
      warn_of_metadata(to, metadata);
      write_whole(to, [&](const std::string& file) { write_npz(file, reader, names, wrote); });
    } else if (is_folder(to)) {
      files = write_folder(to, reader, names, metadata, options.max_file_bytes, wrote);
    } else {
      write_file(to, reader, names, metadata, wrote);
    }
  }
  report(to, names.size(), files, as_json);
}

}  // namespace ckpt::cli
