// Commit protocol of a storage: how files become durable, and how checkpoints are committed, found, pinned and removed.
//
// Problem: a save writes many files, the process or machine can fail at any point, and another process can save to the same
// storage. A load must never find a checkpoint that is incomplete, and an acknowledged checkpoint must survive. Scheme: each save
// writes into its own directory (an attempt). One last atomic step commits it; nothing before that step is visible to loads, and
// removal starts by undoing that step. Both storage types need a different atomic step:
// - Directories (directory_protocol.h): the rename of the manifest commits; a lock excludes a second writer.
// - Object stores (object_protocol.h): they have neither rename nor locks. The conditional put of a commit record commits, and a
//   writer that was overtaken by another one gets an error.
// A single "latest" pointer file is not used: concurrent writers would overwrite each other's, and its damage would hide all
// checkpoints. docs/explanation/commit-protocol.md explains both protocols;
// docs/reference/file-format.md specifies them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "state/commit_record.h"
#include "state/found.h"
#include "state/line.h"
#include "state/manifest.h"
#include "storage/storage.h"

namespace ckpt::state {

class SaveSource;

class Protocol {
 public:
  explicit Protocol(std::shared_ptr<storage::Storage> storage) : storage_(std::move(storage)) {}
  virtual ~Protocol() = default;
  Protocol(const Protocol&) = delete;
  Protocol& operator=(const Protocol&) = delete;

  storage::Storage& storage() const noexcept { return *storage_; }
  const std::shared_ptr<storage::Storage>& shared_storage() const noexcept { return storage_; }

  // ---- Files: any process, any thread ----

  using Write = std::function<void(storage::File& file)>;
  // Writes a file and returns when its bytes are durable. The name must be made durable separately, by sync_directory. After a
  // failed sync the bytes may be lost although the next sync succeeds, so write is called again for a new file. Returns the number
  // of such repetitions. before_naming: called when the bytes are durable and, in a directory, not yet visible under path. If it
  // throws, the file does not get its name.
  std::int64_t place(const std::string& path, const storage::StreamOptions& options, const Write& write,
                     const std::function<void()>& before_naming = {});
  std::int64_t place_text(const std::string& path, const std::string& text, const std::function<void()>& before_naming = {});
  // Returns whether a file can get a second name without a copy of its bytes.
  virtual bool has_links() const noexcept = 0;
  // Makes changes by other machines visible: a directory listing can be up to a minute old (nfs(5), acdirmax). Ignores errors. For
  // writers and waiting ranks.
  virtual void refresh(const std::string& directory) noexcept = 0;

  // Marker files of a group of ranks. They exist only during one call; remove_markers removes those of killed processes.
  virtual std::string marker_path(std::string_view name) const = 0;
  // Returns the paths of existing markers. prefix: the beginning of such a path.
  virtual std::vector<std::string> markers(const std::string& prefix) = 0;
  virtual void remove_markers() = 0;

  // ---- Finding: any process, any thread ----

  // Returns all attempts in the order in which a load tries them: the current line, then abandoned ones. A writer can change the
  // storage during the call: if the result contains no complete checkpoint of the line outside bad, none existed at one moment of
  // the call. An object store is examined only as far as wanted requires; a file system completely.
  virtual std::vector<Found> list(const std::set<std::string>& bad, const Wanted& wanted) = 0;
  std::vector<Found> list() { return list({}, {}); }
  // Sets pinned of each result of list.
  virtual void note_pins(std::span<Found> all) = 0;
  // Returns whether another machine has pinned a checkpoint that list returned without a pin. Returns true if uncertain.
  virtual bool is_pinned_by_now(const std::string& directory) = 0;
  // Error(not_found) unless the manifest with this text is committed. Returns its record; an empty one in directories.
  virtual FoundRecord require_committed(const std::string& directory, const std::string& text, const Manifest& manifest) = 0;
  // The same, and Error(corrupt) unless the files have their recorded sizes. found: receives the path of the record and its damage.
  // is_listed: list has just returned found with this manifest.
  virtual void require_whole(const std::string& directory, const std::string& text, const Manifest& manifest, bool is_listed,
                             Found& found) = 0;
  // Returns the commit sequence of a committed attempt, and makes the commit durable: the committing process may have been killed
  // before it did so. Returns nothing if the attempt is not committed.
  virtual std::optional<std::int64_t> committed_sequence(const std::string& attempt) = 0;
  // Returns a suffix such as "; links, which are not followed: 2" for messages about a listing without checkpoints.
  virtual std::string ignored_hint() { return ""; }

  // ---- Writing: after open, one call at a time ----

  // Makes this process the writer. Error(busy) names another writer. If a lock was acquired, also sets unfinished attempts aside,
  // makes the newest commit durable, and returns the checkpoints. removes_old: list_to_retain will be called.
  virtual std::optional<std::vector<Found>> open(bool removes_old) = 0;
  // Error(busy) if another writer has taken over. Any thread.
  virtual void require_writer() = 0;
  // Returns whether step exceeds the steps of all attempts that existed at open; false if they are not known. Any thread.
  virtual bool is_above_all(std::int64_t step) const noexcept = 0;
  // Returns the sequence of the next commit. A failed attempt keeps its number: if it reappears after a crash, it is older than the
  // next one.
  virtual std::int64_t next_sequence() = 0;
  // Creates an attempt with a unique name and returns the name.
  virtual std::string begin_attempt(const std::string& prefix, std::int64_t step, const LineMark& mark) = 0;
  // Commits the files of an attempt, which are durable under their names. Returns the number of repetitions of place when the
  // checkpoint is durable. Calls source.commit_point before the first step that cannot be undone reliably.
  virtual std::int64_t commit(const std::string& attempt, const Manifest& manifest, SaveSource& source) = 0;
  // Removes the files of a failed save unless it may be committed. Logs failures. is_shared: other ranks may have seen the commit,
  // so an attempt with a manifest is kept.
  virtual void discard(const std::string& attempt, bool is_shared) noexcept = 0;

  // Returns list() for retention after an acknowledged save. Error(busy) if another writer has committed.
  virtual std::vector<Found> list_to_retain() = 0;
  // Returns whether this writer may remove a checkpoint. False for those of a second writer that the lock does not exclude.
  virtual bool may_remove(const std::string& name) = 0;
  // Removes a checkpoint, its manifest or commit record first, so that no load finds a partial checkpoint. Continues after an
  // error. Returns false if files remain; retry_leftovers tries again. first: receives the first error; nullptr: not wanted.
  virtual bool remove(const Found& found, std::optional<base::Error>* first) noexcept = 0;
  // Removes unfinished attempts that no running writer can commit. all: the result of list_to_retain. saved_step: step of the save
  // just acknowledged; attempts with higher steps are kept.
  virtual void remove_unfinished(const std::vector<Found>& all, std::int64_t saved_step) = 0;
  virtual void retry_leftovers() noexcept = 0;

 protected:
  // Returns the name under which place writes its nth file, counted from 1; path itself where a file is visible only when durable.
  virtual std::string written_name(const std::string& path, int number) const = 0;
  // Creates a directory for an attempt. mark: part of its name.
  std::string make_attempt(const std::string& prefix, std::int64_t step, const LineMark& mark);

 private:
  const std::shared_ptr<storage::Storage> storage_;
};

// Returns the text of a manifest to commit; Error(out_of_range) if it is too large.
std::string text_to_commit(const Manifest& manifest);

}  // namespace ckpt::state
