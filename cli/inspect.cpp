#include "inspect.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include <ckpt/ckpt.hpp>

#include "text.h"

namespace ckpt::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

void list_file(const std::string& path, const std::string& title) {
  const Reader file(path);
  std::printf("%s: %lld tensors\n", printable(title).c_str(), static_cast<long long>(file.tensor_count()));
  std::size_t widest = 4;
  for (std::int64_t i = 0; i < file.tensor_count(); ++i) widest = std::max(widest, printable(file.tensor(i).name).size());
  for (std::int64_t i = 0; i < file.tensor_count(); ++i) {
    const TensorInfo tensor = file.tensor(i);
    std::printf("  %-*s  %-12s  %-20s  %12lld bytes\n", static_cast<int>(widest), printable(tensor.name).c_str(),
                std::string(dtype_name(tensor.dtype)).c_str(), shape_text(tensor.shape).c_str(),
                static_cast<long long>(tensor.bytes));
  }
}

// The safetensors files that a manifest names, in its order.
std::vector<std::string> files_of(const json& manifest) {
  std::vector<std::string> files;
  for (const json& group : manifest.at("groups")) {
    for (const json& file : group.at("files")) files.push_back(file.at("name").get<std::string>());
  }
  return files;
}

void list_checkpoint(const CheckpointManager& checkpoint, const std::string& name, const fs::path& directory) {
  const json manifest = json::parse(checkpoint.manifest(name));
  std::printf("%s: step %lld, library %s\n", directory.string().c_str(), manifest.at("step").get<long long>(),
              manifest.at("library_version").get<std::string>().c_str());
  for (const std::string& file : files_of(manifest)) list_file((directory / file).string(), file);
}

bool is_one_checkpoint(const fs::path& path) { return fs::exists(path / "manifest.json"); }

}  // namespace

void inspect(const std::string& path) {
  if (!fs::is_directory(path)) return list_file(path, path);
  const CheckpointManager checkpoint = CheckpointManager::read_only(Storage::existing_file_system(path));
  if (is_one_checkpoint(path)) {
    checkpoint.verify(CheckpointManager::self);
    return list_checkpoint(checkpoint, CheckpointManager::self, path);
  }
  for (const CheckpointInfo& info : checkpoint.list()) {
    if (info.status == Status::not_found) continue;  // a save was cut off or is under way
    checkpoint.verify(info.name);
    return list_checkpoint(checkpoint, info.name, fs::path(path) / info.name);
  }
  throw Error(Status::not_found, path + " holds no checkpoint");
}

void verify(const std::string& path) {
  const CheckpointManager checkpoint = CheckpointManager::read_only(Storage::existing_file_system(path));
  std::vector<std::string> names;
  if (is_one_checkpoint(path)) {
    names.emplace_back(CheckpointManager::self);
  } else {
    for (const CheckpointInfo& info : checkpoint.list()) {
      if (info.status == Status::not_found) {
        std::printf("%s: no manifest: a save was cut off or is under way; not a checkpoint\n", info.name.c_str());
      } else {
        names.push_back(info.name);
      }
    }
  }
  if (names.empty()) throw Error(Status::not_found, path + " holds no checkpoint");
  for (const std::string& name : names) {
    const VerifyResult result = checkpoint.verify(name);
    std::printf("%s: ok, %lld files, %lld tensors, %s\n", name == CheckpointManager::self ? path.c_str() : name.c_str(),
                static_cast<long long>(result.files), static_cast<long long>(result.tensors), bytes_text(result.bytes).c_str());
  }
}

}  // namespace ckpt::cli
