// What the operating system lets this process use of the machine's processors.
#pragma once

#include <cstdint>
#include <string>

namespace ckpt::base {

// Threads that a busy computation should use: affinity mask, at most the cgroup's CPU quota (v1 or v2) rounded up, at least 1.
std::int32_t available_threads();

// The quota in processors of the cgroup (v1 or v2) that cgroup_file (in the format of /proc/self/cgroup) names, with the hierarchy
// mounted at mount; 0 when there is none. The smallest along the path to the root counts. Separate so that tests can pass files.
double cgroup_cpu_quota(const std::string& cgroup_file, const std::string& mount);

}  // namespace ckpt::base
