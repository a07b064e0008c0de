// Messages to whoever embeds the library; silent until a sink is set. Synchronised.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace ckpt::base {

enum class LogLevel : std::int32_t { debug = 0, info = 1, warning = 2, error = 3 };

using LogSink = std::function<void(LogLevel level, const char* component, const char* message)>;

// Sends messages of at least minimum to sink; an empty sink silences. Returns when the former sink no longer runs on another
// thread; Error(invalid_state) inside a sink, which would wait for itself.
void set_log(LogLevel minimum, LogSink sink);

// Sends the lines of report_unreceived to sink instead of standard error; an empty sink restores standard error. Otherwise as
// set_log.
void set_fallback_log(LogSink sink);

// Returns whether this thread runs one of the two sinks.
bool is_inside_log_sink() noexcept;

// For fork(): in the child no other thread is inside a sink, whatever the copied lock says.
void restart_log();

// For messages that are made often: false when no callback would get one.
bool is_logged(LogLevel level) noexcept;

// Cheap while there is no sink: one relaxed load. component is the part's name. The sink runs here, or where the outermost HeldLog
// of this thread ends.
void write_log(LogLevel level, const char* component, const std::string& message);
inline void warn(const char* component, const std::string& message) { write_log(LogLevel::warning, component, message); }

// Reports failures that no caller can receive any more, each as a message of level error. If no sink was ever set with set_log,
// writes one line with the first of them to the fallback sink or standard error; ckpt_set_fallback_log documents this rule and
// CKPT_LOG. Inside a HeldLog or a sink of this thread, the messages are sent after it, so under no lock of the library. failures:
// not empty.
void report_unreceived(const char* component, std::span<const std::string> failures) noexcept;

// Declared before a lock that is held over calls which may log: the messages of this thread are kept while it lives and reach the
// sink, in order, when the outermost one goes. So a sink runs under no lock of the library and may call whatever it likes.
class HeldLog {
 public:
  HeldLog() noexcept;
  ~HeldLog();
  HeldLog(const HeldLog&) = delete;
  HeldLog& operator=(const HeldLog&) = delete;
};

}  // namespace ckpt::base
