#include "data.h"

#include <cstring>
#include <stdexcept>

#include "made_text.h"
#include "text_file.h"

namespace ckpt::cli {
namespace {

constexpr std::int64_t made_bytes = 1 << 20;

}  // namespace

TextData::TextData(const std::string& path, std::int64_t samples)
    : name_(path.empty() ? "made text" : path),
      text_(path.empty() ? made_text(made_bytes) : read_text_file(path)),
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
