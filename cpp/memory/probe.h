// The physical memory available to this process: the machine's, reduced to the limits of its control groups (v1 and v2).
#pragma once

#include <cstdint>
#include <string>

namespace ckpt::memory {

struct SystemMemory {
  std::int64_t total_bytes = 0;      // physical memory, at most the cgroup's limit
  std::int64_t available_bytes = 0;  // obtainable without swapping: free memory and reclaimable page cache
  std::int64_t machine_bytes = 0;    // physical memory of the machine, regardless of the cgroup
  std::int64_t limit_bytes = 0;      // the smallest cgroup limit along the path to the root; 0 if there is none
};

// The files to read; tests pass their own.
struct ProbeFiles {
  std::string meminfo = "/proc/meminfo";
  std::string cgroup = "/proc/self/cgroup";
  std::string mount = "/sys/fs/cgroup";
};

// Sources: proc(5) for MemTotal and MemAvailable, the kernel's cgroup-v2.rst (memory.max, memory.current, memory.stat) and
// cgroup-v1/memory.rst (memory.limit_in_bytes, memory.usage_in_bytes, total_inactive_file). A group's available bytes are its
// limit less its usage, where page cache on the inactive list does not count as used. Fails with Error(unsupported) if not even
// the total is available.
SystemMemory probe_system_memory(const ProbeFiles& files = {});

}  // namespace ckpt::memory
