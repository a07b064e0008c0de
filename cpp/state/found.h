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
  complete,    // the manifest holds and every file has its size; checksums of the files are not looked at
  unfinished,  // no manifest: being written, or a save or a removal was cut off
  damaged,     // the bytes are not those that were written
  unreadable,  // the system failed or refused to read it, or a newer library wrote it
};

struct Found {
  std::string name;  // of its directory
  std::int64_t step = 0;
  bool parsed = false;                // the manifest holds: the next four are its
  std::int64_t commit_sequence = -1;  // -1 else
  std::int64_t bytes = 0;
  std::optional<double> metric;
  std::int64_t saved_utc_ns = 0;          // since 1970; 0: not known
  std::int64_t world_size = 0;            // 0: not known
  bool pinned = false;                    // only after note_pins
  std::string record = {};                // the path of its commit record, on object stores; "": it has none, or that is not usable
  std::string record_damage = {};         // that record is damaged, and names this one by its manifest's digest alone
  std::int64_t manifest_sequence = -1;    // the manifest's, whatever its commit record says; -1: the manifest does not hold
  std::shared_ptr<const Line> line = {};  // as the manifest records it; nullptr: it records none
  LineMark mark = {};                     // as the name of the directory or of a file in it shows
  // Only after place_in_line:
  std::int64_t generation = 0;
  bool abandoned = false;  // not on the current line
  Condition condition = Condition::complete;
  base::Status status = base::Status::ok;
  std::string problem;  // when not complete
  // Only of the first complete one: its parsed manifest and the digest of that text, so that a load need not parse it again.
  std::shared_ptr<Manifest> manifest = {};
  Digest manifest_digest = {};
};

// The checkpoints that a caller of Protocol::list will use. Object stores, where each look is a request, show no more than that;
// others show all.
struct Wanted {
  bool only_first = false;  // those up to the first one that is complete and not among bad
  std::optional<std::int64_t> step = {};
  std::string name = {};  // "": any
};

// Copies the values of a valid manifest.
void note_manifest(Found& found, const Manifest& manifest);

// Returns whether a load tries a before b: the current line first, then higher generations, higher steps, later commits.
bool comes_before(const Found& a, const Found& b);
// Determines the current line from these checkpoints of one storage.
CurrentLine current_line(const std::vector<Found>& all);
// Sets generation and abandoned of each, and sorts all by comes_before.
void place_in_line(std::vector<Found>& all);
// Returns whether it is complete, on the line, and not among bad.
bool is_usable(const Found& found, const std::set<std::string>& bad = {});

// Returns the name of the complete one that was committed last; "" when there is none.
std::string committed_last(const std::vector<Found>& all);

// Returns "; the newest abandoned one is ...", or "" when no complete checkpoint is abandoned. all: the result of Protocol::list.
std::string abandoned_hint(const std::vector<Found>& all);

}  // namespace ckpt::state
