// Classifies the commit records of an object store that have no checkpoint as damaged or as leftovers. Retention depends on it: a
// damaged record may be the only evidence that an attempt was committed, while a leftover of a removal must not protect anything.
#pragma once

#include <string>
#include <vector>

#include "state/found.h"
#include "state/object_catalog.h"
#include "storage/storage.h"

namespace ckpt::state {

// A removal deletes the record before the manifest. So an attempt with files, without a manifest, and with an intact record has
// lost its manifest: it is damaged, not unfinished. Reads the records that no checkpoint of all has; with only_newer only sequences
// above that of the complete one in all, which a load can need.
void note_lost_manifests(storage::Storage& storage, const StoreListing& listing, bool only_newer, std::vector<Found>& all);

struct RecordReview {
  std::vector<std::string> leftovers;  // paths of records without a checkpoint that no listed attempt can depend on
  std::string reason_to_wait;  // not "": describes a damaged or unreadable record; then no attempt is known to be unfinished
};

// all: the result of examine_store for everything listed. Reads only the records that no checkpoint of all has.
RecordReview review_records(storage::Storage& storage, const StoreListing& listing, const std::vector<Found>& all);

}  // namespace ckpt::state
