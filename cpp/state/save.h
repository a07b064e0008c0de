// One save: a new directory, its files, and the manifest that commits them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/progress.h"
#include "base/status.h"
#include "state/committer.h"
#include "state/lineage.h"
#include "state/manifest.h"
#include "state/state.h"
#include "state/tensor_writer.h"
#include "storage/storage.h"

namespace ckpt::state {

struct SaveOptions {
  std::int64_t step = 0;
  std::uint64_t seed = 0;
  std::string metadata_json = "null";
  std::string environment_json = "null";
  std::string prefix = {};                      // of the directory's name, see require_prefix
  std::optional<double> metric = {};            // finite in checked options
  bool metric_ignored = false;                  // the metric given was not finite
  std::int64_t saved_utc_ns = 0;                // since 1970; 0: not known
  bool incremental = true;                      // unchanged files of groups that rarely change are linked
  bool check_replicas = false;                  // of many ranks: what all have is compared first
  std::shared_ptr<AcceptedSave> accepted = {};  // its generation; set when the save is accepted
};

struct SaveResult {
  std::string name;
  std::int64_t step = 0;
  std::int64_t commit_sequence = 0;
  std::int64_t files = 0;       // the manifest not counted
  std::int64_t bytes = 0;       // of the files
  std::int64_t linked = 0;      // files of those that were not written because nothing in them had changed
  std::int64_t rewritten = 0;   // files that were written anew because their sync had failed
  std::int64_t rank_bytes = 0;  // of the files that this rank made
  std::int64_t generation = 0;
  bool rolled_back = false;  // the generation begins with this save
  bool metric_ignored = false;
  // Failures of earlier background tasks of the storage; see Unreported.
  std::int64_t unreported_failures = 0;
  base::Status unreported_status = base::Status::ok;
  std::string unreported_error = {};
};

// Where the bytes of a save come from, and who may stop it. This one takes them from the tensors and is never stopped.
class SaveSource {
 public:
  virtual ~SaveSource() = default;
  // What the file of a group will have.
  virtual std::int64_t file_bytes(const StateGroup& group);
  // Writes a group of the state that is being saved to an empty file; again when its sync failed.
  virtual WrittenFile write(storage::File& file, const std::string& file_name, const StateGroup& group);
  // True when the group's tensors have the bytes that were recorded earlier.
  virtual bool holds_same(const GroupRecord& recorded, const StateGroup& group);
  // All files are written; what comes next commits. May throw Error(cancelled): the save leaves nothing behind then.
  virtual void commit_point() {}
  // The checkpoint is durable.
  virtual void acknowledged() {}
  // Error(cancelled) at the next chunk once it is true; may be nullptr.
  std::shared_ptr<const std::atomic<bool>> stop;
  // Told of the tensors' bytes that are written or linked, all of them before the commit; may be nullptr.
  base::Progress* progress = nullptr;
};

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
