// `ckpt sample`: text that a trained transformer goes on with.
#pragma once

#include <cstdint>
#include <string>

namespace ckpt::cli {

struct SampleOptions {
  std::string directory;      // of checkpoints of `ckpt train`
  std::string prompt;         // not empty
  std::int64_t length = 200;  // bytes behind the prompt
  double temperature = 1;     // 0: the most probable byte
  std::uint64_t seed = 1;
  std::int32_t threads = 0;  // 0: what this process may use
};

// Prints the prompt and the bytes behind it as they are. Throws ckpt::Error and std::exception.
void sample(const SampleOptions& options);

}  // namespace ckpt::cli
