// Generated from include/ckpt by tools/api: do not edit.
// state_definitions.hpp - methods that name other classes of the header.
// clang-format off
#ifndef CKPT_METHODS_STATE_DEFINITIONS_HPP
#define CKPT_METHODS_STATE_DEFINITIONS_HPP

#include <ckpt/state.hpp>

namespace ckpt {

template <class Self>
Coordinator CheckpointManagerMethods<Self>::coordinator() const {
  ckpt_coordinator* result = nullptr;
  check(ckpt_checkpoint_manager_get_coordinator(handle(), &result));
  return Coordinator::adopt(result);
}

template <class Self>
SaveResult CheckpointManagerMethods<Self>::save(const State& state, const SaveOptions& options) {
  const ckpt_save_options given_options = detail::to_c(options);
  ckpt_save_result result = CKPT_SAVE_RESULT_INIT;
  check(ckpt_checkpoint_manager_save(handle(), state.handle(), &given_options, &result));
  return detail::from_c(result);
}

// Writes the tensors of one group of a state as a plain safetensors file, which any program can read. The file is written
// under a unique temporary name next to path (path with ".tmp-" and 8 random digits appended), synced, and renamed to path; it
// replaces an existing file and takes over its permission bits. Symbolic links are followed: their target is replaced or
// created, and the links are kept. Durable when it returns. Several writers of one path, in any processes, do not interfere:
// the last one's complete file remains. A process that is killed during the call leaves its temporary file. path: as for
// open(2). group: Status::not_found if the state has no group of that name. metadata_json: an object with string values, for
// the file's metadata; empty: none. Status::invalid_argument if path exists and is not a regular file (a directory, a device,
// a FIFO, a socket); Status::permission, Status::no_space and Status::io from the system: the file at path is unchanged then.
inline void write_safetensors(const std::string& path, const State& state, const std::string& group,
                              const std::string& metadata_json = {}) {
  check(ckpt_safetensors_write(path.c_str(), state.handle(), group.c_str(), detail::text_or_null(metadata_json)));
}

}  // namespace ckpt

#endif
