// Collective creation of the managers of a run's ranks.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/error.h"
#include "state/protocol.h"
#include "state/ranks/collective.h"

namespace ckpt::state {

// Collective, the first call of each rank. Throws the first error of any rank on all of them. Error(invalid_argument) if read_only
// differs between ranks, or if a coordinator reports a wrong rank or world size. refused: the error in this rank's arguments.
void agree_to_open(Collective& collective, bool read_only, const std::optional<base::Error>& refused);

// The same for a rank with invalid arguments, which gets no manager. Always throws, after at most timeout_ns.
[[noreturn]] void refuse_to_open(Coordinator& coordinator, std::int64_t timeout_ns, const base::Error& refused);

// Collective, for writers. Rank 0 opens the storage and creates a file in it; Error(invalid_argument) if another rank does not find
// that file. Returns a string that is unique to this run and the same on all its ranks.
std::string open_shared(Collective& collective, Protocol& protocol, const std::function<void()>& open_alone);

}  // namespace ckpt::state
