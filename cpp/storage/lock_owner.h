// The record of the process that owns a lock file, and the decision whether that process still runs. Machines and containers may
// share the file system, so equal process ids prove nothing. An owner counts as ended in two cases: this process can see it and
// finds it ended (same boot of the same machine, same PID namespace), or that machine has been restarted since.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ckpt::storage {

// Fields that the system does not provide are "".
struct LockOwner {
  std::string host;
  std::int64_t process = 0;
  std::string start;          // clock ticks from the boot to the start of the process
  std::string boot;           // id of the boot, changes with each boot
  std::string machine;        // id of the machine, constant across boots
  std::string pid_namespace;  // the namespace of the process id
};

LockOwner this_owner();

// Converts to text with one "key value" per line, and back; returns nothing for incomplete text.
std::string to_text(const LockOwner& owner);
std::optional<LockOwner> parse_lock_owner(std::string_view text);

// The state of a process, found by its id.
struct SeenProcess {
  bool has_ended = true;  // no process has this id, or it is a zombie
  std::string start;      // as in LockOwner
};
SeenProcess read_process(std::int64_t process);

enum class OwnerState {
  running,
  ended,
  unknown,  // not visible to this process
};
OwnerState judge(const LockOwner& owner, const LockOwner& self,
                 const std::function<SeenProcess(std::int64_t process)>& look = read_process);

}  // namespace ckpt::storage
