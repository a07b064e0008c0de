// Writes the files of one save, each durable under its name. Used by single-process saves and by each rank of sharded saves.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "state/manifest.h"
#include "state/protocol.h"
#include "state/save_source.h"
#include "state/state.h"

namespace ckpt::state {

// The checkpoint from which unchanged files are linked.
struct Earlier {
  std::string directory;
  std::vector<GroupRecord> groups;
};

class FileSaver {
 public:
  // Returns the name of a group's file from its name in a single-process save.
  using Rename = std::function<std::string(const std::string& group_file)>;

  FileSaver(Protocol& protocol, std::string directory, SaveSource& source, const Rename& rename = {});

  // Error(no_space) if the storage reports fewer free bytes than will be written.
  void require_space(const State& state, std::int64_t step, const std::optional<Earlier>& earlier);
  // Writes the state's groups; links those from earlier that have not changed. Reports all bytes as progress.
  std::vector<GroupRecord> write(const State& state, const std::optional<Earlier>& earlier);
  void write_text(std::string_view file_name, const std::string& text);

  const std::string& directory() const noexcept { return directory_; }
  std::int64_t linked() const noexcept { return linked_; }
  std::int64_t rewritten() const noexcept { return rewritten_; }  // files written again because their sync failed

 private:
  std::string path(std::string_view file_name) const;
  std::string file_name_of(const StateGroup& group, std::set<std::string>& used) const;
  GroupRecord write_group(const StateGroup& group, const std::string& file_name);
  void link_or_copy(const std::string& from, const std::string& to, const GroupRecord& group);
  std::optional<GroupRecord> reuse_group(const State& state, const StateGroup& group, const std::string& file_name,
                                         const Earlier& earlier);
  std::int64_t written_bytes(const State& state, const std::optional<Earlier>& earlier);

  Protocol& protocol_;
  storage::Storage& storage_;
  const std::string directory_;
  SaveSource& source_;
  const Rename rename_;
  std::int64_t linked_ = 0;
  std::int64_t rewritten_ = 0;
};

}  // namespace ckpt::state
