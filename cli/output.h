// Output of the command: files that are replaced atomically, and standard output.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>

namespace ckpt::cli {

// Creates or replaces the file at path. write receives the name of a temporary file in a new private directory next to path, and
// fills it. Readers and other writers of path only ever see complete files. A replaced file
// keeps its mode and, where the system allows it, its owner and group; links are followed. Returns when it is durable.
// Throws std::runtime_error that names path, also if path is not a regular file; then nothing has changed. A process
// killed during the call leaves the directory: ".ckpt-" and six characters.
void write_whole(const std::string& path, const std::function<void(const std::string&)>& write);

// The same for a string. Also writes to devices and pipes, directly.
void write_text(const std::string& path, const std::string& text);

// Throws, as write_text would, unless a string can be written to each path that is not empty; changes nothing. For commands
// that run for a long time before they write.
void require_outputs(std::initializer_list<std::string> paths);

// Call at the start of main: opens closed standard streams, so that no file opened later gets their descriptors.
void reserve_standard_streams();

// Call at the end of main. Throws std::runtime_error if printed output could not be written.
void finish_standard_output();

}  // namespace ckpt::cli
