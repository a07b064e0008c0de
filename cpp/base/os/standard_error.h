// The process's standard error: descriptor 2.
#pragma once

#include <string_view>

namespace ckpt::base {

// Returns true for a terminal, a pipe and a file that was opened for append: one write there overwrites nothing and is not mixed
// with writes of other programs. Returns false for other descriptors, which a program may use for another purpose.
bool is_standard_error_shared() noexcept;

// Writes the line "ckpt: COMPONENT: MESSAGE" by one write, which pipes keep whole. Replaces control characters, and cuts the line
// off at a character if it exceeds 4095 bytes before the newline. Allocates nothing. Drops the line if the descriptor accepts none
// within a second or the write fails. Delivers none of SIGPIPE, SIGTTOU and SIGXFSZ.
void write_to_standard_error(std::string_view component, std::string_view message) noexcept;

}  // namespace ckpt::base
