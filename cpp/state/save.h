// One save: a new directory, its files, and the manifest that commits them.
#pragma once

#include <cstdint>
#include <string>

#include "state/committer.h"
#include "state/manifest.h"
#include "state/save_options.h"
#include "state/save_source.h"
#include "state/state.h"
#include "storage/storage.h"

namespace ckpt::state {

class FileSaver;
class Leftovers;
class Ownership;

// The parts of a writer that its saves use.
struct Writer {
  Committer* committer = nullptr;  // for object stores
  Ownership* ownership = nullptr;  // for other storages
  Leftovers* leftovers = nullptr;  // gets what a failed save could not remove; may be nullptr
};

// Returns the manifest without its groups and its line.
Manifest manifest_of(const State& state, const SaveOptions& options, std::int64_t commit_sequence);
// Makes a checkpoint of files that are durable under their names: writes its manifest, and on an object store the record. Returns
// when that is durable. Error(busy), and no manifest, when another program has taken the lock away or has written to the storage.
void commit(storage::Storage& storage, FileSaver& files, const Manifest& manifest, SaveSource& source, const Writer& writer);

// Returns when the checkpoint is durable. When it throws, what it wrote was removed as far as that went; older checkpoints are as
// before. Error(no_space) before anything is made when the storage is known to have too few bytes. latest: the checkpoint that
// files of rarely changing groups may be linked from (object stores have no links); "": none.
SaveResult write_checkpoint(storage::Storage& storage, const State& state, const SaveOptions& options, std::int64_t commit_sequence,
                            const std::string& latest, SaveSource& source, const Writer& writer = {});

}  // namespace ckpt::state
