// A group's tensors as one safetensors file with checksums: read back, verified, copied. tensor_writer.h writes it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/progress.h"
#include "state/convert.h"
#include "state/manifest.h"
#include "state/name_table.h"
#include "state/safetensors.h"
#include "storage/storage.h"

namespace ckpt::state {

// Those of a group's tensors that are in one of its files.
std::vector<const TensorRecord*> tensors_of(const GroupRecord& group, const FileRecord& file);

// The records of a header's tensors. Files that are written here have both in the same order; others are looked up by name. Refers
// to what it was made of.
class RecordsOf {
 public:
  RecordsOf(const Header& header, std::span<const TensorRecord* const> tensors);
  // Of a tensor by its number in the header; nullptr when it is not recorded.
  const TensorRecord* operator[](std::size_t entry) const;

 private:
  const Header& header_;
  std::span<const TensorRecord* const> tensors_;
  std::optional<NameTable> by_name_;
};

// Copies a file to an empty one; Error(corrupt) unless the bytes that were copied have the record's digest.
void copy_file(storage::File& from, storage::File& to, const FileRecord& record);

// Reads a file's header and makes sure that it holds exactly these tensors, in any order, and has the size recorded.
// Error(corrupt).
Header read_recorded_header(storage::File& file, const FileRecord& record, std::span<const TensorRecord* const> tensors);

// Fills bytes, or Error(corrupt): the file is shorter than it was.
void read_exactly(storage::File& file, std::int64_t offset, std::span<std::byte> bytes);
// Error(corrupt) that names the tensor, unless the record has this digest for a chunk.
void require_digest(const TensorRecord& record, std::size_t chunk, const Digest& digest);

// Where a tensor's bytes lie in its file, what they must be, and what becomes of them.
struct TensorPlace {
  std::int64_t offset = 0;  // from the start of the file
  std::int64_t bytes = 0;
  const TensorRecord* record = nullptr;
  bool is_checked = true;
  Converter convert = nullptr;  // nullptr: they stay what they are
  tensor::Dtype to{};           // what they are converted to
};

// Whom a reading tells of its bytes.
struct ReadProgress {
  base::Progress& of;
  std::int64_t passes = 1;  // as how many passes over a byte this reading counts

  void add(std::size_t bytes) const { of.add(passes * static_cast<std::int64_t>(bytes)); }
};

// Reads one chunk of a tensor, 0 <= chunk < chunk_count of its bytes, to its place in destination, which has room for the whole
// tensor; nullptr: only looks at it. Checks what has come by then, in destination or not. Returns the number of the tensor's first
// element that cannot be converted, -1 when there is none in this chunk.
std::int64_t read_chunk(storage::File& file, const TensorPlace& place, std::int64_t chunk, std::byte* destination,
                        const ReadProgress& progress);

// Reads the whole file and checks everything. Error(corrupt) names the first bad tensor. progress: told of each byte; may be
// nullptr.
void verify_tensor_file(storage::File& file, const FileRecord& record, std::span<const TensorRecord* const> tensors,
                        base::Progress* progress = nullptr);

}  // namespace ckpt::state
