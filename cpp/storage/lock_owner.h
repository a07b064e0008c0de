// The record of the process that owns a lock file, and the decision whether that process still runs. A file system that a lock file
// is needed on may be shared by machines and by containers, so equal process ids prove nothing: a process counts as ended only
// where this process can see it, that is on the same boot of the same machine in the same namespace of process ids, or where that
// machine has been restarted since.
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
  std::string boot;           // of the machine, unique to each
  std::string machine;        // the same after each boot
  std::string pid_namespace;  // in which process is the number
};

LockOwner this_owner();

// One "key value" on each line, and back; nothing for a text that is not whole.
std::string to_text(const LockOwner& owner);
std::optional<LockOwner> parse_lock_owner(std::string_view text);

// A process as its id shows it.
struct SeenProcess {
  bool has_ended = true;  // there is none of this id, or its parent has not collected it yet
  std::string start;      // as in LockOwner
};
SeenProcess look_at_process(std::int64_t process);

enum class OwnerState {
  running,
  ended,
  unknown,  // this process cannot see
};
OwnerState judge(const LockOwner& owner, const LockOwner& self,
                 const std::function<SeenProcess(std::int64_t process)>& look = look_at_process);

}  // namespace ckpt::storage
