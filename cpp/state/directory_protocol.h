// Checkpoints as directories of a file system.
//
// Files are written under temporary names, synced and renamed. The rename of the manifest commits: it is atomic in POSIX, and the
// manifest is written only after the names of all other files are durable. A lock on the storage excludes a second writer; on file
// systems without working locks, Ownership detects one.
// The manifest lists all files with their sizes and checksums, so a load can also detect files that were lost or changed after the
// commit.
#pragma once

#include <memory>

#include "state/known_manifests.h"
#include "state/leftovers.h"
#include "state/ownership.h"
#include "state/protocol.h"

namespace ckpt::state {

class DirectoryProtocol final : public Protocol {
 public:
  using Protocol::Protocol;

  bool has_links() const noexcept override { return true; }
  void refresh(const std::string& directory) noexcept override;
  std::string marker_path(std::string_view name) const override;
  std::vector<std::string> markers(const std::string& prefix) override;
  void remove_markers() override;

  std::vector<Found> list(const std::set<std::string>& bad, const Wanted& wanted) override;
  void note_pins(std::span<Found> all) override;
  bool is_pinned_by_now(const std::string& directory) override;
  FoundRecord require_committed(const std::string& directory, const std::string& text, const Manifest& manifest) override;
  void require_whole(const std::string& directory, const std::string& text, const Manifest& manifest, bool is_listed,
                     Found& found) override;
  std::optional<std::int64_t> committed_sequence(const std::string& attempt) override;
  std::string ignored_hint() override;

  std::optional<std::vector<Found>> open(bool removes_old) override;
  void require_writer() override;
  bool is_above_all(std::int64_t) const noexcept override { return false; }  // open has listed all checkpoints: the line is known
  std::int64_t next_sequence() override;
  std::string begin_attempt(const std::string& prefix, std::int64_t step, const LineMark& mark) override;
  std::int64_t commit(const std::string& attempt, const Manifest& manifest, SaveSource& source) override;
  void discard(const std::string& attempt, bool is_shared) noexcept override;

  std::vector<Found> list_to_retain() override;
  bool may_remove(const std::string& name) override;
  bool remove(const Found& found, std::optional<base::Error>* first) noexcept override;
  void remove_unfinished(const std::vector<Found>& all, std::int64_t saved_step) override;
  void retry_leftovers() noexcept override;

 protected:
  std::string written_name(const std::string& path, int number) const override;

 private:
  std::unique_ptr<Ownership> ownership_;  // set by open
  std::int64_t next_sequence_ = 1;
  Leftovers leftovers_;
  KnownManifests known_;  // manifests that retention has read
};

}  // namespace ckpt::state
