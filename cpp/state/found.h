// A checkpoint found in a storage, and the order in which loads try checkpoints.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "state/line.h"
#include "state/manifest.h"

namespace ckpt::state {

enum class Condition {
  complete,    // valid manifest and files of the right size; file checksums are not verified
  unfinished,  // no manifest: in progress, or a save or a removal was interrupted
  damaged,     // the bytes differ from those that were written
  unreadable,  // a read failed, or a newer library wrote it
};

struct Found {
  std::string name;  // its directory
  std::int64_t step = 0;
  bool parsed = false;                // the manifest is valid; the next four are from it
  std::int64_t commit_sequence = -1;  // -1 if not parsed
  std::int64_t bytes = 0;
  std::optional<double> metric;
  std::int64_t saved_utc_ns = 0;          // since 1970; 0: not known
  std::int64_t world_size = 0;            // 0: not known
  bool pinned = false;                    // only after note_pins
  std::string record = {};                // path of its commit record, on object stores; "": none, or not usable
  std::string record_damage = {};         // the record is damaged; only the manifest's digest identifies this checkpoint
  std::int64_t manifest_sequence = -1;    // from the manifest, regardless of its commit record; -1: invalid manifest
  std::shared_ptr<const Line> line = {};  // from the manifest; nullptr: not recorded
  LineMark mark = {};                     // from the name of the directory or of a file in it
  // Only after place_in_line:
  std::int64_t generation = 0;
  bool abandoned = false;  // not on the current line
  Condition condition = Condition::complete;
  base::Status status = base::Status::ok;
  std::string problem;  // if not complete
  // Only for the first complete one: its parsed manifest and the digest of its text, so that a load need not parse it again.
  std::shared_ptr<Manifest> manifest = {};
  Digest manifest_digest = {};
};

// The checkpoints that a caller of Protocol::list needs. Object stores, where each check is a request, return no more than these;
// others return all.
struct Wanted {
  bool only_first = false;  // up to the first one that is complete and not among bad
  std::optional<std::int64_t> step = {};
  std::string name = {};  // "": any
};

// Copies the values of a valid manifest.
void note_manifest(Found& found, const Manifest& manifest);

// Returns whether a load tries a before b: the current line first, then higher generations, higher steps, later commits.
bool comes_before(const Found& a, const Found& b);
// Determines the current line from the checkpoints of one storage.
CurrentLine current_line(const std::vector<Found>& all);
// Sets generation and abandoned of each, and sorts all by comes_before.
void place_in_line(std::vector<Found>& all);
// Returns whether it is complete, on the line, and not among bad.
bool is_usable(const Found& found, const std::set<std::string>& bad = {});

// Returns the name of the complete checkpoint that was committed last; "" if there is none.
std::string committed_last(const std::vector<Found>& all);

// Returns "; the newest abandoned one is ...", or "" if no complete checkpoint is abandoned. all: the result of Protocol::list.
std::string abandoned_hint(const std::vector<Found>& all);

}  // namespace ckpt::state
