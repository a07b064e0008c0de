#include "state/object_catalog.h"

#include <algorithm>
#include <functional>
#include <memory>

#include "base/log.h"
#include "state/caught.h"
#include "state/checkpoint_files.h"
#include "state/known_bad.h"
#include "state/name.h"
#include "state/pin.h"
#include "state/rank_names.h"
#include "state/record_review.h"
#include "storage/objects.h"

namespace ckpt::state {
namespace {

using base::Status;
using Attempt = StoreListing::Attempt;

std::string prefix_of(const std::string& directory) { return directory == "." ? "" : directory + '/'; }

// Checks the listed sizes; if they differ from the manifest, queries the files.
void check_listed_sizes(storage::Storage& storage, const Attempt& attempt, const Manifest& manifest) {
  for (std::size_t rank = 0; rank < manifest.parts.size(); ++rank) {
    const auto listed = attempt.files.find(part_name(static_cast<std::int64_t>(rank), manifest.world_size));
    if (listed == attempt.files.end() || listed->second != manifest.parts[rank].bytes) {
      base::fail(Status::corrupt, base::quote(attempt.name), ": the part of rank ", rank,
                 " is missing or has a size other than in the manifest");
    }
  }
  for (const GroupRecord& group : manifest.groups) {
    for (const FileRecord& record : group.files) {
      const auto listed = attempt.files.find(record.name);
      if (listed == attempt.files.end() || listed->second != record.bytes)
        return check_sizes(storage, attempt.name, sizes_of(manifest));
    }
  }
}

Found found_of(const Attempt& attempt) {
  Found found;
  found.name = attempt.name;
  found.step = attempt.step;
  found.mark = attempt.mark;
  found.pinned = attempt.files.contains(std::string(pin_name));
  return found;
}

// An attempt with a damaged record may have been committed. It is a damaged checkpoint, which retention counts and removes as such,
// not an unfinished attempt.
void note_record(storage::Storage& storage, const Manifest& manifest, bool by_attempt, Found& found) {
  try {
    FoundRecord record = find_commit_record(storage, found.name, manifest, found.manifest_digest, by_attempt);
    found.record = std::move(record.path);
    found.record_damage = std::move(record.damage);
  } catch (const base::Error& error) {
    if (error.status() == Status::corrupt) note_manifest(found, manifest);
    throw;
  }
  note_manifest(found, manifest);
}

// Examines its manifest, its commit record, and the listed sizes.
Found examine(storage::Storage& storage, const Attempt& attempt, const StoreListing& listing) {
  for (int tries = 1;; ++tries) {
    Found found = found_of(attempt);
    std::string text;
    const Outcome outcome = try_reading(storage, attempt.name, text, found, [&] {
      text = manifest_text(storage, attempt.name);
      Manifest manifest = parsed_manifest(attempt.name, text);
      if (manifest.step != attempt.step)
        base::fail(Status::corrupt, "the directory's name and its manifest differ: the manifest has step ", manifest.step);
      found.manifest_digest = hash_of(text);
      found.manifest_sequence = manifest.commit_sequence;
      note_record(storage, manifest, listing.commits.contains(commit_path(manifest.commit_sequence, attempt.name)), found);
      check_listed_sizes(storage, attempt, manifest);
      found.manifest = std::make_shared<Manifest>(std::move(manifest));
    });
    if (outcome != Outcome::removed || tries == max_rounds) return found;
  }
}

Found look_at(storage::Storage& storage, const Attempt& attempt, const StoreListing& listing, ExaminedBefore* before) {
  if (!attempt.files.contains(std::string(manifest_name))) {
    Found found = found_of(attempt);
    found.condition = Condition::unfinished;
    found.status = Status::not_found;
    found.problem = base::cat(base::quote(attempt.name), " has no ", manifest_name,
                              ": not a checkpoint, or its save is in progress or was interrupted");
    return found;
  }
  if (const Found* const known = before == nullptr ? nullptr : before->find(attempt, listing); known != nullptr) {
    Found found = *known;
    found.pinned = attempt.files.contains(std::string(pin_name));
    return found;
  }
  Found found = examine(storage, attempt, listing);
  if (before != nullptr && found.condition == Condition::complete) before->note(found, attempt, listing);
  return found;
}

void unless_missing(storage::Storage& storage, const std::string& path) {
  try {
    storage.remove(path);
  } catch (const base::Error& error) {
    if (error.status() != Status::not_found) throw;
  }
}

void remove_record(storage::Storage& storage, const std::string& path, std::int64_t known_higher) {
  const std::int64_t sequence = sequence_of_commit(path).value_or(0);
  if (sequence < known_higher || sequence < highest_sequence(storage)) return unless_missing(storage, path);
  write_object(storage, path, to_text({"", 0, sequence, {}, ""}));
}

}  // namespace

std::int64_t StoreListing::highest_sequence() const {
  return commits.empty() ? 0 : sequence_of_commit(commits.begin()->first).value_or(0);
}

StoreListing list_store(storage::Storage& storage) {
  StoreListing listing;
  storage::for_each_object(storage, "", [&](const storage::Object& object) {
    if (sequence_of_commit(object.path)) {
      listing.commits.emplace(object.path, object.bytes);
    } else if (object.path.starts_with(probes_prefix)) {
      listing.probes.push_back(object.path);
    }
    const std::size_t slash = object.path.find('/');
    if (slash == std::string::npos || object.path.find('/', slash + 1) != std::string::npos) return;
    const std::string name = object.path.substr(0, slash);
    const auto parsed = parse_attempt(name);
    if (!parsed) return;
    if (listing.attempts.empty() || listing.attempts.back().name != name)
      listing.attempts.push_back({name, parsed->step, {}, parsed->mark});
    listing.attempts.back().files.emplace(object.path.substr(slash + 1), object.bytes);
  });
  std::ranges::stable_sort(listing.attempts, std::ranges::greater(),
                           [](const Attempt& attempt) { return std::pair(attempt.mark.generation, attempt.step); });
  return listing;
}

std::int64_t highest_sequence(storage::Storage& storage) {
  // Other objects sort after the records, except foreign ones: examine a few entries.
  constexpr std::int64_t few = 8;
  for (const storage::Object& object : storage::list_page(storage, std::string(commits_prefix), "", few)) {
    if (const auto sequence = sequence_of_commit(object.path)) return *sequence;
  }
  return 0;
}

// ---- Cache ----

const Found* ExaminedBefore::find(const Attempt& attempt, const StoreListing& listing) const {
  const auto seen = seen_.find(attempt.name);
  if (seen == seen_.end()) return nullptr;
  const auto record = listing.commits.find(seen->second.found.record);
  if (record == listing.commits.end() || record->second != seen->second.record_bytes) return nullptr;
  // A pin that was added or removed does not invalidate the entry.
  const auto is_there = [&](const auto& file) {
    const auto listed = attempt.files.find(file.first);
    return file.first == pin_name || (listed != attempt.files.end() && listed->second == file.second);
  };
  return std::ranges::all_of(seen->second.files, is_there) ? &seen->second.found : nullptr;
}

void ExaminedBefore::note(const Found& found, const Attempt& attempt, const StoreListing& listing) {
  const auto record = listing.commits.find(found.record);
  if (record == listing.commits.end()) return;
  Seen& seen = seen_[attempt.name];
  seen = {found, attempt.files, record->second};
  seen.found.manifest.reset();
}

void ExaminedBefore::keep_only(const StoreListing& listing) {
  std::set<std::string_view> names;
  for (const Attempt& attempt : listing.attempts) names.insert(attempt.name);
  std::erase_if(seen_, [&](const auto& seen) { return !names.contains(seen.first); });
}

// ---- Scan ----

namespace {

bool has_marks(const StoreListing& listing) { return !listing.attempts.empty() && listing.attempts.front().mark.generation > 0; }

// Finds the attempts up to the newest complete one of the line that is not in bad, and those that determine the line. Names contain
// the generation, so abandoned attempts are skipped without a request.
class NewestInStore {
 public:
  using Look = std::function<Found(const Attempt& attempt)>;
  NewestInStore(const StoreListing& listing, const std::set<std::string>& bad, Look look)
      : listing_(listing), bad_(bad), look_(std::move(look)) {}

  std::vector<Found> find() {
    const Found* newest = nullptr;
    all_.reserve(listing_.attempts.size() + 1);  // newest points into all_
    std::vector<const Attempt*> passed;
    for (const Attempt& attempt : listing_.attempts) {
      // Examines all attempts of one step: the commit sequence decides between them.
      if (newest != nullptr && (attempt.step != newest->step || attempt.mark != newest->mark)) break;
      if (has_marks(listing_) && !current_line(all_).holds(attempt.mark.generation, attempt.step)) {
        passed.push_back(&attempt);
        continue;
      }
      all_.push_back(look_(attempt));
      if (newest == nullptr && is_good(all_.back())) newest = &all_.back();
    }
    if (newest != nullptr) {
      look_for_unmarked(*newest);
    } else {
      for (const Attempt* attempt : passed) {  // for an error message
        all_.push_back(look_(*attempt));
        if (is_good(all_.back())) break;
      }
    }
    return std::move(all_);
  }

 private:
  bool is_good(const Found& found) const { return found.condition == Condition::complete && !bad_.contains(found.name); }

  // A library without support for lines may have committed since then. Its names and manifests do not contain generations.
  void look_for_unmarked(const Found& newest) {
    if (newest.mark.generation == 0 || listing_.highest_sequence() <= newest.commit_sequence) return;
    const std::int64_t step = newest.step;
    for (const Attempt& attempt : listing_.attempts) {
      if (attempt.mark.generation == 0 && attempt.step >= step) all_.push_back(look_(attempt));
    }
  }

  const StoreListing& listing_;
  const std::set<std::string>& bad_;
  const Look look_;
  std::vector<Found> all_;
};

// The same, including attempts with a lost manifest. If one of them has a mark, the line may be different, so the search is
// repeated.
std::vector<Found> newest_in_store(storage::Storage& storage, const StoreListing& listing, const std::set<std::string>& bad,
                                   const NewestInStore::Look& look) {
  std::map<std::string, Found> looked;
  const auto look_once = [&](const Attempt& attempt) {
    const auto known = looked.find(attempt.name);
    return known != looked.end() ? known->second : looked.emplace(attempt.name, look(attempt)).first->second;
  };
  for (;;) {
    std::vector<Found> all = NewestInStore(listing, bad, look_once).find();
    note_lost_manifests(storage, listing, true, all);
    bool is_another_line = false;
    for (const Found& found : all) {
      Found& before = looked.at(found.name);
      if (found.condition == before.condition) continue;
      before = found;
      is_another_line = is_another_line || found.mark.generation > 0;
    }
    if (!is_another_line) return all;
  }
}

}  // namespace

std::vector<Found> examine_store(storage::Storage& storage, const StoreListing& listing, const std::set<std::string>& bad,
                                 const Wanted& wanted, ExaminedBefore* before) {
  const auto look = [&](const Attempt& attempt) { return look_at(storage, attempt, listing, before); };
  const auto is_wanted = [&](const Attempt& attempt) {
    return (!wanted.step || attempt.step == *wanted.step) && (wanted.name.empty() || attempt.name == wanted.name);
  };
  std::vector<Found> all;
  const bool is_newest = wanted.only_first && !wanted.step && wanted.name.empty();
  // An attempt of the wanted step may be abandoned, which only the line determines.
  if (is_newest || (wanted.step && has_marks(listing))) all = newest_in_store(storage, listing, bad, look);
  if (!is_newest) {
    for (const Attempt& attempt : listing.attempts) {
      const bool is_new = std::ranges::find(all, attempt.name, &Found::name) == all.end();
      if (is_wanted(attempt) && is_new) all.push_back(look(attempt));
    }
  }
  if (!is_newest) note_lost_manifests(storage, listing, wanted.only_first, all);
  place_in_line(all);
  if (wanted.step) std::erase_if(all, [&](const Found& found) { return found.step != *wanted.step; });
  // Only the first complete one keeps its manifest.
  bool is_first = true;
  for (Found& found : all) {
    if (found.manifest != nullptr && !std::exchange(is_first, false)) found.manifest.reset();
  }
  return all;
}

// Repeats the scan if a writer changed the store, as scan_directories does.
std::vector<Found> scan_store(storage::Storage& storage, const std::set<std::string>& bad, const Wanted& wanted) {
  const auto is_good = [&](const Found& found) {
    return wanted.step ? found.condition == Condition::complete && !bad.contains(found.name) : is_usable(found, bad);
  };
  // False if checkpoints of a higher generation may have been removed since they were listed.
  const auto has_newest = [&](const std::vector<Found>& all) {
    const auto newest = std::ranges::find_if(all, is_good);
    if (newest == all.end()) return false;
    const auto may_be_gone = [&](const Found& found) {
      return found.condition == Condition::unfinished && found.mark.generation > newest->generation;
    };
    return std::ranges::none_of(all, may_be_gone);
  };
  StoreListing listing = list_store(storage);
  for (int rounds = 1;; ++rounds) {
    std::vector<Found> all = examine_store(storage, listing, bad, wanted, nullptr);
    if (all.empty() || has_newest(all) || rounds == max_rounds) return all;
    StoreListing again = list_store(storage);
    if (again.attempts == listing.attempts && again.commits == listing.commits) return all;
    listing = std::move(again);
  }
}

FoundRecord require_committed(storage::Storage& storage, const std::string& directory, const std::string& text,
                              const Manifest& manifest) {
  // A checkpoint that is the whole storage was named by the caller; its record is outside of this storage.
  FoundRecord record;
  if (directory != ".") record = find_commit_record(storage, directory, manifest, hash_of(text));
  const std::string prefix = prefix_of(directory);
  Attempt attempt{directory, manifest.step, {}};
  storage::for_each_object(storage, prefix, [&](const storage::Object& object) {
    attempt.files.emplace(object.path.substr(prefix.size()), object.bytes);
  });
  check_listed_sizes(storage, attempt, manifest);
  return record;
}

bool remove_from_store(storage::Storage& storage, const std::string& directory, const std::string& record,
                       std::int64_t known_higher, std::optional<base::Error>* first) noexcept {
  const bool clean = attempted(
      [&] {
        // Each step only after the previous one: without a record it is not a checkpoint; without a manifest it is known to be
        // removed.
        if (!record.empty()) remove_record(storage, record, known_higher);
        unless_missing(storage, path_in(directory, manifest_name));
        std::vector<std::string> paths;
        storage::for_each_object(storage, prefix_of(directory),
                                 [&](const storage::Object& object) { paths.push_back(object.path); });
        if (!paths.empty()) storage.remove_many(paths);
      },
      first);
  note_good(storage, directory);  // the checkpoint no longer exists
  return clean;
}

}  // namespace ckpt::state
