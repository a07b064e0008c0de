#include "state/save_source.h"

namespace ckpt::state {

std::int64_t SaveSource::file_bytes(const StateGroup& group) {
  const FileLayout layout = layout_of(group);
  std::int64_t bytes = static_cast<std::int64_t>(layout.header.size());
  for (const TensorEntry& entry : layout.entries) bytes += entry.bytes;
  return bytes;
}

WrittenFile SaveSource::write(storage::File& file, const std::string& file_name, const StateGroup& group) {
  return write_tensor_file(file, file_name, group, {}, progress);
}

bool SaveSource::holds_same(const GroupRecord& recorded, const StateGroup& group) { return holds_same_tensors(recorded, group); }

}  // namespace ckpt::state
