#include "base/log.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/entered.h"
#include "base/error.h"
#include "base/on_behalf.h"

namespace ckpt::base {

struct LogMessage {
  LogLevel level;
  const char* component;  // a literal
  std::string text;
};

namespace {

constexpr std::int32_t silent = 1000;

struct Logger {
  std::atomic<std::int32_t> minimum{silent};
  std::shared_mutex mutex;
  LogSink sink;
};

// Never destroyed: threads of the host may log while static objects are torn down.
Logger& logger() {
  static auto* const the_logger = new Logger;
  return *the_logger;
}
// Before a first call: a child that was forked in the midst of that one would wait for it for ever.
[[maybe_unused]] const Logger& logger_made_at_load = logger();

// A sink that calls the library may log again; taking the shared lock twice on one thread could deadlock with a waiting set_log.
thread_local bool inside_sink = false;

thread_local int holds = 0;
thread_local std::vector<LogMessage> held;

void send(LogLevel level, const char* component, const std::string& message) noexcept {
  Logger& log = logger();
  const std::shared_lock lock(log.mutex);
  if (!log.sink) return;
  inside_sink = true;
  try {
    log.sink(level, component, message.c_str());
  } catch (...) {
    // A sink has nowhere to report to.
  }
  inside_sink = false;
}

}  // namespace

void set_log(LogLevel minimum, LogSink sink) {
  if (inside_sink) fail(Status::invalid_state, "a log callback cannot replace the log callback");
  Logger& log = logger();
  LogSink former;
  {
    const std::unique_lock lock(log.mutex);
    log.minimum.store(sink ? static_cast<std::int32_t>(minimum) : silent, std::memory_order_relaxed);
    former = std::exchange(log.sink, std::move(sink));
  }
}

void restart_log() { std::construct_at(&logger().mutex); }

bool is_logged(LogLevel level) noexcept {
  return static_cast<std::int32_t>(level) >= logger().minimum.load(std::memory_order_relaxed) && !inside_sink;
}

bool is_inside_log_sink() noexcept { return inside_sink; }

void write_log(LogLevel level, const char* component, const std::string& message) {
  if (!is_logged(level)) return;
  if (holds == 0) return send(level, component, message);
  try {
    held.push_back({level, component, message});
  } catch (const std::bad_alloc&) {
    // What there is no memory for is lost, as a message alone may be.
  }
}

HeldLog::HeldLog() noexcept { ++holds; }

HeldLog::~HeldLog() {
  if (--holds > 0 || held.empty()) return;
  for (const LogMessage& message : std::exchange(held, {})) send(message.level, message.component, message.text);
}

struct OnBehalf::Messages {
  std::vector<LogMessage> all;
};

OnBehalf::OnBehalf() : entered_(Entered::all()), messages_(std::make_unique<Messages>()) {}

OnBehalf::~OnBehalf() = default;

void OnBehalf::run(const std::function<void()>& body) {
  const HeldLog hold;
  struct Take {
    std::vector<LogMessage>& into;
    ~Take() { into = std::exchange(held, {}); }
  } const take{messages_->all};
  Entered::run_inside(entered_, body);
}

void OnBehalf::hand_out() noexcept {
  for (const LogMessage& message : std::exchange(messages_->all, {})) write_log(message.level, message.component, message.text);
}

}  // namespace ckpt::base
