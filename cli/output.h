// What the command writes: files that are whole, and standard output.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>

namespace ckpt::cli {

// Makes or replaces the file at path by what write puts into the file whose name it gets, in a new directory beside it that no
// other process may enter. Whoever reads path, and whoever writes it at the same time, meets whole files only. A file that is
// replaced keeps its mode, and its owner and group where the system allows it; links are followed. Returns when it is durable.
// Throws std::runtime_error that names path, also when something other than a file is there; then nothing has changed. A process
// that is killed meanwhile leaves the directory, ".ckpt-" and six characters.
void write_whole(const std::string& path, const std::function<void(const std::string&)>& write);

// The same for a text, which devices and pipes take too, as it comes.
void write_text(const std::string& path, const std::string& text);

// Throws, as write_text would, unless a text can be written at each path that is not empty; changes nothing. For the beginning of
// a command that works for long before it writes.
void require_outputs(std::initializer_list<std::string> paths);

// For the begin of main: a standard stream that is closed is not taken by a file that is opened later.
void reserve_standard_streams();

// For the end of it. Throws std::runtime_error when something that was printed could not be written.
void finish_standard_output();

}  // namespace ckpt::cli
