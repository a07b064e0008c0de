// Any bytes as a part of a manifest.
#include "reread.h"
#include "state/ranks/part.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return ckpt::tests::reread(data, size, [](const std::string& text) { return ckpt::state::parse_part(text); });
}
