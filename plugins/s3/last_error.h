// What ckpt_s3_last_error returns, for each thread.
#pragma once

namespace ckpt::s3 {

// Where there is no memory for it, the text is cut or lost; the status is not.
void set_last_error(const char* text) noexcept;

}  // namespace ckpt::s3
