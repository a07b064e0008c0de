// The text that is trained on, and how it becomes batches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ckpt::cli {

constexpr std::int64_t context_bytes = 16;

class TextData {
 public:
  // path: a file; "" makes a text (made_text.h). Throws std::runtime_error for a file that
  // is missing, empty, too small for `samples`, or no text.
  TextData(const std::string& path, std::int64_t samples);

  // Sample b reads the text from its own place on, one byte further every step, and begins anew behind the last place:
  // position is the same for all samples. Fills samples * context_bytes tokens and `samples` targets, the bytes behind them.
  void batch(std::int64_t position, std::uint8_t* tokens, std::uint8_t* targets) const;
  std::int64_t next_position(std::int64_t position) const { return position + 1 < length_ ? position + 1 : 0; }

  std::int64_t bytes() const { return static_cast<std::int64_t>(text_.size()); }
  // Distinguishes one text from another when a run is resumed.
  std::string fingerprint() const;
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::string text_;
  std::int64_t samples_;
  std::int64_t length_;  // places of one sample
};

}  // namespace ckpt::cli
