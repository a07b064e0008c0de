// Serialises and parses manifests. docs/reference/file-format.md describes the bytes.
#pragma once

#include <string>
#include <string_view>

#include "state/manifest.h"

namespace ckpt::state {

std::string to_text(const Manifest& manifest);

// Error(corrupt) unless the text's own checksum holds and everything in it is there, in bounds and consistent; Error(unsupported)
// for what a newer library wrote.
Manifest parse_manifest(std::string_view text);

}  // namespace ckpt::state
