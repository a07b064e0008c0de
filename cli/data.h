// The text that is trained on, and how it becomes batches.
#pragma once

#include <cstdint>
#include <string>

namespace ckpt::cli {

// What a model reads of a text in a step.
struct Reading {
  std::int64_t samples = 0;
  std::int64_t context = 0;  // bytes of a sample
  // Learns the byte behind each byte of a sample, goes a context further every step, and is not trained on the text's last
  // sixteenth. False: learns the byte behind the sample, goes a byte further, and is trained on all of it.
  bool every_byte = false;

  std::int64_t targets() const { return every_byte ? context : 1; }  // of a sample
};

class TextData {
 public:
  // path: a file; "" makes a text (made_text.h). Throws std::runtime_error for a file that
  // is missing, empty, too small for the samples, or no text.
  TextData(const std::string& path, const Reading& reading);

  // Sample b reads the text from its own place on, further every step, and begins anew behind the last place: position is the same
  // for all samples. Fills samples * context tokens and their targets.
  void batch(std::int64_t position, std::uint8_t* tokens, std::uint8_t* targets) const;
  std::int64_t next_position(std::int64_t position) const;

  // Text that batch() never reads, in full batches of samples that do not overlap.
  std::int64_t held_out_bytes() const { return bytes() - trained_bytes_; }
  std::int64_t held_out_batches() const;
  void held_out_batch(std::int64_t number, std::uint8_t* tokens, std::uint8_t* targets) const;

  // Of the whole text, in nats a byte: the loss of a model that knows only how often each byte occurs.
  double unigram_entropy() const;

  std::int64_t bytes() const { return static_cast<std::int64_t>(text_.size()); }
  // Distinguishes one text from another when a run is resumed.
  std::string fingerprint() const;
  const std::string& name() const { return name_; }

 private:
  void sample(std::int64_t from, std::int64_t number, std::uint8_t* tokens, std::uint8_t* targets) const;

  std::string name_;
  std::string text_;
  Reading reading_;
  std::int64_t trained_bytes_;
  std::int64_t length_;  // places of one sample
};

}  // namespace ckpt::cli
