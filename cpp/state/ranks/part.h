// The part of one rank: a file next to its tensors that lists the files written by the rank. It is written only after all these
// files are durable. The manifest contains the checksums of the parts. docs/reference/file-format.md specifies the bytes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "state/manifest.h"
#include "state/placement_text.h"
#include "storage/storage.h"

namespace ckpt::state {

// The information that rank 0 needs for the commit, without reading the whole part.
struct PartSummary {
  std::int64_t files = 0;
  std::int64_t file_bytes = 0;
  Digest layout;                         // digest of the list of its blocks
  std::vector<std::string> unlike = {};  // keys with values that differ from rank 0's, or that only one of the two has
};

struct Part {
  std::int64_t rank = 0;
  std::int64_t world_size = 1;
  std::string attempt;                        // directory of the checkpoint
  std::map<std::string, std::string> values;  // values that differ from rank 0's
  std::vector<std::string> absent;            // keys of rank 0 that this rank lacks
  std::vector<GroupRecord> groups;            // tensors: blocks, see TensorRecord::of
  PartSummary summary;
};

// Returns a digest of the list of a part's blocks, independent of their bytes.
Digest layout_digest(const std::vector<GroupRecord>& groups);

std::string to_text(const Part& part);
// Error(corrupt) like parse_manifest.
Part parse_part(std::string_view text);
// Reads a part. Error(corrupt) unless it is that of the rank and has the digest in the manifest.
Part read_part(storage::Storage& storage, const std::string& directory, const Manifest& manifest, std::int64_t rank);

// Returns the JSON values of a rank: the manifest's, replaced by those of its part that differ.
std::map<std::string, std::string> values_of_rank(storage::Storage& storage, const std::string& directory, const Manifest& manifest,
                                                  std::int64_t rank);

// The contents of the last bytes of a part; directory: the checkpoint's. Error(corrupt).
struct PartTail {
  PartRecord record;
  PartSummary summary;
};
PartTail read_part_tail(storage::Storage& storage, const std::string& directory, std::int64_t rank, std::int64_t world_size);

}  // namespace ckpt::state
