#include "state/save.h"

#include <optional>

#include "base/error.h"
#include "base/log.h"
#include "base/version.h"
#include "state/catalog.h"
#include "state/committer.h"
#include "state/file_saver.h"
#include "state/leftovers.h"
#include "state/manifest_text.h"
#include "state/name.h"
#include "state/ownership.h"
#include "storage/rate_limit.h"

namespace ckpt::state {
namespace {

using base::cat;
using base::Status;

// Nothing when there is none or it cannot be read: everything is written then.
std::optional<Earlier> read_earlier(storage::Storage& storage, const std::string& latest) {
  if (latest.empty()) return std::nullopt;
  try {
    return Earlier{latest, read_manifest(storage, latest).groups};
  } catch (const base::Error& error) {
    base::warn("state", cat("checkpoint ", base::quote(latest), " cannot be linked from: ", error.message()));
    return std::nullopt;
  }
}

}  // namespace

Manifest manifest_of(const State& state, const SaveOptions& options, std::int64_t commit_sequence) {
  Manifest manifest;
  manifest.library_version = base::version_text();
  manifest.step = options.step;
  manifest.commit_sequence = commit_sequence;
  manifest.seed = options.seed;
  manifest.saved_utc_ns = options.saved_utc_ns;
  manifest.metric = options.metric;
  manifest.metadata = options.metadata_json;
  manifest.environment = options.environment_json;
  manifest.values = state.values();
  return manifest;
}

void commit(storage::Storage& storage, FileSaver& files, const Manifest& manifest, SaveSource& source, const Writer& writer) {
  const std::string text = to_text(manifest);
  if (static_cast<std::int64_t>(text.size()) > largest_manifest_bytes) {
    base::fail(Status::out_of_range, "the manifest would have ", text.size(), " bytes; at most ", largest_manifest_bytes);
  }
  // Only object stores show the line in the directory's name; elsewhere a file shows it, even if the manifest is damaged later.
  if (manifest.line != nullptr && manifest.line->generation > 0 && !storage.is_objects()) files.write_mark(mark_of(*manifest.line));
  // The files' names are durable before the manifest that vouches for them can be.
  storage.sync_directory(files.directory());
  source.commit_point();
  // From here on nothing stops it: half a commit could not be taken back with certainty.
  files.write_text(manifest_name, text, [&] {
    if (writer.ownership != nullptr) writer.ownership->require_held();
  });
  if (writer.committer != nullptr)
    return writer.committer->commit({files.directory(), manifest.step, manifest.commit_sequence, hash_of(text), ""});
  storage.sync_directory(files.directory());
  storage.sync_directory("");
}

SaveResult write_checkpoint(storage::Storage& storage, const State& state, const SaveOptions& options, std::int64_t commit_sequence,
                            const std::string& latest, SaveSource& source, const Writer& writer) {
  storage::require_running(source.stop.get());
  const std::optional<Earlier> earlier = read_earlier(storage, state.rarely_changing().empty() ? "" : latest);
  FileSaver(storage, "", source).require_space(state, options.step, earlier);
  AcceptedSave* const accepted = options.accepted.get();
  const LineMark mark = accepted == nullptr ? LineMark() : accepted->mark();
  FileSaver files(storage, make_attempt(storage, options.prefix, options.step, mark), source);
  try {
    if (writer.ownership != nullptr) writer.ownership->note_own(files.directory());
    Manifest manifest = manifest_of(state, options, commit_sequence);
    manifest.groups = files.write(state, earlier);
    if (accepted != nullptr) manifest.line = accepted->line_at(commit_sequence);
    commit(storage, files, manifest, source, writer);
    if (accepted != nullptr) accepted->note_committed(files.directory(), commit_sequence);
    const std::int64_t bytes = total_bytes(manifest);
    SaveResult result{files.directory(), options.step, commit_sequence, std::ssize(manifest.groups), bytes, files.linked(),
                      files.rewritten(), bytes};
    result.metric_ignored = options.metric_ignored;
    if (accepted != nullptr) {
      result.generation = accepted->generation();
      result.rolled_back = accepted->rolled_back();
    }
    return result;
  } catch (...) {
    const bool is_clean =
        writer.committer != nullptr ? writer.committer->discard(files.directory()) : remove_checkpoint(storage, files.directory());
    if (!is_clean) {
      base::warn("state", cat("what the failed save wrote to ", base::quote(files.directory()), " could not be removed"));
      if (writer.leftovers != nullptr) writer.leftovers->note(files.directory());
    }
    // A second writer renames what looks like a cut-off save when it opens: then that is the reason, and not the file that is gone.
    if (writer.ownership != nullptr) writer.ownership->require_held();
    throw;
  }
}

}  // namespace ckpt::state
