// Any bytes as a manifest, as they are and with a checksum that holds: refused with a clear status, or read and written again the
// same.
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "state/manifest.h"

namespace {

using ckpt::base::Status;
using ckpt::state::parse_manifest;

void try_text(const std::string& text) {
  std::string again;
  try {
    again = to_text(parse_manifest(text));
  } catch (const ckpt::base::Error& error) {
    if (error.status() != Status::corrupt && error.status() != Status::unsupported) std::abort();
    return;
  }
  if (to_text(parse_manifest(again)) != again) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try_text(text);
  try_text(text + ",\n\"checksum\":\"" + ckpt::state::to_hex(ckpt::state::hash_of(text)) + "\"}\n");
  return 0;
}
