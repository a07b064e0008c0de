// The location where a command finds or puts checkpoints: a directory or a URI.
#pragma once

#include <string>

#include <ckpt/ckpt.hpp>

namespace ckpt::cli {

// Resolves a location of the command line: the path of a file URI; any other string unchanged. A string that names an existing file
// or directory is never treated as a URI. Throws std::invalid_argument for a file URI that the library rejects.
std::string place_of(const std::string& text);

// Returns whether a location is a URI: memory:NAME, or with "://". All others are paths.
bool is_uri(const std::string& place);

// Returns whether each read is a request to a remote store, neither in a file system nor in memory.
bool is_store(const std::string& place);

// Opens the storage of a location. Error with Status::not_found if the directory is missing.
Storage open_place(const std::string& place);
// The same, but creates a missing directory.
Storage make_place(const std::string& place);

// Returns whether the location is one checkpoint instead of a directory of checkpoints. checkpoints: on the location's storage.
bool is_one_checkpoint(const CheckpointManager& checkpoints, const std::string& place);

}  // namespace ckpt::cli
