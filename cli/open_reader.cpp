#include "open_reader.h"

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "npz.h"
#include "place.h"
#include "torch_file.h"

namespace ckpt::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct FoundReader {
  Reader reader;
  std::optional<CheckpointManager> checkpoints;  // nullopt: the path is not a checkpoint
  std::string name;
};

FoundReader open_named(CheckpointManager&& checkpoints, const std::string& name) {
  Reader reader(checkpoints, name, Verify::full);
  return {std::move(reader), std::move(checkpoints), name};
}

FoundReader open_newest(CheckpointManager&& checkpoint, const std::string& path) {
  for (const CheckpointInfo& info : checkpoint.list()) {
    if (info.status == Status::ok && !info.abandoned) return open_named(std::move(checkpoint), info.name);
  }
  throw Error(Status::not_found, path + " contains no checkpoint");
}

// Opens it through a temporary safetensors file, which is already unlinked on return: the reader keeps it open.
Reader open_foreign(const std::string& path) {
  State state;
  const Foreign contents = read_foreign(path);
  for (const auto& [name, tensor] : contents.tensors) state.add("tensors", name, tensor);
  std::string folder = (fs::temp_directory_path() / "ckpt-show-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("cannot create " + folder);
  const std::string file = folder + "/tensors.safetensors";
  try {
    write_safetensors(file, state, "tensors", metadata_json(contents.metadata));
    Reader reader(file);
    fs::remove_all(folder);
    return reader;
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    throw;
  }
}

FoundReader find_reader(const std::string& path) {
  if (is_uri(path)) {
    CheckpointManager checkpoint = CheckpointManager::read_only(open_place(path));
    if (is_one_checkpoint(checkpoint, path)) return open_named(std::move(checkpoint), CheckpointManager::self);
    return open_newest(std::move(checkpoint), path);
  }
  const fs::path directory(path);
  const bool is_plain = fs::exists(directory / "model.safetensors.index.json") || fs::exists(directory / "model.safetensors");
  const bool is_one = fs::exists(directory / "manifest.json");
  if (!fs::is_directory(directory) || (is_plain && !is_one)) return {open_file(path), {}, ""};
  CheckpointManager checkpoint = CheckpointManager::read_only(Storage::existing_file_system(path));
  return is_one ? open_named(std::move(checkpoint), CheckpointManager::self) : open_newest(std::move(checkpoint), path);
}

}  // namespace

bool is_foreign(const std::string& path) {
  const bool named = path.ends_with(".npz") || path.ends_with(".pt") || path.ends_with(".pth");
  return named && !is_uri(path) && !fs::is_directory(path);  // a directory is of checkpoints, whatever its name
}

Foreign read_foreign(const std::string& path) {
  const bool is_npz = path.ends_with(".npz");
  Foreign contents = is_npz ? Foreign{read_npz(path)} : read_torch_file(path);
  if (contents.tensors.empty()) throw std::runtime_error(path + (is_npz ? " contains no arrays" : " contains no tensors"));
  return contents;
}

std::string metadata_json(const std::map<std::string, std::string>& metadata) {
  return metadata.empty() ? "" : json(metadata).dump();
}

Reader open_file(const std::string& path) { return is_foreign(path) ? open_foreign(path) : Reader(path); }

Opened open_reader(const std::string& path) {
  FoundReader found = find_reader(path);
  Opened opened{std::move(found.reader), {}};
  if (!found.checkpoints) return opened;
  const json manifest = json::parse(found.checkpoints->manifest(found.name));
  const json versions = manifest.value("values", json::object()).value(versions_key, json());
  if (!versions.is_object()) return opened;
  for (const auto& [group, text] : versions.items()) {
    if (text.is_string()) opened.versions.emplace(group, text.get<std::string>());
  }
  return opened;
}

Tensor tensor_at(Reader& reader, std::int64_t index) {
  try {
    return reader.map(index);
  } catch (const Error& error) {
    if (error.status() != Status::unsupported) throw;
    return reader.read(index);
  }
}

}  // namespace ckpt::cli
