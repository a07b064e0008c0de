// Options and result of a save.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/status.h"
#include "state/lineage.h"

namespace ckpt::state {

struct SaveOptions {
  std::int64_t step = 0;
  std::uint64_t seed = 0;
  std::string metadata_json = "null";
  std::string environment_json = "null";
  std::string prefix = {};                      // of the directory's name, see require_prefix
  std::optional<double> metric = {};            // finite in checked options
  bool metric_ignored = false;                  // the caller's metric was not finite
  std::int64_t saved_utc_ns = 0;                // since 1970; 0: not known
  bool incremental = true;                      // link unchanged files of groups that rarely change
  bool check_replicas = false;                  // several ranks: compare replicated data first
  std::shared_ptr<AcceptedSave> accepted = {};  // generation of the save; set when the save is accepted
};

struct SaveResult {
  std::string name;
  std::int64_t step = 0;
  std::int64_t commit_sequence = 0;
  std::int64_t files = 0;       // without the manifest
  std::int64_t bytes = 0;       // of the files
  std::int64_t linked = 0;      // number of files linked because they had not changed
  std::int64_t rewritten = 0;   // number of files written again because their sync failed
  std::int64_t rank_bytes = 0;  // bytes of this rank's files
  std::int64_t generation = 0;
  bool rolled_back = false;  // the generation begins with this save
  bool metric_ignored = false;
  // Failures of earlier background tasks of the storage; see Unreported.
  std::int64_t unreported_failures = 0;
  base::Status unreported_status = base::Status::ok;
  std::string unreported_error = {};
};

}  // namespace ckpt::state
