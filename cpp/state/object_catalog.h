// The checkpoints of an object store, from one listing and the commit records.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "state/commit_record.h"
#include "state/found.h"
#include "storage/storage.h"

namespace ckpt::state {

// One listing of a store: attempts, committed or not, commit records and probes.
struct StoreListing {
  struct Attempt {
    std::string name;
    std::int64_t step = 0;
    std::map<std::string, std::int64_t> files;  // with their bytes
    LineMark mark = {};                         // as its name shows it
    friend bool operator==(const Attempt&, const Attempt&) = default;
  };
  std::vector<Attempt> attempts;                // by descending generation, then by descending step
  std::map<std::string, std::int64_t> commits;  // paths of commit records, those of higher sequences first, with their bytes
  std::vector<std::string> probes;

  std::int64_t highest_sequence() const;  // 0 when there is no record
};
StoreListing list_store(storage::Storage& storage);

// The highest sequence that has a record, 0 when none has one: by one request.
std::int64_t highest_sequence(storage::Storage& storage);

// Caches examined checkpoints that are committed: their manifests and records do not change.
class ExaminedBefore {
 public:
  // Returns nullptr unless the listed files are those that were examined.
  const Found* find(const StoreListing::Attempt& attempt, const StoreListing& listing) const;
  void note(const Found& found, const StoreListing::Attempt& attempt, const StoreListing& listing);
  void keep_only(const StoreListing& listing);

 private:
  struct Seen {
    Found found;
    std::map<std::string, std::int64_t> files;
    std::int64_t record_bytes = 0;
  };
  std::map<std::string, Seen> seen_;
};

// Examines the listed attempts in the order in which a load tries them, as far as wanted requires. before: may be nullptr.
std::vector<Found> examine_store(storage::Storage& storage, const StoreListing& listing, const std::set<std::string>& bad,
                                 const Wanted& wanted, ExaminedBefore* before);

// scan, of an object store.
std::vector<Found> scan_store(storage::Storage& storage, const std::set<std::string>& bad, const Wanted& wanted);

// Error(not_found) unless the manifest was committed, Error(corrupt) unless its files have their sizes. Its record; of a checkpoint
// that is the whole storage, whose record is above it, none.
FoundRecord require_committed(storage::Storage& storage, const std::string& directory, const std::string& text,
                              const Manifest& manifest);

// Removes a commit record (record: its path; "": none), then the manifest, then the files. The record of a sequence of known or
// higher is not removed but taken by one that names no attempt: the highest sequence of a store never falls. Goes on after an error
// where that is safe; false when something stayed.
bool remove_from_store(storage::Storage& storage, const std::string& directory, const std::string& record,
                       std::int64_t known_higher) noexcept;

}  // namespace ckpt::state
