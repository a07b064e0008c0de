// A storage in memory that records every operation that changes something, and can die in the middle of one, as a process does.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "storage/storage.h"

namespace ckpt::tests {

enum class Kind {
  create,
  write,
  sync,
  rename,
  link,
  remove,
  make_directory,
  remove_directory,
  sync_directory,
  acknowledge,  // marker: from here on save number `save` must not be lost
  pin,          // marker: from here on save number `save` exists and is pinned
  watch,        // marker: crashes before it belong to another scenario
};

struct Operation {
  Kind kind{};
  std::string path;
  std::string to = {};  // rename, link
  std::int64_t offset = 0;
  std::string bytes = {};
  int save = 0;
};

using Log = std::vector<Operation>;

// "create step-.../model.safetensors.tmp1"
std::string to_text(const Operation& operation);

class Recorder {
 public:
  // Replaces the random digits of attempts by consecutive numbers, so that a scenario has the same states each time.
  void add(Operation operation);
  // Operations have no effect once this many more were recorded.
  void die_after(std::int64_t operations) { left_ = operations; }
  void revive() { left_ = std::numeric_limits<std::int64_t>::max(); }
  // Throws Error(io) if dead. changes: the operation counts.
  void require_alive(bool changes);
  // Skips the numbers of attempts that the disk contained before the log.
  void skip_attempts(int count) { attempts_ = count; }

  Log log;

 private:
  std::string canonical(std::string path) const;
  std::map<std::string, std::string> names_;
  int attempts_ = 0;
  std::int64_t left_ = std::numeric_limits<std::int64_t>::max();
};

class RecordingStorage final : public storage::Storage {
 public:
  RecordingStorage(std::shared_ptr<storage::Storage> inner, std::shared_ptr<Recorder> recorder)
      : inner_(std::move(inner)), recorder_(std::move(recorder)) {}

  std::unique_ptr<storage::File> create(const std::string& path) override;
  std::unique_ptr<storage::File> open(const std::string& path) override;
  void rename(const std::string& from, const std::string& to) override;
  bool link(const std::string& from, const std::string& to) override;
  void remove(const std::string& path) override;
  void remove_directory(const std::string& path) override;
  void make_directory(const std::string& path) override;
  void sync_directory(const std::string& path) override;
  std::vector<storage::Entry> list(const std::string& path) override;
  std::int64_t size(const std::string& path) override;
  std::unique_ptr<storage::Lock> lock(const std::string& path) override;
  const std::string& name() const override { return inner_->name(); }

 private:
  std::shared_ptr<storage::Storage> inner_;
  std::shared_ptr<Recorder> recorder_;
};

}  // namespace ckpt::tests
