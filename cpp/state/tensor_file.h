// Reads, verifies and copies a group's safetensors file with checksums. tensor_writer.h writes it.
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

// Returns the group's tensors that are in one of its files.
std::vector<const TensorRecord*> tensors_of(const GroupRecord& group, const FileRecord& file);

// Maps a header's tensors to their records. Written files have both in the same order; others are looked up by name. Refers to the
// constructor's arguments.
class RecordsOf {
 public:
  RecordsOf(const Header& header, std::span<const TensorRecord* const> tensors);
  // entry: index in the header. Returns nullptr if the tensor is not recorded.
  const TensorRecord* operator[](std::size_t entry) const;

 private:
  const Header& header_;
  std::span<const TensorRecord* const> tensors_;
  std::optional<NameTable> by_name_;
};

// Copies a file to an empty one; Error(corrupt) unless the copied bytes have the recorded digest.
void copy_file(storage::File& from, storage::File& to, const FileRecord& record);

// Reads a file's header and checks that it contains exactly these tensors, in any order, and has the recorded size. Error(corrupt).
Header read_recorded_header(storage::File& file, const FileRecord& record, std::span<const TensorRecord* const> tensors);

// Fills bytes; Error(corrupt) if the file has become shorter.
void read_exactly(storage::File& file, std::int64_t offset, std::span<std::byte> bytes);
// Error(corrupt), naming the tensor, unless digest is the recorded one of the chunk.
void require_digest(const TensorRecord& record, std::size_t chunk, const Digest& digest);

// The location of a tensor's bytes in its file, their record, and their conversion.
struct TensorPlace {
  std::int64_t offset = 0;  // from the start of the file
  std::int64_t bytes = 0;
  const TensorRecord* record = nullptr;
  bool is_checked = true;
  Converter convert = nullptr;  // nullptr: no conversion
  tensor::Dtype to{};           // target type of the conversion
};

// Receives the progress of a read.
struct ReadProgress {
  base::Progress& of;
  std::int64_t passes = 1;  // number of passes that this read counts as

  void add(std::size_t bytes) const { of.add(passes * static_cast<std::int64_t>(bytes)); }
};

// Reads one chunk of a tensor, 0 <= chunk < chunk_count of its bytes, to its position in destination, which has room for the whole
// tensor; nullptr: only checks it. On a checksum error destination has already been written. Returns the index of the tensor's
// first element that cannot be converted, -1 if this chunk contains none.
std::int64_t read_chunk(storage::File& file, const TensorPlace& place, std::int64_t chunk, std::byte* destination,
                        const ReadProgress& progress);

// Reads the whole file and checks everything. Error(corrupt) names the first bad tensor. progress: counts each byte; may be
// nullptr.
void verify_tensor_file(storage::File& file, const FileRecord& record, std::span<const TensorRecord* const> tensors,
                        base::Progress* progress = nullptr);

}  // namespace ckpt::state
