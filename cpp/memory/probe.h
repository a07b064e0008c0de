// Physical memory that this process can have: the machine's, cut down to what its control groups (v1 and v2) allow.
#pragma once

#include <cstdint>
#include <string>

namespace ckpt::memory {

struct SystemMemory {
  std::int64_t total_bytes = 0;      // physical memory, at most the cgroup's limit
  std::int64_t available_bytes = 0;  // what can be had without swapping: free memory and page cache that can be dropped
  std::int64_t machine_bytes = 0;    // physical memory of the machine, whatever the cgroup says
  std::int64_t limit_bytes = 0;      // the smallest cgroup limit along the path to the root; 0 when there is none
};

// Where to look; tests pass their own files.
struct ProbeFiles {
  std::string meminfo = "/proc/meminfo";
  std::string cgroup = "/proc/self/cgroup";
  std::string mount = "/sys/fs/cgroup";
};

// Sources: proc(5) for MemTotal and MemAvailable, the kernel's cgroup-v2.rst (memory.max, memory.current, memory.stat) and
// cgroup-v1/memory.rst (memory.limit_in_bytes, memory.usage_in_bytes, total_inactive_file). A group's available bytes are its limit
// less its usage, where page cache on the inactive list does not count as used. Error(unsupported) when not even the total is
// known.
SystemMemory probe_system_memory(const ProbeFiles& files = {});

}  // namespace ckpt::memory
