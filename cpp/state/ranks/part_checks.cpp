#include "state/ranks/part_checks.h"

#include "state/checkpoint_files.h"
#include "state/ranks/block_files.h"
#include "state/tensor_file.h"

namespace ckpt::state {
namespace {

// Passes a group's blocks in a file of a part to verify_tensor_file.
void verify_files(storage::Storage& storage, const std::string& directory, const PartRecords& part, VerifyResult& result,
                  base::Progress& progress) {
  for (const GroupRecord& group : part.groups()) {
    for (const FileRecord& record : group.files) {
      const std::string path = path_in(directory, record.name);
      reading(path, [&] { verify_tensor_file(*storage.open(path), record, tensors_of(group, record), &progress); });
      ++result.files;
      result.bytes += record.bytes;
    }
  }
}

}  // namespace

void verify_parts(storage::Storage& storage, const std::string& directory, const Manifest& manifest, VerifyResult& result,
                  base::Progress& progress) {
  BlockFiles blocks(storage, directory, manifest);
  for (std::int64_t rank = 0; rank < blocks.parts(); ++rank) verify_files(storage, directory, *blocks.part(rank), result, progress);
  for (const GroupRecord& group : manifest.groups) {
    for (const TensorRecord& tensor : group.tensors) {
      tensor.placement->for_each_block([&](const Box& box, std::int64_t rank) {
        const auto found = blocks.part(rank)->find(group.name, tensor.name, box);
        const bool is_there = found.block != nullptr && found.block->dtype == tensor.dtype;
        if (!is_there && !box.is_empty()) {
          base::fail(base::Status::corrupt, "tensor ", base::quote(tensor.name), " of group ", base::quote(group.name),
                     ": the part of rank ", rank, " lacks block ", to_text(box), " of the manifest");
        }
      });
    }
    result.tensors += std::ssize(group.tensors);
  }
  if (result.files != manifest.part_files || result.bytes != manifest.part_file_bytes) {
    base::fail(base::Status::corrupt, base::quote(directory), ": expected ", manifest.part_files, " files of ",
               manifest.part_file_bytes, " bytes (manifest), found ", result.files, " of ", result.bytes);
  }
}

}  // namespace ckpt::state
