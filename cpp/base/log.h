// Log messages for the host program; discarded until a sink is set. Thread-safe.
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

// Fork handler: in the child no other thread is inside a sink, whatever state the copied lock is in.
void restart_log();

// For frequent messages: returns false if no sink would receive one.
bool is_logged(LogLevel level) noexcept;

// Costs one relaxed load if no sink is set. component: the module's name. The sink runs in this call, or when the outermost
// HeldLog of this thread is destroyed.
void write_log(LogLevel level, const char* component, const std::string& message);
inline void warn(const char* component, const std::string& message) { write_log(LogLevel::warning, component, message); }

// Reports failures that can no longer reach a caller, each as a message of level error. If no sink was ever set with set_log,
// writes one line with the first of them to the fallback sink or standard error; ckpt_set_fallback_log documents this rule and
// CKPT_LOG. Inside a HeldLog or a sink of this thread, the messages are sent afterwards, when this thread holds no lock of the
// library. failures: not empty.
void report_unreceived(const char* component, std::span<const std::string> failures) noexcept;

// Declare it before taking a lock that is held over calls which may log. It buffers the messages of this thread; the outermost
// one sends them to the sink, in order, when it is destroyed. A sink therefore runs under no lock of the library and may call any
// of its functions.
class HeldLog {
 public:
  HeldLog() noexcept;
  ~HeldLog();
  HeldLog(const HeldLog&) = delete;
  HeldLog& operator=(const HeldLog&) = delete;
};

}  // namespace ckpt::base
