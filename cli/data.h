// The training text and its division into batches.
#pragma once

#include <cstdint>
#include <string>

namespace ckpt::cli {

// The part of a text that a model reads in a step.
struct Reading {
  std::int64_t samples = 0;
  std::int64_t context = 0;  // bytes of a sample
  // True: predicts the next byte for each byte of a sample, advances by a context every step, and holds out the last sixteenth of
  // the text. False: predicts only the byte after the sample, advances by one byte, and trains on the whole text.
  bool every_byte = false;

  std::int64_t targets() const { return every_byte ? context : 1; }  // predictions per sample
};

class TextData {
 public:
  // path: a file; "" generates a text (generated_text.h). Throws std::runtime_error if the file is missing, empty, too small for
  // the samples, or not a text file.
  TextData(const std::string& path, const Reading& reading);

  // Fills samples * context tokens and their targets. Each sample reads from its own start plus position, which is the same for all
  // samples, and wraps around at the end of the text.
  void batch(std::int64_t position, std::uint8_t* tokens, std::uint8_t* targets) const;
  std::int64_t next_position(std::int64_t position) const;

  // The text that batch() never reads, in full batches of non-overlapping samples.
  std::int64_t held_out_bytes() const { return bytes() - trained_bytes_; }
  std::int64_t held_out_batches() const;
  void held_out_batch(std::int64_t number, std::uint8_t* tokens, std::uint8_t* targets) const;

  // Entropy of the whole text in nats per byte: the loss of a model that knows only the frequency of each byte.
  double unigram_entropy() const;

  std::int64_t bytes() const { return static_cast<std::int64_t>(text_.size()); }
  // Identifies the text when a run is resumed.
  std::string fingerprint() const;
  const std::string& name() const { return name_; }

 private:
  void sample(std::int64_t from, std::int64_t number, std::uint8_t* tokens, std::uint8_t* targets) const;

  std::string name_;
  std::string text_;
  Reading reading_;
  std::int64_t trained_bytes_;
  std::int64_t length_;  // start positions of one sample
};

}  // namespace ckpt::cli
