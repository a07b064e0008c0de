// The processors that the operating system lets this process use.
#pragma once

#include <cstdint>
#include <string>

namespace ckpt::base {

// Returns the number of threads for a compute-bound task: the affinity mask, at most the cgroup's CPU quota (v1 or v2) rounded
// up, at least 1.
std::int32_t available_threads();

// Returns the CPU quota in processors of the cgroup (v1 or v2) named in cgroup_file (in the format of /proc/self/cgroup), with
// the hierarchy mounted at mount: the smallest along the path to the root; 0 if there is none. Takes file names so that tests can
// pass their own.
double cgroup_cpu_quota(const std::string& cgroup_file, const std::string& mount);

}  // namespace ckpt::base
