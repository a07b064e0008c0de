#include "data.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "text_file.h"

namespace ckpt::cli {
namespace {

namespace fs = std::filesystem;

// The project's own sources, in the order of their names, so that every run trains on the same text.
std::string read_sources() {
  fs::path root = fs::current_path();
  while (!fs::exists(root / "include/ckpt/ckpt.h") && root.has_relative_path()) root = root.parent_path();
  if (!fs::exists(root / "include/ckpt/ckpt.h")) {
    throw std::runtime_error("no --data FILE was given, and the current directory is not within libckpt's sources");
  }
  std::vector<fs::path> paths;
  for (const char* folder : {"include", "capi", "cpp", "cli"}) {
    if (!fs::exists(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const fs::path extension = entry.path().extension();
      if (entry.is_regular_file() && (extension == ".h" || extension == ".hpp" || extension == ".cpp"))
        paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::string text;
  for (const fs::path& path : paths) text += read_text_file(path.string());
  return text;
}

}  // namespace

TextData::TextData(const std::string& path, std::int64_t samples)
    : name_(path.empty() ? "libckpt's sources" : path),
      text_(path.empty() ? read_sources() : read_text_file(path)),
      samples_(samples) {
  if (text_.empty()) throw std::runtime_error(name_ + " is empty");
  const std::int64_t least = context_bytes + samples;
  if (bytes() < least) {
    throw std::runtime_error(name_ + " has " + std::to_string(bytes()) + " bytes; a batch of " + std::to_string(samples) +
                             " samples needs at least " + std::to_string(least));
  }
  length_ = (bytes() - context_bytes) / samples_;
}

void TextData::batch(std::int64_t position, std::uint8_t* tokens, std::uint8_t* targets) const {
  for (std::int64_t sample = 0; sample < samples_; ++sample) {
    const char* const from = text_.data() + sample * length_ + position;
    std::memcpy(tokens + sample * context_bytes, from, static_cast<std::size_t>(context_bytes));
    targets[sample] = static_cast<std::uint8_t>(from[context_bytes]);
  }
}

// FNV-1a with 64 bits.
std::string TextData::fingerprint() const {
  std::uint64_t value = 0xcbf29ce484222325U;
  for (const char c : text_) value = (value ^ static_cast<std::uint8_t>(c)) * 0x100000001b3U;
  std::string hex(16, '0');
  for (std::size_t i = 0; i < hex.size(); ++i) hex[hex.size() - 1 - i] = "0123456789abcdef"[(value >> (4 * i)) & 15U];
  return hex;
}

}  // namespace ckpt::cli
