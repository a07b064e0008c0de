#include "open_reader.h"

#include <filesystem>

namespace ckpt::cli {
namespace {

namespace fs = std::filesystem;

Reader open_newest(const CheckpointManager& checkpoint, const std::string& path) {
  for (const CheckpointInfo& info : checkpoint.list()) {
    if (info.status == Status::ok) return Reader(checkpoint, info.name, Verify::full);
  }
  throw Error(Status::not_found, path + " holds no checkpoint");
}

}  // namespace

Reader open_reader(const std::string& path) {
  const fs::path directory(path);
  const bool is_plain = fs::exists(directory / "model.safetensors.index.json") || fs::exists(directory / "model.safetensors");
  const bool is_one = fs::exists(directory / "manifest.json");
  if (!fs::is_directory(directory) || (is_plain && !is_one)) return Reader(path);
  const CheckpointManager checkpoint = CheckpointManager::read_only(Storage::existing_file_system(path));
  return is_one ? Reader(checkpoint, CheckpointManager::self, Verify::full) : open_newest(checkpoint, path);
}

}  // namespace ckpt::cli
