// Where a command finds or puts checkpoints: a directory, or what a URI names.
#pragma once

#include <string>

#include <ckpt/ckpt.hpp>

namespace ckpt::cli {

// What a text of the command line means: of a file URI its path, of any other text the text. What exists under such a name is meant
// itself. Throws std::invalid_argument for a file URI that the library would refuse.
std::string place_of(const std::string& text);

// Whether a place is reached by its URI alone: memory:NAME, or with "://". All else is a path.
bool is_uri(const std::string& place);

// Whether each read of a place is a request to a store: it is in no file system and no memory of this machine.
bool is_store(const std::string& place);

// The storage of a place, to read or change what is there. Error with Status::not_found for a directory that is missing.
Storage open_place(const std::string& place);
// The same, to begin there: a directory is made when it is missing.
Storage make_place(const std::string& place);

// Whether a place is not a directory of checkpoints but one checkpoint. checkpoints: of its storage.
bool is_one_checkpoint(const CheckpointManager& checkpoints, const std::string& place);

}  // namespace ckpt::cli
