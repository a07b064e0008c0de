// Any bytes as a manifest.
#include "reread.h"
#include "state/manifest.h"
#include "state/manifest_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return ckpt::tests::reread(data, size, [](const std::string& text) { return ckpt::state::parse_manifest(text); });
}
