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

// Unless it is in place, everything is read and checked first; only then are the caller's tensors written. Files that the system
// caches are read again for that, and checked again: Error(corrupt), PartlyFilled, when one has changed in between; from others a
// copy is kept, and writing cannot fail. Takes no lock and changes nothing in the storage: a writer may be at work meanwhile, here
// or in another process.
// The texts of trees become separate tensors in state, even if the load fails.
LoadResult load_checkpoint(Protocol& protocol, State& state, const LoadOptions& options);

// The same by one of several ranks. Collective, once joint is open: all of them load one checkpoint or fail. The bytes are kept
// in memory until it is written.
LoadResult load_together(Protocol& protocol, State& state, const LoadOptions& options, JointLoad& joint);
// In two steps, for ranks that must not run collectives while they load. Collective, once joint is open: the checkpoint that all
// will load; then each of them loads it by itself, and no other one when that fails.
Proposal choose_together(Protocol& protocol, const LoadOptions& options, JointLoad& joint);
LoadResult load_chosen(Protocol& protocol, State& state, const LoadOptions& options, const Proposal& chosen, std::int64_t rank,
                       std::int64_t ranks);

// Checks every checksum of one checkpoint; name "": the newest that has a manifest, chosen again when a writer removes it
// meanwhile. Error(corrupt) names the first bad file and tensor.
VerifyResult verify_checkpoint(Protocol& protocol, const std::string& name);

}  // namespace ckpt::state
