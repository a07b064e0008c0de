// Loads: choose a checkpoint, check it, and fill the tensors of a state.
#pragma once

#include <cstdint>
#include <string>

#include "state/load_options.h"
#include "state/state.h"

namespace ckpt::state {

class JointLoad;  // see state/ranks/joint_load.h
class Protocol;
struct Proposal;

// Error(invalid_argument) if both name and step are given.
void require_one_choice(const LoadOptions& options);

// Unless the load is in place, reads and checks everything before writing the caller's tensors. Cached files are then read and
// checked a second time: Error(corrupt), PartlyFilled, if one has changed in between. Other files are copied to memory, and writing
// cannot fail. Takes no lock and changes nothing in the storage: a writer can be active, also in another process. The JSON of
// trees become separate tensors in state, even if the load fails.
LoadResult load_checkpoint(Protocol& protocol, State& state, const LoadOptions& options);

// The same on one of several ranks. Collective after joint is open: all ranks load one checkpoint or fail. The bytes are kept in
// memory until they are written.
LoadResult load_together(Protocol& protocol, State& state, const LoadOptions& options, JointLoad& joint);
// In two steps, for ranks that must not run collectives during the load. choose_together is collective after joint is open: chooses
// the checkpoint for all ranks. Then each rank loads it alone, without trying another one on failure.
Proposal choose_together(Protocol& protocol, const LoadOptions& options, JointLoad& joint);
LoadResult load_chosen(Protocol& protocol, State& state, const LoadOptions& options, const Proposal& chosen, std::int64_t rank,
                       std::int64_t ranks);

// Verifies every checksum of one checkpoint; name "": the newest with a manifest, selected again if a writer removes it during the
// call. Error(corrupt) names the first bad file and tensor.
VerifyResult verify_checkpoint(Protocol& protocol, const std::string& name);

}  // namespace ckpt::state
