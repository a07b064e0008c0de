#include "base/log.h"

#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/entered.h"
#include "base/error.h"
#include "base/on_behalf.h"
#include "base/os/standard_error.h"
#include "base/text.h"

namespace ckpt::base {

struct LogMessage {
  LogLevel level;
  const char* component;  // a literal
  std::string text;
  bool is_line = false;  // for the fallback sink or standard error
};

namespace {

constexpr std::int32_t silent = 1000;

struct Logger {
  std::atomic<std::int32_t> minimum{silent};
  std::atomic<bool> was_set{false};  // set_log has set a sink before
  std::shared_mutex mutex;
  LogSink sink;
  std::shared_mutex fallback_mutex;
  LogSink fallback;
};

// Never destroyed: threads of the host program may log during static destruction.
Logger& logger() {
  static auto* const the_logger = new Logger;
  return *the_logger;
}
// Initialized at load: a child forked during a lazy first call would wait forever for that call to complete.
[[maybe_unused]] const Logger& logger_initialized_at_load = logger();

enum class Lines : std::uint8_t { by_rule, never, to_standard_error };

// Read at load, when no other thread changes the environment.
const Lines lines = [] {
  const char* const given = std::getenv("CKPT_LOG");  // NOLINT(concurrency-mt-unsafe)
  const std::string_view wanted = given == nullptr ? "" : given;
  return wanted == "off" ? Lines::never : wanted == "stderr" ? Lines::to_standard_error : Lines::by_rule;
}();

// A sink that calls the library may log again; taking the shared lock twice on one thread could deadlock with a waiting set_log.
constinit thread_local bool inside_sink = false;

constinit thread_local int holds = 0;
// Allocated for the first held message, deleted when the messages are sent: no thread_local has a destructor (thread_end.h).
constinit thread_local std::vector<LogMessage>* held = nullptr;

std::unique_ptr<std::vector<LogMessage>> take_held() noexcept {
  return std::unique_ptr<std::vector<LogMessage>>(std::exchange(held, nullptr));
}

// Returns false if no sink is set.
bool send(std::shared_mutex& mutex, const LogSink& sink, const LogMessage& message) noexcept {
  const std::shared_lock lock(mutex);
  if (!sink) return false;
  inside_sink = true;
  try {
    sink(message.level, message.component, message.text.c_str());
  } catch (...) {
    // A sink cannot report its own failures to anyone.
  }
  inside_sink = false;
  return true;
}

void send_line(const LogMessage& message) noexcept {
  Logger& log = logger();
  if (lines == Lines::never) return;
  if (lines == Lines::to_standard_error) return write_to_standard_error(message.component, message.text);
  if (log.was_set.load() || send(log.fallback_mutex, log.fallback, message)) return;
  if (is_standard_error_shared()) write_to_standard_error(message.component, message.text);
}

void send(const LogMessage& message) noexcept {
  if (message.is_line) return send_line(message);
  Logger& log = logger();
  send(log.mutex, log.sink, message);
}

// Messages that a sink causes are sent after it has returned.
void send_held() noexcept {
  while (holds == 0 && !inside_sink && held != nullptr) {
    const auto messages = take_held();
    for (const LogMessage& message : *messages) send(message);
  }
}

void pass(LogMessage&& message) {
  if (holds == 0 && !inside_sink) {
    send(message);
    return send_held();
  }
  try {
    if (held == nullptr) held = new std::vector<LogMessage>;
    held->push_back(std::move(message));
  } catch (const std::bad_alloc&) {
    // The message is dropped if memory is short.
  }
}

}  // namespace

void set_log(LogLevel minimum, LogSink sink) {
  if (inside_sink) fail(Status::invalid_state, "a log callback cannot replace the log callback");
  Logger& log = logger();
  LogSink former;
  {
    const std::unique_lock lock(log.mutex);
    if (sink) log.was_set.store(true);
    log.minimum.store(sink ? static_cast<std::int32_t>(minimum) : silent, std::memory_order_relaxed);
    former = std::exchange(log.sink, std::move(sink));
  }
}

void set_fallback_log(LogSink sink) {
  if (inside_sink) fail(Status::invalid_state, "a log callback cannot replace the fallback of the log");
  Logger& log = logger();
  LogSink former;
  {
    const std::unique_lock lock(log.fallback_mutex);
    former = std::exchange(log.fallback, std::move(sink));
  }
}

void restart_log() {
  std::construct_at(&logger().mutex);
  std::construct_at(&logger().fallback_mutex);
}

bool is_logged(LogLevel level) noexcept {
  return static_cast<std::int32_t>(level) >= logger().minimum.load(std::memory_order_relaxed) && !inside_sink;
}

bool is_inside_log_sink() noexcept { return inside_sink; }

void write_log(LogLevel level, const char* component, const std::string& message) {
  if (is_logged(level)) pass({level, component, message});
}

void report_unreceived(const char* component, std::span<const std::string> failures) noexcept {
  try {
    const auto text = [](const std::string& failure) { return cat("no caller has seen this failure: ", failure); };
    // Not is_logged(): a failure is reported also inside a sink, where other messages are dropped.
    if (static_cast<std::int32_t>(LogLevel::error) >= logger().minimum.load(std::memory_order_relaxed)) {
      for (const std::string& failure : failures) pass({LogLevel::error, component, text(failure)});
    }
    const std::size_t more = failures.size() - 1;
    std::string line = text(failures.front());
    if (more > 0) line += cat("; ", more, more == 1 ? " more failure" : " more failures");
    pass({LogLevel::error, component, std::move(line), true});
  } catch (const std::bad_alloc&) {
    // As in pass().
  }
}

HeldLog::HeldLog() noexcept { ++holds; }

HeldLog::~HeldLog() {
  --holds;
  send_held();
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
    ~Take() {
      if (const auto messages = take_held()) into = std::move(*messages);
    }
  } const take{messages_->all};
  Entered::run_inside(entered_, body);
}

void OnBehalf::send_messages() noexcept {
  for (LogMessage& message : std::exchange(messages_->all, {})) {
    if (message.is_line || is_logged(message.level)) pass(std::move(message));
  }
}

}  // namespace ckpt::base
