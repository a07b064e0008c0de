// How a rank that fails says so to ranks that it cannot call: by a file in the attempt's directory. Rank 0's holds for all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "storage/storage.h"

namespace ckpt::state {

class Protocol;

struct Verdict {
  std::int64_t rank = 0;  // where the error began
  base::Status status{};
  std::string message;
};

// Leaves a rank's verdict; what cannot be written is a warning.
void leave_verdict(Protocol& protocol, const std::string& directory, std::int64_t rank, const Verdict& verdict) noexcept;
// Nothing when the rank has left none that can be read.
std::optional<Verdict> find_verdict(storage::Storage& storage, const std::string& directory, std::int64_t rank);

}  // namespace ckpt::state
