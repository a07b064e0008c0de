#include "state/manifest.h"

#include "base/error.h"

namespace ckpt::state {

std::int64_t chunk_count(std::int64_t bytes, std::int64_t bytes_of_chunk) {
  return bytes / bytes_of_chunk + (bytes % bytes_of_chunk != 0 ? 1 : 0);
}

Box box_of(const TensorRecord& block) {
  return {block.offsets.empty() ? Lengths(block.shape.size(), 0) : block.offsets, block.shape};
}

std::int64_t file_count(const Manifest& manifest) {
  std::int64_t files = manifest.part_files;
  for (const GroupRecord& group : manifest.groups) files += std::ssize(group.files);
  return files;
}

std::int64_t total_bytes(const Manifest& manifest) {
  std::int64_t total = manifest.part_file_bytes;
  for (const GroupRecord& group : manifest.groups) {
    for (const FileRecord& file : group.files) {
      if (__builtin_add_overflow(total, file.bytes, &total))
        base::fail(base::Status::corrupt, "the manifest's files exceed INT64_MAX bytes");
    }
  }
  return total;
}

}  // namespace ckpt::state
