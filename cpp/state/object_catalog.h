// Finds the checkpoints of an object store from one listing and the commit records.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "state/commit_record.h"
#include "state/found.h"
#include "storage/storage.h"

namespace ckpt::state {

// One listing of a store: committed and uncommitted attempts, commit records, and probes.
struct StoreListing {
  struct Attempt {
    std::string name;
    std::int64_t step = 0;
    std::map<std::string, std::int64_t> files;  // name, bytes
    LineMark mark = {};                         // from its name
    friend bool operator==(const Attempt&, const Attempt&) = default;
  };
  std::vector<Attempt> attempts;                // by descending generation, then by descending step
  std::map<std::string, std::int64_t> commits;  // path, bytes; higher sequences first
  std::vector<std::string> probes;

  std::int64_t highest_sequence() const;  // 0 without records
};
StoreListing list_store(storage::Storage& storage);

// Returns the highest sequence with a record, 0 without records; one request.
std::int64_t highest_sequence(storage::Storage& storage);

// Caches examined committed checkpoints: their manifests and records do not change.
class ExaminedBefore {
 public:
  // Returns nullptr unless the listed files are the examined ones.
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

// Implements Protocol::list.
std::vector<Found> scan_store(storage::Storage& storage, const std::set<std::string>& bad, const Wanted& wanted);

// Error(not_found) unless the manifest is committed, Error(corrupt) unless its files have their sizes. Returns the record; an empty
// one for a checkpoint that is the whole storage, since its record is outside.
FoundRecord require_committed(storage::Storage& storage, const std::string& directory, const std::string& text,
                              const Manifest& manifest);

// Removes a commit record (record: its path; "": none), then the manifest, then the files. A record with a sequence of known_higher
// or above is not removed but overwritten by one without an attempt: the highest sequence of a store never falls. Continues after
// an error where that is safe; returns false if files remain. first: receives the first error; nullptr: not wanted.
bool remove_from_store(storage::Storage& storage, const std::string& directory, const std::string& record,
                       std::int64_t known_higher, std::optional<base::Error>* first = nullptr) noexcept;

}  // namespace ckpt::state
