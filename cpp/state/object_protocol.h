// Checkpoints as objects of an object store, where an object is visible only when it is complete.
//
// Object stores have neither an atomic rename nor locks that are released when a process is killed. Therefore a save writes its
// files and its manifest, and then commits them with a small commit record "commits/<2^63 - 1 - sequence>" (Committer). The put of
// the record is conditional: of several writers with the same sequence one succeeds, the others fail with BUSY and are fenced.
// Records sort newest first, so one listing request finds the newest checkpoint. A lock object with a lease is not used: a paused
// writer cannot know that its lease has expired, so it could still overwrite the checkpoints of its successor.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "state/committer.h"
#include "state/leftovers.h"
#include "state/object_catalog.h"
#include "state/protocol.h"

namespace ckpt::state {

class ObjectProtocol final : public Protocol {
 public:
  ObjectProtocol(std::shared_ptr<storage::Storage> storage, storage::Sleep sleep)
      : Protocol(std::move(storage)), sleep_(std::move(sleep)) {}

  bool has_links() const noexcept override { return false; }
  void refresh(const std::string&) noexcept override {}  // every request returns the current state
  std::string marker_path(std::string_view name) const override;
  std::vector<std::string> markers(const std::string& prefix) override;
  void remove_markers() override {}  // done by remove_unfinished: another group may be opening

  std::vector<Found> list(const std::set<std::string>& bad, const Wanted& wanted) override;
  void note_pins(std::span<Found>) override {}  // list has set them
  bool is_pinned_by_now(const std::string&) override { return false; }
  FoundRecord require_committed(const std::string& directory, const std::string& text, const Manifest& manifest) override;
  void require_whole(const std::string& directory, const std::string& text, const Manifest& manifest, bool is_listed,
                     Found& found) override;
  std::optional<std::int64_t> committed_sequence(const std::string& attempt) override;

  std::optional<std::vector<Found>> open(bool removes_old) override;
  void require_writer() override;
  bool is_above_all(std::int64_t step) const noexcept override { return highest_step_ && step > *highest_step_; }
  std::int64_t next_sequence() override { return committer_->next_sequence(); }
  std::string begin_attempt(const std::string& prefix, std::int64_t step, const LineMark& mark) override;
  std::int64_t commit(const std::string& attempt, const Manifest& manifest, SaveSource& source) override;
  void discard(const std::string& attempt, bool is_shared) noexcept override;

  std::vector<Found> list_to_retain() override;
  bool may_remove(const std::string&) override { return true; }
  bool remove(const Found& found, std::optional<base::Error>* first) noexcept override;
  void remove_unfinished(const std::vector<Found>& all, std::int64_t saved_step) override;
  void retry_leftovers() noexcept override;

 protected:
  std::string written_name(const std::string& path, int) const override { return path; }

 private:
  bool remove_uncommitted(const std::string& directory);
  void note_seen(const StoreListing& listing);

  storage::Sleep sleep_;
  std::unique_ptr<Committer> committer_;  // set by open
  // See is_above_all. -1: no attempt existed; nothing: not known, or an attempt belongs to generation 1 or higher.
  std::optional<std::int64_t> highest_step_;
  std::set<std::string> seen_;  // attempts, records and probes listed before the current save
  StoreListing listing_;        // result of list_to_retain
  ExaminedBefore before_;
  std::string reason_to_wait_;  // the reason why no unfinished attempt was removed last time, logged once
  Leftovers leftovers_;
};

}  // namespace ckpt::state
