// How the ranks of a run create their managers together.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/error.h"
#include "state/ranks/meeting.h"
#include "storage/storage.h"

namespace ckpt::state {

// Collective, the first call of each rank: throws on all ranks the first error that one of them has, Error(invalid_argument) when
// read_only is not the same on all, and when a coordinator places a rank where another one is. refused: what is wrong with the
// arguments of this rank.
void agree_to_open(Meeting& meeting, bool read_only, const std::optional<base::Error>& refused);

// The same for a rank that has no manager because of its arguments, in at most timeout_ns. Throws.
[[noreturn]] void refuse_to_open(Coordinator& coordinator, std::int64_t timeout_ns, const base::Error& refused);

// Collective, of writers: rank 0 opens the storage, and all find a file there that it has made; Error(invalid_argument) when one
// does not. Returns a text that only the ranks of this run have.
std::string open_shared(Meeting& meeting, storage::Storage& storage, const std::function<void()>& open_alone);

}  // namespace ckpt::state
