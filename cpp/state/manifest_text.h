// Serializes and parses manifests. docs/reference/file-format.md specifies the bytes.
#pragma once

#include <string>
#include <string_view>

#include "state/manifest.h"

namespace ckpt::state {

std::string to_text(const Manifest& manifest);

// Error(corrupt) unless the text's checksum is right and its contents are complete, in bounds and consistent; Error(unsupported)
// for manifests of newer libraries.
Manifest parse_manifest(std::string_view text);

}  // namespace ckpt::state
