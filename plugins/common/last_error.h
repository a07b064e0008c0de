// The text returned by a plug-in's last_error function, per thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>

namespace ckpt::plugin {

// Not a std::string: a thread_local object with a destructor terminates the program if memory is lacking at its first use in a
// thread.
inline constinit thread_local std::array<char, 1024> last_error_text{};

inline const char* last_error() noexcept { return last_error_text.data(); }

inline void set_last_error(const char* text) noexcept {
  const std::size_t length = std::min(std::strlen(text), last_error_text.size() - 1);
  std::memcpy(last_error_text.data(), text, length);
  last_error_text[length] = '\0';
}

}  // namespace ckpt::plugin
