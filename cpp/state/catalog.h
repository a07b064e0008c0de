// Which checkpoints a storage holds, in the order in which a load tries them; and how they are put aside and removed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/progress.h"
#include "state/line.h"
#include "state/manifest.h"
#include "storage/storage.h"

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
  // What scan has read of the first one, so that its caller need not parse the same text again; its text has this digest.
  std::shared_ptr<Manifest> manifest = {};
  Digest manifest_digest = {};
};

// What a caller of scan will use. Object stores, where each look is a request, are asked for no more than that; others show all.
struct Wanted {
  bool only_first = false;  // those up to the first one that is complete and not among bad
  std::optional<std::int64_t> step = {};
  std::string name = {};  // "": any
};

class KnownManifests;

// Returns every directory "step-...", in the order in which a load tries them: those of the current line, then abandoned ones. A
// writer may change the storage meanwhile: if the result has no complete checkpoint of the line outside bad, there was none at one
// moment of this call.
// known: manifests on disk that need not be read again; those that are read are added. May be nullptr.
std::vector<Found> scan(storage::Storage& storage, const std::set<std::string>& bad = {}, const Wanted& wanted = {},
                        KnownManifests* known = nullptr);

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

// The files of a checkpoint, as its manifest lists them.
struct FileSizes {
  std::int64_t world_size = 1;
  bool is_of_many = false;                                  // each rank also has a part
  std::vector<std::pair<std::string, std::int64_t>> files;  // name, bytes
};
FileSizes sizes_of(const Manifest& manifest);
// Error(corrupt) unless the files exist with these sizes.
void check_sizes(storage::Storage& storage, const std::string& directory, const FileSizes& sizes);

// Error(corrupt) names the path.
Manifest parsed_manifest(const std::string& directory, const std::string& text);

// directory: a checkpoint's, "." for the storage's root itself.
std::string path_in(std::string_view directory, std::string_view file);

// Error(invalid_argument) unless name is "." or a path inside the storage.
void require_checkpoint_name(const std::string& name);

// A whole file as text; Error(corrupt) when it has more than largest bytes.
std::string read_text(storage::File& file, std::int64_t largest);

// The manifest as it is, unchecked; errors as those of read_manifest.
std::string manifest_text(storage::Storage& storage, const std::string& directory);

// Checks the text of a manifest, and that the files are there with their sizes. Error(corrupt). scanned: its manifest is taken when
// it is of the same text; it gets the path of the commit record, and what is damaged in that one.
Manifest checked_manifest(storage::Storage& storage, const std::string& directory, const std::string& text, Found& scanned);

// The same with the text that is there. Error(not_found) without a manifest.
Manifest read_manifest(storage::Storage& storage, const std::string& directory);

// What an error while reading a checkpoint says about it; errors that say nothing (out of memory, ...) are thrown again.
Condition condition_after(const base::Error& error);

// True while the manifest is the one that was read. A writer removes it before the files, and never makes it again: so an error in
// reading a file is the file's own only when the manifest is still there after it.
bool is_unchanged(storage::Storage& storage, const std::string& directory, const std::string& manifest);

// How an attempt to read a checkpoint ended.
enum class Outcome {
  done,
  failed,   // problem says why
  removed,  // by a writer, meanwhile: that says nothing about it
};

// Runs body, which reads a checkpoint whose manifest's text is, or by then has become, manifest.
template <class Body>
Outcome try_reading(storage::Storage& storage, const std::string& directory, const std::string& manifest, Found& problem,
                    Body&& body) {
  try {
    body();
    return Outcome::done;
  } catch (const base::ProgressFailed&) {
    throw;
  } catch (const base::Error& error) {
    problem.condition = condition_after(error);
    problem.status = error.status();
    problem.problem = error.message();
  }
  return is_unchanged(storage, directory, manifest) ? Outcome::failed : Outcome::removed;
}

// How often a reader begins anew because a writer removed what it was about to read. Each time the writer has saved something newer
// meanwhile; Error(busy) after that.
constexpr int most_rounds = 1000;
[[noreturn]] void fail_outrun(const storage::Storage& storage);

// Runs body(directory, manifest) for the checkpoint of that name; for "" the newest that has a manifest, chosen anew when a writer
// removes it meanwhile. Error(not_found) when there is none; damage is noted. Returns what is damaged in its commit record although
// the checkpoint is usable, and "" otherwise.
std::string read_one(storage::Storage& storage, const std::string& name,
                     const std::function<void(const std::string& directory, Manifest& manifest)>& body);

// Returns "; the newest abandoned one is ...", or "" when no complete checkpoint is abandoned. all: the result of scan.
std::string abandoned_hint(const std::vector<Found>& all);
// "there is no checkpoint", or none that is usable and what is wrong with the newest.
[[noreturn]] void fail_none(storage::Storage& storage, const std::vector<Found>& all, std::optional<std::int64_t> step = {});

// Runs body, which reads a file of a checkpoint; its errors name the path, and those that only damage explains become
// Error(corrupt).
template <class Body>
decltype(auto) reading(const std::string& path, Body&& body) {
  using base::Status;
  try {
    return body();
  } catch (const base::ProgressFailed&) {
    throw;
  } catch (const base::Error& error) {
    const Status status = error.status();
    const bool is_damage = status == Status::not_found || status == Status::invalid_argument || status == Status::out_of_range;
    base::fail(is_damage ? Status::corrupt : status, path, ": ", error.message());
  }
}

// Has what other machines did in a directory shown here. Network file systems may go by what they knew of a directory for a minute
// (nfs(5), acdirmax), until this machine itself changes it: so a file is made in it and removed. For writers, who hold the lock:
// what they see then stays so. What fails is left as it was seen.
void see_changes(storage::Storage& storage, const std::string& directory) noexcept;

bool has_manifest(storage::Storage& storage, const std::string& directory);

// Renames a directory without a manifest to "torn-..." and warns, with the reason. One that holds a manifest keeps its name,
// whatever else is known of it; so does one that cannot be listed or renamed.
void set_aside(storage::Storage& storage, const std::string& directory, const std::string& reason);

// Earlier versions renamed damaged checkpoints, too, and what they took for damaged: warns of each "torn-..." that holds a
// manifest.
void warn_of_those_aside(storage::Storage& storage) noexcept;

// Removes a checkpoint, its manifest first: whatever is left of it is no checkpoint. Goes on after an error; false when something
// stayed.
bool remove_checkpoint(storage::Storage& storage, const std::string& directory) noexcept;
// The same for one that scan has found; on an object store its commit record goes first.
bool remove_found(storage::Storage& storage, const Found& found) noexcept;

}  // namespace ckpt::state
