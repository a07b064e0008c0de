// Commit records of an object store without a checkpoint: which of them are damage, and which name nothing any more. Retention
// asks: a damaged record may be the only sign that an attempt was committed, and a record that a removal has left must not keep
// anything.
#pragma once

#include <string>
#include <vector>

#include "state/found.h"
#include "state/object_catalog.h"
#include "storage/storage.h"

namespace ckpt::state {

// A removal takes the record before the manifest: an attempt that has files and no manifest, and that an intact record names, has
// lost its manifest. It is damaged then, not unfinished. Reads records that none of all has; with only_newer those of sequences
// above the complete one of all, which a load can need.
void note_lost_manifests(storage::Storage& storage, const StoreListing& listing, bool only_newer, std::vector<Found>& all);

struct RecordReview {
  std::vector<std::string> leftovers;  // paths of records that name nothing, and that no listed attempt can depend on
  std::string doubt;                   // not "": a record is damaged or unreadable, and which; no attempt is known to be unfinished
};

// all: the result of examine_store for everything that is listed. Reads only the records that none of them has.
RecordReview review_records(storage::Storage& storage, const StoreListing& listing, const std::vector<Found>& all);

}  // namespace ckpt::state
