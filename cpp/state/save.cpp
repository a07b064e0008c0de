#include "state/save.h"

#include <optional>

#include "base/error.h"
#include "base/log.h"
#include "base/version.h"
#include "state/catalog.h"
#include "state/file_saver.h"
#include "storage/rate_limit.h"

namespace ckpt::state {
namespace {

using base::cat;

// Returns nothing if there is none or it cannot be read; then all files are written.
std::optional<Earlier> read_earlier(Protocol& protocol, const std::string& latest) {
  if (latest.empty()) return std::nullopt;
  try {
    return Earlier{latest, read_manifest(protocol, latest).groups};
  } catch (const base::Error& error) {
    base::warn("state", cat("checkpoint ", base::quote(latest), " cannot be used for links: ", error.message()));
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

SaveResult write_checkpoint(Protocol& protocol, const State& state, const SaveOptions& options, const std::string& latest,
                            SaveSource& source) {
  const std::int64_t commit_sequence = protocol.next_sequence();
  storage::require_running(source.stop.get());
  const bool may_link = protocol.has_links() && !state.rarely_changing().empty();
  const std::optional<Earlier> earlier = read_earlier(protocol, may_link ? latest : "");
  FileSaver(protocol, "", source).require_space(state, options.step, earlier);
  AcceptedSave* const accepted = options.accepted.get();
  const LineMark mark = accepted == nullptr ? LineMark() : accepted->mark();
  FileSaver files(protocol, protocol.begin_attempt(options.prefix, options.step, mark), source);
  try {
    Manifest manifest = manifest_of(state, options, commit_sequence);
    manifest.groups = files.write(state, earlier);
    if (accepted != nullptr) manifest.line = accepted->line_at(commit_sequence);
    const std::int64_t repeated = protocol.commit(files.directory(), manifest, source);
    if (accepted != nullptr) accepted->note_committed(files.directory(), commit_sequence);
    const std::int64_t bytes = total_bytes(manifest);
    SaveResult result{files.directory(),
                      options.step,
                      commit_sequence,
                      std::ssize(manifest.groups),
                      bytes,
                      files.linked(),
                      files.rewritten() + repeated,
                      bytes};
    result.metric_ignored = options.metric_ignored;
    if (accepted != nullptr) {
      result.generation = accepted->generation();
      result.rolled_back = accepted->rolled_back();
    }
    return result;
  } catch (...) {
    protocol.discard(files.directory(), false);
    // A second writer renames an attempt that looks unfinished when it opens. Report that reason instead of the missing file.
    protocol.require_writer();
    throw;
  }
}

}  // namespace ckpt::state
