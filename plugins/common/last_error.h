// What a plug-in's function for its last error returns: a text for each thread.
#pragma once

#include <new>
#include <string>

namespace ckpt::plugin {

inline std::string& last_error() noexcept {
  thread_local std::string text;
  return text;
}

// Where there is no memory for it, the text is lost; the status is not.
inline void set_last_error(const char* text) noexcept {
  try {
    last_error() = text;
  } catch (const std::bad_alloc&) {
    last_error().clear();
  }
}

}  // namespace ckpt::plugin
