// Commit records: on an object store, what makes a manifest count. docs/format.md has their names, their bytes, and who wins.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "state/hash.h"
#include "storage/storage.h"

namespace ckpt::state {

inline constexpr std::string_view commits_prefix = "commits/";
inline constexpr std::string_view probes_prefix = "probes/";

struct CommitRecord {
  std::string attempt;  // its directory; "": of a checkpoint that was removed, only the sequence stays taken
  std::int64_t step = 0;
  std::int64_t commit_sequence = 0;
  Digest manifest_digest;
  std::string writer;  // random: of one object that saves
};

std::string to_text(const CommitRecord& record);
// Error(corrupt); Error(unsupported) for what a newer library wrote.
CommitRecord parse_commit_record(std::string_view text);

// Higher sequences come first in the order of names. attempt "": the name that all writers of this sequence want.
std::string commit_path(std::int64_t commit_sequence, std::string_view attempt = "");
// The sequence when path is of either form, else nothing.
std::optional<std::int64_t> sequence_of_commit(std::string_view path);

std::string read_commit_text(storage::Storage& storage, const std::string& path);
// Whole at once, in the place of what is there.
void write_object(storage::Storage& storage, const std::string& path, std::string_view text);

// Where the record of a manifest is; directory: the checkpoint's, not ".". Error(not_found) when it has none, Error(corrupt) when
// it is of another manifest's bytes. by_attempt: which of the two names is looked at first.
std::string find_commit_record(storage::Storage& storage, const std::string& directory, std::int64_t commit_sequence,
                               const Digest& manifest_digest, bool by_attempt = false);

}  // namespace ckpt::state
