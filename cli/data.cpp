#include "data.h"

#include <array>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "generated_text.h"
#include "text_file.h"

namespace ckpt::cli {
namespace {

constexpr std::int64_t generated_bytes = 1 << 20;
constexpr std::int64_t held_out_part = 16;  // one sixteenth

}  // namespace

TextData::TextData(const std::string& path, const Reading& reading)
    : name_(path.empty() ? "generated text" : path),
      text_(path.empty() ? generated_text(generated_bytes) : read_text_file(path)),
      reading_(reading),
      trained_bytes_(reading.every_byte ? bytes() - bytes() / held_out_part : bytes()) {
  if (text_.empty()) throw std::runtime_error(name_ + " is empty");
  const std::int64_t min = reading.context + reading.samples;
  if (trained_bytes_ < min) {
    const std::int64_t held_out = reading.every_byte ? (min - 1) / (held_out_part - 1) : 0;
    throw std::runtime_error(name_ + " has " + std::to_string(bytes()) + " bytes; expected at least " +
                             std::to_string(min + held_out) + " for a batch of " + std::to_string(reading.samples) + " samples");
  }
  length_ = (trained_bytes_ - reading.context) / reading.samples;
}

void TextData::sample(std::int64_t from, std::int64_t number, std::uint8_t* tokens, std::uint8_t* targets) const {
  const char* const begin = text_.data() + from;
  const std::int64_t count = reading_.targets();
  std::memcpy(tokens + number * reading_.context, begin, static_cast<std::size_t>(reading_.context));
  std::memcpy(targets + number * count, begin + reading_.context + 1 - count, static_cast<std::size_t>(count));
}

void TextData::batch(std::int64_t position, std::uint8_t* tokens, std::uint8_t* targets) const {
  for (std::int64_t i = 0; i < reading_.samples; ++i) sample(i * length_ + position, i, tokens, targets);
}

std::int64_t TextData::next_position(std::int64_t position) const {
  return (position + (reading_.every_byte ? reading_.context : 1)) % length_;
}

// The last byte of a sample needs a target after it.
std::int64_t TextData::held_out_batches() const {
  return held_out_bytes() == 0 ? 0 : (held_out_bytes() - 1) / reading_.context / reading_.samples;
}

void TextData::held_out_batch(std::int64_t number, std::uint8_t* tokens, std::uint8_t* targets) const {
  const std::int64_t first = trained_bytes_ + number * reading_.samples * reading_.context;
  for (std::int64_t i = 0; i < reading_.samples; ++i) sample(first + i * reading_.context, i, tokens, targets);
}

double TextData::unigram_entropy() const {
  std::array<std::int64_t, 256> counts{};
  for (const char c : text_) ++counts[static_cast<std::uint8_t>(c)];
  double entropy = 0;
  for (const std::int64_t count : counts) {
    const double share = static_cast<double>(count) / static_cast<double>(bytes());
    if (count > 0) entropy -= share * std::log(share);
  }
  return entropy;
}

// 64-bit FNV-1a.
std::string TextData::fingerprint() const {
  std::uint64_t value = 0xcbf29ce484222325U;
  for (const char c : text_) value = (value ^ static_cast<std::uint8_t>(c)) * 0x100000001b3U;
  std::string hex(16, '0');
  for (std::size_t i = 0; i < hex.size(); ++i) hex[hex.size() - 1 - i] = "0123456789abcdef"[(value >> (4 * i)) & 15U];
  return hex;
}

}  // namespace ckpt::cli
