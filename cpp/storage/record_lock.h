// Record locks (fcntl(2)) of whole files. Where the system has them, they belong to the open file (F_OFD_SETLK). Else they belong
// to the process: a second one of the same process succeeds, and closing any descriptor of the file releases them. So this part
// records the files that this process has locked that way, and refuses to open one of them again.
#pragma once

#include <mutex>
#include <string>

#include "base/fork_mutex.h"

namespace ckpt::storage {

// Locks the file of an open descriptor. 0, or the error number: EWOULDBLOCK when another process or descriptor has locked it.
int try_record_lock(int descriptor);
void release_record_lock(int descriptor) noexcept;
// Whether another process or descriptor has locked it. False where the file system has no record locks.
bool has_record_lock(int descriptor) noexcept;
// Locked where record locks belong to the process: no other thread may then open and close a file that this one is about to lock.
// descriptor: of any file.
std::unique_lock<base::ForkMutex> wait_for_other_openings(int descriptor);
// Whether this process would lose a lock by opening and closing the file that has this name.
bool is_locked_by_process(int directory, const std::string& name);

}  // namespace ckpt::storage
