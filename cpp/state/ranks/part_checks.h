// Verifies a sharded checkpoint completely: each part, each byte of each file, and that every block is where the manifest places
// it.
#pragma once

#include <string>

#include "base/progress.h"
#include "state/load_options.h"
#include "state/manifest.h"
#include "storage/storage.h"

namespace ckpt::state {

// Error(corrupt) names the first bad file and block. Adds the counts of verified files to result.
void verify_parts(storage::Storage& storage, const std::string& directory, const Manifest& manifest, VerifyResult& result,
                  base::Progress& progress);

}  // namespace ckpt::state
