#include "storage/lock_owner.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <limits>
#include <vector>

#include "base/text.h"
#include "storage/descriptor.h"

namespace ckpt::storage {
namespace {

constexpr std::string_view heading = "libckpt lock 1";

// Returns "" for a file that cannot be read.
std::string beginning_of(const std::string& path) {
  const Descriptor file(uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }));
  if (file.get() < 0) return "";
  std::string text(4096, '\0');
  const ssize_t count = uninterrupted([&] { return ::read(file.get(), text.data(), text.size()); });
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return text;
}

std::string first_line_of(const std::string& path) {
  const std::string text = beginning_of(path);
  return text.substr(0, text.find('\n'));
}

std::string host_name() {
  utsname names{};
  return ::uname(&names) == 0 ? std::string(names.nodename) : std::string();
}

std::string pid_namespace() {
  std::array<char, 64> target{};
  const ssize_t count = ::readlink("/proc/self/ns/pid", target.data(), target.size());
  return count > 0 ? std::string(target.data(), static_cast<std::size_t>(count)) : std::string();
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    if (end > begin) words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

// Fields of /proc/PID/stat after the command name, which may contain any byte (proc(5)).
struct ProcessStat {
  std::string_view state;
  std::string_view threads;
  std::string_view start;
};
std::optional<ProcessStat> parse_stat(std::string_view text) {
  const std::size_t command_end = text.rfind(')');
  if (command_end == std::string_view::npos) return std::nullopt;
  const std::vector<std::string_view> words = words_of(text.substr(command_end + 1));
  constexpr std::size_t threads = 17;  // field 20; the first word is field 3
  constexpr std::size_t start = 19;    // field 22
  if (words.size() <= start) return std::nullopt;
  return ProcessStat{words[0], words[threads], words[start]};
}

}  // namespace

LockOwner this_owner() {
  LockOwner owner;
  owner.host = host_name();
  owner.process = ::getpid();
  owner.start = read_process(owner.process).start;
  owner.boot = first_line_of("/proc/sys/kernel/random/boot_id");
  owner.machine = first_line_of("/etc/machine-id");
  owner.pid_namespace = pid_namespace();
  return owner;
}

SeenProcess read_process(std::int64_t process) {
  if (::kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH) return {};
  SeenProcess seen{false, ""};
  const std::string text = beginning_of(base::cat("/proc/", process, "/stat"));
  const auto stat = parse_stat(text);
  if (!stat) return seen;
  seen.start = stat->start;
  // State "Z" also denotes a process with an ended first thread and other threads that still run.
  seen.has_ended = (stat->state == "Z" || stat->state == "X") && (stat->threads == "0" || stat->threads == "1");
  return seen;
}

// ---- Text ----

namespace {

struct Field {
  std::string_view key;
  std::string LockOwner::*value;
};
constexpr Field fields[] = {{"host", &LockOwner::host},
                            {"start", &LockOwner::start},
                            {"boot", &LockOwner::boot},
                            {"machine", &LockOwner::machine},
                            {"pid_namespace", &LockOwner::pid_namespace}};

// Removes the first line from text and returns it without its newline; nullopt if text has no complete line.
std::optional<std::string_view> take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

// Takes the next line and returns its value; returns nothing if the line has another key.
std::optional<std::string_view> take_value(std::string_view& text, std::string_view key) {
  const auto line = take_line(text);
  if (!line || !line->starts_with(key) || line->size() <= key.size() || (*line)[key.size()] != ' ') return std::nullopt;
  return line->substr(key.size() + 1);
}

}  // namespace

std::string to_text(const LockOwner& owner) {
  std::string text = base::cat(heading, "\npid ", owner.process, '\n');
  for (const Field& field : fields) text += base::cat(field.key, ' ', owner.*field.value, '\n');
  return text;
}

std::optional<LockOwner> parse_lock_owner(std::string_view text) {
  LockOwner owner;
  if (take_line(text) != heading) return std::nullopt;
  const auto process = take_value(text, "pid");
  if (!process) return std::nullopt;
  const auto [end, error] = std::from_chars(process->data(), process->data() + process->size(), owner.process);
  if (error != std::errc() || end != process->data() + process->size() || owner.process < 1) return std::nullopt;
  if (owner.process > std::numeric_limits<pid_t>::max()) return std::nullopt;
  for (const Field& field : fields) {
    const auto value = take_value(text, field.key);
    if (!value) return std::nullopt;
    owner.*field.value = *value;
  }
  return text.empty() ? std::optional(owner) : std::nullopt;
}

// ---- Judgement ----

namespace {

// On every Linux, the initial PID namespace has this number (PROC_PID_INIT_INO). Its processes are not in a container.
constexpr std::string_view first_pid_namespace = "pid:[4026531836]";

// Containers may share one machine id and one host name, so equal values prove nothing there.
bool is_restarted(const LockOwner& owner, const LockOwner& self) {
  return !owner.boot.empty() && !self.boot.empty() && owner.boot != self.boot && !owner.machine.empty() &&
         owner.machine == self.machine && owner.pid_namespace == first_pid_namespace && self.pid_namespace == first_pid_namespace;
}

}  // namespace

OwnerState judge(const LockOwner& owner, const LockOwner& self, const std::function<SeenProcess(std::int64_t process)>& look) {
  if (owner.host != self.host) return OwnerState::unknown;
  if (is_restarted(owner, self)) return OwnerState::ended;
  // Systems without /proc provide neither; equal host names prove nothing then.
  if (owner.boot.empty() || owner.pid_namespace.empty()) return OwnerState::unknown;
  if (owner.boot != self.boot || owner.machine != self.machine || owner.pid_namespace != self.pid_namespace)
    return OwnerState::unknown;
  const SeenProcess seen = look(owner.process);
  if (seen.has_ended) return OwnerState::ended;
  const bool is_another = !owner.start.empty() && !seen.start.empty() && owner.start != seen.start;
  return is_another ? OwnerState::ended : OwnerState::running;
}

}  // namespace ckpt::storage
