// The part of one rank: a file next to its tensors that lists what the rank wrote. The part exists only when all these files are
// durable. The manifest has the checksums of the parts. docs/reference/file-format.md describes the bytes.
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

// What rank 0 has to know of a part to commit it, without reading all of it.
struct PartSummary {
  std::int64_t files = 0;
  std::int64_t file_bytes = 0;
  Digest layout;                         // of which blocks are in it
  std::vector<std::string> unlike = {};  // keys whose values are not rank 0's, or that only one of the two has
};

struct Part {
  std::int64_t rank = 0;
  std::int64_t world_size = 1;
  std::string attempt;                        // directory of the checkpoint
  std::map<std::string, std::string> values;  // those that are not rank 0's
  std::vector<std::string> absent;            // keys of rank 0 that this rank lacks
  std::vector<GroupRecord> groups;            // tensors: blocks, see TensorRecord::of
  PartSummary summary;
};

// Of which blocks a part has, whatever their bytes.
Digest layout_digest(const std::vector<GroupRecord>& groups);

std::string to_text(const Part& part);
// Error(corrupt) as parse_manifest's.
Part parse_part(std::string_view text);
// Reads one as the manifest vouches for it: Error(corrupt) unless it is that rank's and has the record's digest.
Part read_part(storage::Storage& storage, const std::string& directory, const Manifest& manifest, std::int64_t rank);

// The JSON values that a rank had: the manifest's, and its part's where they are others.
std::map<std::string, std::string> values_of_rank(storage::Storage& storage, const std::string& directory, const Manifest& manifest,
                                                  std::int64_t rank);

// What the last bytes of a part say; directory: of the checkpoint. Error(corrupt).
struct PartTail {
  PartRecord record;
  PartSummary summary;
};
PartTail read_part_tail(storage::Storage& storage, const std::string& directory, std::int64_t rank, std::int64_t world_size);

}  // namespace ckpt::state
