// Reports the failure of a rank to ranks that no collective can reach: by a file in the attempt's directory. The file of rank 0
// decides for all ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "storage/storage.h"

namespace ckpt::state {

class Protocol;

struct RankFailure {
  std::int64_t rank = 0;  // rank with the original error
  base::Status status{};
  std::string message;
};

// Writes the file of a rank. A failure to write it is logged.
void write_failure(Protocol& protocol, const std::string& directory, std::int64_t rank, const RankFailure& failure) noexcept;
// Returns nothing if the rank has written no file, and Status::io if the file is unreadable.
std::optional<RankFailure> read_failure(storage::Storage& storage, const std::string& directory, std::int64_t rank);

}  // namespace ckpt::state
