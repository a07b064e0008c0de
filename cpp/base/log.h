// Messages to whoever embeds the library; silent until a sink is set. Synchronised.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace ckpt::base {

enum class LogLevel : std::int32_t { debug = 0, info = 1, warning = 2, error = 3 };

using LogSink = std::function<void(LogLevel level, const char* component, const char* message)>;

// Sends messages of at least minimum to sink; an empty sink silences. Returns when the former sink no longer runs on another
// thread; Error(invalid_state) inside a sink, which would wait for itself.
void set_log(LogLevel minimum, LogSink sink);

// For fork(): in the child no other thread is inside a sink, whatever the copied lock says.
void restart_log();

// Cheap when nobody listens: one relaxed load. component is the part's name.
void log(LogLevel level, const char* component, const std::string& message);
inline void warn(const char* component, const std::string& message) { log(LogLevel::warning, component, message); }

}  // namespace ckpt::base
