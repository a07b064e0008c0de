// The process's standard error: descriptor 2.
#pragma once

#include <string_view>

namespace ckpt::base {

// True for a terminal, a pipe and a file that was opened for append: one write there neither overwrites anything nor is mixed with
// another program's. False for descriptors that a program may have given another meaning.
bool is_standard_error_shared() noexcept;

// Writes one line: pieces, with control characters replaced, cut off at a character where they exceed 4095 bytes, and a newline; by
// one write, which pipes keep whole up to that size. Allocates nothing. Drops the line when the descriptor accepts none within a
// second or the write fails. Neither SIGPIPE, SIGTTOU nor SIGXFSZ is delivered for it.
void write_to_standard_error(std::string_view component, std::string_view message) noexcept;

}  // namespace ckpt::base
